package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.Fields;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.request.Constraint;
import io.muster.inventory.request.JobRequest;
import io.muster.inventory.request.Jobspec;
import io.muster.inventory.request.Resource;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.List;

/**
 * The request {@code feasibility.check} (RFC 27 "Feasibility"). RFC 27 has only {@code jobspec}; the additional keys are
 *
 * <pre>
 * explain: true                          respond with a {@link FeasibilityAnswer}, for every verdict
 * now: true                              ask about the hosts that are up
 * resources, constraint?, duration?      in place of jobspec: a list of resources, which may have no slots and no tasks
 * </pre>
 *
 * Other keys are ignored, because flux's job validator sends everything that it knows about the job.
 */
public record FeasibilityRequest(JobRequest request, boolean explain, boolean now) {
    public static final String TOPIC = "feasibility.check";

    private static final String JOBSPEC = "jobspec";
    private static final String RESOURCES = "resources";
    private static final String CONSTRAINT = "constraint";
    private static final String DURATION = "duration";

    /**
     * Returns whether the response must explain the answer. The server needs this before it reads the keys that may be
     * invalid.
     */
    public static boolean wantsExplanation(ObjectNode payload) {
        return flag(payload, "explain");
    }

    /**
     * Reads a payload.
     *
     * @throws RpcException EPROTO if a key is missing or of the wrong type
     * @throws InvalidException with every problem in the jobspec or the resources
     */
    public static FeasibilityRequest parse(ObjectNode payload) {
        boolean now = flag(payload, "now");
        return new FeasibilityRequest(request(payload), wantsExplanation(payload), now);
    }

    private static JobRequest request(ObjectNode payload) {
        JsonNode jobspec = payload.path(JOBSPEC);
        if (jobspec.isObject()) {
            return Jobspec.parse(jobspec, Jobspec.Level.CANONICAL).request();
        }
        if (!jobspec.isMissingNode() || !payload.has(RESOURCES)) {
            throw fault("/jobspec must be an object");
        }
        JsonNode constraint = payload.path(CONSTRAINT);
        JsonNode duration = payload.path(DURATION);
        if (!duration.isMissingNode() && !(duration.isNumber() && duration.doubleValue() >= 0)) {
            throw fault("/duration must be a number, not negative");
        }
        return new JobRequest(
                Resource.parseList(payload.path(RESOURCES)),
                constraint.isMissingNode() ? Constraint.all() : Constraint.parse(constraint),
                duration.asDouble(0));
    }

    /** Returns the size on which the cost of an answer depends: the number of vertices and of terms of the constraint. */
    public int size() {
        return vertices(request.resources()) + terms(request.constraint().toJson());
    }

    private static int vertices(List<Resource> resources) {
        int count = resources.size();
        for (Resource resource : resources) {
            count += vertices(resource.with());
        }
        return count;
    }

    private static int terms(JsonNode constraint) {
        int count = constraint.size();
        for (JsonNode value : constraint) {
            count += terms(value);
        }
        return count;
    }

    /** Returns the payload of this request with a list of resources. */
    public ObjectNode toJson() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.set(RESOURCES, Resource.toJson(request.resources()));
        if (!request.constraint().isAll()) {
            payload.set(CONSTRAINT, request.constraint().toJson());
        }
        if (request.duration() > 0) {
            payload.put(DURATION, request.duration());
        }
        return ask(payload);
    }

    /**
     * Returns the payload of this request in the form of RFC 27.
     *
     * @param jobspec jobspec with the same meaning as {@link #request}
     */
    public ObjectNode toJson(ObjectNode jobspec) {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.set(JOBSPEC, jobspec);
        return ask(payload);
    }

    private ObjectNode ask(ObjectNode payload) {
        if (explain) {
            payload.put("explain", true);
        }
        if (now) {
            payload.put("now", true);
        }
        return payload;
    }

    private static boolean flag(ObjectNode payload, String key) {
        return new Fields(payload, "", (place, sentence) -> fault(place + " " + sentence)).flag(key);
    }

    private static RpcException fault(String sentence) {
        return new RpcException(Errno.EPROTO, TOPIC + ": " + sentence);
    }
}
