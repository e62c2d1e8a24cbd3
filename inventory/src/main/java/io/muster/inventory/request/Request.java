package io.muster.inventory.request;

import java.util.List;

/**
 * A question to {@link Feasibility}: the resources that a job wants and where it may run.
 *
 * @param duration how long the job runs, in seconds; 0 for no limit
 */
public record Request(List<Resource> resources, Constraint constraint, double duration) {
    public Request {
        resources = List.copyOf(resources);
    }

    public static Request of(List<Resource> resources) {
        return new Request(resources, Constraint.all(), 0);
    }
}
