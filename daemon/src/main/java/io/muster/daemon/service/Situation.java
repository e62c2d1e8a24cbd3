package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.HoldSettings;
import io.muster.daemon.core.Committed;
import io.muster.inventory.axis.Times;
import io.muster.inventory.rset.Queues;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.WorkChanges;
import io.muster.inventory.status.AttemptRow;
import io.muster.inventory.status.JobUsage;
import io.muster.inventory.status.Scheduler;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Everything on which documents about the inventory depend.
 *
 * @param fault why the daemon accepts no changes; "" if it accepts them
 * @param clock why the daemon doubts its clock; "" if it does not
 * @param journalBytes the size of everything that the daemon keeps on disk, when this object was made
 * @param configured what the configuration says
 * @param leading what only the daemon that leads knows; null on a standby
 */
public record Situation(
        Committed committed,
        String fault,
        String clock,
        long journalBytes,
        Configured configured,
        @Nullable Leading leading) {
    /**
     * What documents take from the configuration.
     *
     * @param holds what a hold may be for
     * @param number stands for the configuration and the version of the daemon
     */
    record Configured(Queues queues, HoldSettings holds, int number) {}

    /**
     * What only the daemon that leads knows.
     *
     * @param waiting parts of a new R that take effect when the scheduler acquires again
     */
    record Leading(List<JobUsage> usage, List<Scheduler> schedulers, List<String> waiting) {
        /** Returns whether a document would be the same. The reports about jobs are not compared, because that may take long. */
        @SuppressWarnings("ReferenceEquality")
        boolean isSame(@Nullable Leading other) {
            return other != null
                    && usage == other.usage
                    && waiting.equals(other.waiting)
                    && schedulers.equals(other.schedulers);
        }
    }

    InventoryState state() {
        return committed.state();
    }

    List<JobUsage> usage() {
        return leading == null ? List.of() : leading.usage;
    }

    /** Returns what claims of work depend on. */
    WorkChanges.Facts facts() {
        return AttemptRow.facts(usage(), configured.holds()::needsBoot);
    }

    /** Returns whether a document of {@code other} would be the same. */
    @SuppressWarnings("ReferenceEquality") // comparing states may take longer than making a document again
    boolean isSame(Situation other) {
        return committed.state() == other.committed.state()
                && committed.seq() == other.committed.seq()
                && fault.equals(other.fault)
                && clock.equals(other.clock)
                && configured == other.configured
                && (leading == null ? other.leading == null : leading.isSame(other.leading));
    }

    /** Returns a text that names this situation. The sequence number comes first, and a condition on a change compares it alone. */
    public String tag() {
        int ofLeader = 0;
        if (leading != null) {
            ofLeader = 31 + leading.waiting.hashCode();
            for (JobUsage each : leading.usage) {
                ofLeader = 31 * ofLeader
                        + Objects.hash(
                                each.reporter(),
                                each.time(),
                                each.allocated().toString(),
                                each.ranks().toString());
            }
            for (Scheduler each : leading.schedulers) {
                ofLeader = 31 * ofLeader + each.toJson().toString().hashCode();
            }
        }
        String rest = Integer.toHexString(ofLeader) + "."
                + Integer.toHexString(Objects.hash(fault, clock, configured.number));
        return committed.seq() + "." + rest;
    }

    /** Returns the keys with which every document begins after its version. None depends on the time of the response. */
    ObjectNode document() {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("seq", committed.seq());
        json.put("fault", fault.isEmpty() ? null : fault);
        json.put("clock", clock.isEmpty() ? null : clock);
        return json;
    }

    /** Adds when the resources may be used. */
    void putLifetime(ObjectNode json) {
        ResourceSet resources = state().resources();
        json.put("starttime", resources.starttime() <= 0 ? null : Times.rfc3339(resources.starttime()));
        json.put("expiration", resources.expiration() <= 0 ? null : Times.rfc3339(resources.expiration()));
    }

    void putUsage(ObjectNode json) {
        if (leading == null) {
            json.putNull("usage");
        } else {
            ArrayNode reported = json.putArray("usage");
            leading.usage.forEach(each -> reported.add(each.toJson()));
        }
    }

    /** Adds the schedulers, with what each of them does not know. */
    void putSchedulers(ObjectNode json) {
        if (leading == null) {
            json.putNull("schedulers");
        } else {
            ArrayNode all = json.putArray("schedulers");
            leading.schedulers.forEach(each -> all.add(each.toJson(state())));
        }
    }

    /** Adds everything that only the daemon that leads knows. */
    void putLeading(ObjectNode json) {
        putUsage(json);
        putSchedulers(json);
        if (leading == null) {
            json.putNull("waiting");
        } else {
            leading.waiting.forEach(json.putArray("waiting")::add);
        }
    }
}
