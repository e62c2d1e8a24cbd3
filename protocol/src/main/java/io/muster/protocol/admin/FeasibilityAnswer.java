package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.feasibility.Assessment;
import io.muster.inventory.feasibility.Verdict;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Json;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The response to {@code feasibility.check} if the request asks for an explanation: {@code {schema_version, mode, verdict, sentence,
 * most_slots, nodes, ranks, hosts, remarks}}.
 *
 * @param now whether the question was about the nodes that are up (mode {@code now}) or about all nodes (mode {@code ever})
 * @param nodes number of nodes in the inventory
 * @param hosts names of the hosts in {@link Assessment#hosts}
 */
public record FeasibilityAnswer(boolean now, Assessment answer, int nodes, Hostlist hosts) {
    private static final int LONGEST = 1000;

    /**
     * Returns the response with an answer.
     *
     * @param r inventory that {@code answer} is about
     */
    public static FeasibilityAnswer of(boolean now, Assessment answer, ResourceSet r) {
        Assessment shown = new Assessment(
                answer.verdict(), brief(answer.sentence()), answer.mostSlots(), answer.hosts(), answer.remarks());
        return new FeasibilityAnswer(now, shown, r.nodes(), r.hostsOf(answer.hosts()));
    }

    /** Shortens a sentence, because sentences quote requests, and a request may be as long as a frame. */
    private static String brief(String sentence) {
        return sentence.codePointCount(0, sentence.length()) <= LONGEST
                ? sentence
                : sentence.substring(0, sentence.offsetByCodePoints(0, LONGEST - 3)) + "...";
    }

    /**
     * Returns the response to a request without further keys, which follows RFC 27: an error, or null if nothing rules the
     * job out. An answer that is not proven is no refusal. The error numbers are those of Flux's schedulers.
     */
    public @Nullable RpcException refusal() {
        return switch (answer.verdict()) {
            case YES, UNKNOWN -> null;
            case NEVER -> new RpcException(Errno.EOVERFLOW, answer.sentence());
            case INVALID -> new RpcException(Errno.EINVAL, answer.sentence());
            case NOT_NOW -> new RpcException(Errno.EBUSY, answer.sentence());
        };
    }

    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("schema_version", Json.SCHEMA_VERSION).put("mode", now ? "now" : "ever");
        json.put("verdict", word(answer.verdict()));
        json.put("sentence", answer.sentence());
        json.put("most_slots", answer.mostSlots());
        json.put("nodes", nodes);
        json.put("ranks", answer.hosts().toString());
        json.put("hosts", hosts.toString());
        ArrayNode list = json.putArray("remarks");
        answer.remarks().forEach(list::add);
        return json;
    }

    private static String word(Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
