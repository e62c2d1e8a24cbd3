package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.feasibility.Answer;
import io.muster.inventory.feasibility.Verdict;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The response to {@code feasibility.check} if the request asks for an explanation: {@code {mode, verdict, sentence,
 * most_slots, nodes, ranks, hosts, remarks}}.
 *
 * @param now whether the question was about the nodes that are up (mode {@code now}) or about all nodes (mode {@code ever})
 * @param nodes number of nodes in the inventory
 * @param hosts names of the hosts in {@link Answer#hosts}
 */
public record FeasibilityAnswer(boolean now, Answer answer, int nodes, Hostlist hosts) {
    private static final int LONGEST = 1000;

    /**
     * Returns the response with an answer.
     *
     * @param r inventory that {@code answer} is about
     */
    public static FeasibilityAnswer of(boolean now, Answer answer, ResourceSet r) {
        Answer shown = new Answer(
                answer.verdict(),
                brief(answer.sentence()),
                answer.mostSlots(),
                answer.hosts(),
                List.of(),
                answer.remarks());
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
        json.put("mode", now ? "now" : "ever");
        json.put("verdict", answer.verdict().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        json.put("sentence", answer.sentence());
        json.put("most_slots", answer.mostSlots());
        json.put("nodes", nodes);
        json.put("ranks", answer.hosts().toString());
        json.put("hosts", hosts.toString());
        ArrayNode list = json.putArray("remarks");
        answer.remarks().forEach(list::add);
        return json;
    }

    /**
     * Reads a payload.
     *
     * @throws RpcException EPROTO if the server's response is something else
     */
    public static FeasibilityAnswer parse(ObjectNode json) {
        try {
            return read(json);
        } catch (MalformedException e) {
            throw new RpcException(Errno.EPROTO, "the server's answer cannot be read: " + e.getMessage());
        }
    }

    private static FeasibilityAnswer read(ObjectNode json) {
        List<String> remarks = new ArrayList<>();
        json.path("remarks").forEach(remark -> remarks.add(remark.asText()));
        Answer answer = new Answer(
                verdict(json.path("verdict").asText()),
                json.path("sentence").asText(),
                json.path("most_slots").asLong(-1),
                Idset.parse(json.path("ranks").asText()),
                List.of(),
                remarks);
        return new FeasibilityAnswer(
                json.path("mode").asText().equals("now"),
                answer,
                json.path("nodes").asInt(),
                Hostlist.parse(json.path("hosts").asText()));
    }

    private static Verdict verdict(String word) {
        try {
            return Verdict.valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException e) {
            throw new RpcException(Errno.EPROTO, "the server's verdict \"" + word + "\" is none that is known here");
        }
    }
}
