package io.muster.inventory.request;

import java.util.List;

/**
 * A question to {@link Feasibility}: the resources that a job wants and where it may run.
 *
 * @param duration how long the job runs, in seconds; 0 for no limit
 */
public record JobRequest(List<Resource> resources, Constraint constraint, double duration) {
    public JobRequest {
        resources = List.copyOf(resources);
    }

    public static JobRequest of(List<Resource> resources) {
        return new JobRequest(resources, Constraint.all(), 0);
    }
}
