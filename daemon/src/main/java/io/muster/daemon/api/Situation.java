package io.muster.daemon.api;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.core.Committed;
import io.muster.inventory.status.JobUsage;
import java.util.List;
import java.util.Objects;

/**
 * Everything on which the responses to reads depend.
 *
 * @param fault why the daemon accepts no changes; "" if it accepts them
 * @param clock why the daemon doubts its clock; "" if it does not
 * @param configuration a number that stands for the configuration and the version of the daemon
 */
record Situation(Committed committed, List<JobUsage> usage, String fault, String clock, int configuration) {
    /** The version of the documents. Keys are only ever added to a version. */
    static final int SCHEMA_VERSION = 1;

    /**
     * Returns the text of the ETag. The sequence number comes first, because a condition on a change compares this number
     * only.
     */
    String tag() {
        int usageHash = 1;
        for (JobUsage each : usage) {
            usageHash = 31 * usageHash
                    + Objects.hash(
                            each.reporter(),
                            each.time(),
                            each.allocated().toString(),
                            each.ranks().toString());
        }
        String rest =
                Integer.toHexString(usageHash) + "." + Integer.toHexString(Objects.hash(fault, clock, configuration));
        return committed.seq() + "." + rest;
    }

    /** Returns the first keys of every document. None depends on the time of the response. */
    ObjectNode document() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("schema_version", SCHEMA_VERSION).put("seq", committed.seq());
        json.put("fault", fault.isEmpty() ? null : fault);
        json.put("clock", clock.isEmpty() ? null : clock);
        return json;
    }
}
