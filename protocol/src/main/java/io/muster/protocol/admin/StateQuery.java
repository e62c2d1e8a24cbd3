package io.muster.protocol.admin;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import org.jspecify.annotations.Nullable;

/**
 * A question about the state of hosts.
 *
 * @param targets the hosts; null for all
 * @param states the states that the hosts may have; null for all
 * @param expand whether the answer lists each host of a group
 * @param limit the highest number of hosts in the answer
 * @param after the rank after which the answer begins; -1 for the first one
 * @param host the one host of which the answer is; "" for none
 * @param refusal makes the refusal of a value
 */
public record StateQuery(
        @Nullable String targets,
        @Nullable String states,
        boolean expand,
        int limit,
        int after,
        String host,
        Fields.Refusal refusal) {
    private static final int MOST_HOSTS = 1000;
    private static final int USUAL_HOSTS = 100;

    public static StateQuery parse(Fields in) {
        return new StateQuery(
                in.optional("targets"),
                in.optional("states"),
                in.flag("expand"),
                in.has("limit") ? (int) in.integer("limit", 1, MOST_HOSTS) : USUAL_HOSTS,
                in.has("after") ? (int) in.integer("after", 0, Idset.MAX_ID) : -1,
                in.textOr("host", ""),
                in.refusal());
    }

    /** Returns the refusal of a value. */
    public RuntimeException fault(String key, String sentence) {
        return refusal.of("/" + key, sentence);
    }
}
