package io.muster.protocol.admin;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A question about the state of hosts.
 *
 * @param targets ranks and hosts, in words with spaces between them; each must exist; "" for all
 * @param include like targets, but only one of them must exist
 * @param queues names of queues, or of properties, one of which each host must have; empty for any
 * @param properties names of properties, one of which each host must have; empty for any
 * @param states the states that the hosts may have; null for all
 * @param category the class that a hold on the hosts must have; "" for any
 * @param ticket the ticket that a hold on the hosts must have; "" for any
 * @param expand whether the answer lists each host of a group
 * @param rlist whether the answer has the resources of each group in short form
 * @param time whether the answer has the time, and how far a standby is behind
 * @param limit the highest number of rows in the answer; 0 for the usual one
 * @param after the row after which the answer begins; -1 for the first one
 * @param host the one host of which the answer is; "" for none
 * @param since the time from which on a problem is new; -1 for the usual one
 * @param refusal makes the refusal of a value
 */
public record StateQuery(
        String targets,
        String include,
        List<String> queues,
        List<String> properties,
        @Nullable String states,
        String category,
        String ticket,
        boolean expand,
        boolean rlist,
        boolean time,
        int limit,
        int after,
        String host,
        double since,
        Fields.Refusal refusal) {
    private static final int MOST_ROWS = 1000;

    public static StateQuery parse(Fields in) {
        return new StateQuery(
                in.textOr("targets", ""),
                in.textOr("include", ""),
                names(in, "queues"),
                names(in, "properties"),
                in.optional("states"),
                in.textOr("class", ""),
                in.textOr("ticket", ""),
                in.flag("expand"),
                in.flag("rlist"),
                in.flag("time"),
                in.has("limit") ? (int) in.integer("limit", 1, MOST_ROWS) : 0,
                in.has("after") ? (int) in.integer("after", 0, Idset.MAX_ID) : -1,
                in.textOr("host", ""),
                in.has("since") ? in.number("since") : -1,
                in.refusal());
    }

    private static List<String> names(Fields in, String key) {
        String text = in.textOr(key, "");
        return text.isEmpty() ? List.of() : List.of(text.split(","));
    }

    /** Returns whether a hold is one of those that are asked for. */
    public boolean wants(Hold hold) {
        Purpose purpose = hold.purpose();
        return (category.isEmpty() || category.equals(purpose.category()))
                && (ticket.isEmpty() || ticket.equals(purpose.ticket()));
    }

    /** Returns whether only hosts with certain holds are asked for. */
    public boolean isAboutHolds() {
        return !category.isEmpty() || !ticket.isEmpty();
    }

    /** Returns whether the question is about some of the hosts, before their states are looked at. */
    public boolean isSelective() {
        return !(targets.isEmpty() && include.isEmpty() && queues.isEmpty() && properties.isEmpty());
    }

    /** Returns the refusal of a value. */
    public RuntimeException fault(String key, String sentence) {
        return refusal.of("/" + key, sentence);
    }
}
