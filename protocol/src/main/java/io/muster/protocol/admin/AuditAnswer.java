package io.muster.protocol.admin;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.status.Belief;
import io.muster.protocol.rpc.RpcException;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The request {@code resource.audit-answer}, in which a reporter answers a question that it was sent in the stream of
 * {@code resource.report}: {@code {audit: NUMBER}}, what does your scheduler believe? or {@code {jobs: NUMBER, property-remove: {NAME:
 * IDSET}}}, how many waiting jobs have too few hosts if these lose the properties?
 *
 * @param question the number of the question; 0 if the reporter only says that it answers questions
 * @param seconds how long the scheduler took, with the time that the question waited for it
 * @param cost how long the scheduler took without that time, as far as the reporter knows
 * @param error why there is no belief; "" if there is one
 * @param jobs the number of jobs; null if the answer is about the belief, negative if the number is not known
 */
public record AuditAnswer(
        long question,
        double seconds,
        double cost,
        String error,
        @Nullable Belief belief,
        @Nullable Long jobs) {
    public static final String TOPIC = "resource.audit-answer";

    /** The key of a question in the stream of a reporter. */
    public static final String QUESTION = "audit";

    /** The key of a question about jobs in the stream of a reporter. */
    public static final String JOBS = "jobs";

    /** @throws RpcException EPROTO if a key is missing or has the wrong type */
    public static AuditAnswer parse(Fields in) {
        return new AuditAnswer(
                in.integer("question", 0, Long.MAX_VALUE),
                in.has("seconds") ? in.number("seconds") : 0,
                in.has("cost") ? in.number("cost") : 0,
                in.textOr("error", ""),
                in.has("belief") ? belief(in.object("belief")) : null,
                in.has(JOBS) ? in.integer(JOBS, -1, Long.MAX_VALUE) : null);
    }

    private static Belief belief(Fields in) {
        in.only("is not a key of a belief", "known", "down", "parts", "properties");
        return new Belief(
                in.parse("known", Idset::parse),
                in.parse("down", Idset::parse),
                in.has("parts") ? ranks(in.object("parts")) : null,
                ranks(in.object("properties")));
    }

    static SortedMap<String, Idset> ranks(Fields in) {
        SortedMap<String, Idset> all = new TreeMap<>();
        in.names().forEach(name -> all.put(name, in.parse(name, Idset::parse)));
        return all;
    }
}
