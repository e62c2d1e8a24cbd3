package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.core.Committed;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.status.JobUsage;
import java.util.List;
import java.util.Objects;

/**
 * Everything on which documents about the inventory depend.
 *
 * @param fault why the daemon accepts no changes; "" if it accepts them
 * @param clock why the daemon doubts its clock; "" if it does not
 * @param configuration a number that stands for the configuration and the version of the daemon
 */
public record Situation(Committed committed, List<JobUsage> usage, String fault, String clock, int configuration) {
    /** The version of the documents. Keys are only ever added to a version. */
    public static final int SCHEMA_VERSION = 1;

    InventoryState state() {
        return committed.state();
    }

    /** Returns whether a document of {@code other} would be the same. */
    @SuppressWarnings("ReferenceEquality") // comparing states may take longer than making a document again
    boolean isSame(Situation other) {
        return committed.state() == other.committed.state()
                && committed.seq() == other.committed.seq()
                && usage == other.usage
                && fault.equals(other.fault)
                && clock.equals(other.clock)
                && configuration == other.configuration;
    }

    /** Returns a text that names this situation. The sequence number comes first, and a condition on a change compares it alone. */
    public String tag() {
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

    void putUsage(ObjectNode json) {
        ArrayNode reported = json.putArray("usage");
        usage.forEach(each -> reported.add(each.toJson()));
    }
}
