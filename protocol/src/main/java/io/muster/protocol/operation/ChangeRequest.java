package io.muster.protocol.operation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.json.Fields;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Expected;
import io.muster.inventory.state.Once;
import io.muster.protocol.admin.RequestId;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request to carry out a command. A request with an id becomes a command that is carried out {@link Once}.
 *
 * @param dryRun whether the daemon should change nothing and respond with what would happen
 * @param seq the sequence number of the inventory that the client has seen, if the change must not be made in another state; -1 for any
 *     state
 * @param targets the targets of the command, one for each property; empty if it has none
 * @param selects whether the targets are given as people write them, so that the answer is for people too
 * @param selection null if the command has its targets already
 */
public record ChangeRequest(
        Command command,
        boolean dryRun,
        long seq,
        List<String> targets,
        boolean selects,
        @Nullable Selection selection) {
    private static final String DRY_RUN = "dry-run";
    private static final String SEQ = "if-seq";
    private static final String EXPECT = "expect";
    private static final String MEANT = "reason-meant";

    public ChangeRequest {
        targets = List.copyOf(targets);
    }

    /**
     * Targets that the daemon has to find, as people write them: {@code all}, {@code @PROPERTY}, {@code @{EXPRESSION}} and paths of
     * vertices, besides ranks and hosts.
     *
     * @param reason the reason, if targets at its beginning are to be refused; "" otherwise
     * @param with returns the command for the targets that were found, in the order of the texts
     */
    public record Selection(List<String> texts, String reason, Function<List<String>, Command> with) {
        public Selection {
            texts = List.copyOf(texts);
        }
    }

    /** Returns the same request for another command, whose targets are known. */
    public ChangeRequest with(Command other) {
        return new ChangeRequest(other, dryRun, -1, List.of(), selects, null);
    }

    /** Reads a payload, which this method may change. */
    static ChangeRequest parse(ChangeForm<?> form, ObjectNode payload) {
        String topic = form.topic();
        ChangeForm.Reader in = new ChangeForm.Reader(topic, payload);
        long seq = in.fields().has(SEQ) ? in.fields().integer(SEQ, 0, Long.MAX_VALUE) : -1;
        payload.remove(SEQ);
        ChangeId id = RequestId.take(topic, payload);
        String expected = expected(in.fields());
        Command plain = form.read().apply(in);
        List<String> texts = in.read();
        boolean ofProperties = in.isOfProperties();
        if (in.selected() != null && (texts.isEmpty() || ofProperties)) {
            throw in.fields().fault(ChangeForm.SELECT, "is not a key of this request");
        } else if (!expected.isEmpty() && texts.isEmpty()) {
            throw in.fields().fault(EXPECT, "is not a key of this request");
        }
        boolean selects = in.selected() != null || ofProperties;
        boolean dryRun = in.fields().flag(DRY_RUN);
        boolean isMeant = in.fields().flag(MEANT);
        if (!selects) {
            return new ChangeRequest(once(expect(plain, texts, expected), id), dryRun, seq, texts, false, null);
        }
        Function<List<String>, Command> with = found -> {
            Command command =
                    form.read().apply(new ChangeForm.Reader(topic, ChangeForm.replaced(payload, ofProperties, found)));
            return once(expect(command, found, expected), id);
        };
        String reason = isMeant ? "" : in.fields().textOr("reason", in.fields().textOr("cause", ""));
        return new ChangeRequest(once(plain, id), dryRun, seq, texts, true, new Selection(texts, reason, with));
    }

    /** Returns the hosts that a person has confirmed, or their digest; "" if the request has none. */
    private static String expected(Fields in) {
        String text = in.textOr(EXPECT, "");
        if (in.has(EXPECT) && text.isEmpty()) {
            throw in.fault(EXPECT, "must name hosts");
        }
        try {
            return Expected.isDigest(text) ? text : Hostlist.parse(text).toString();
        } catch (MalformedException e) {
            throw in.fault(EXPECT, "is malformed: " + e.getMessage());
        }
    }

    private static Command expect(Command command, List<String> targets, String expected) {
        return expected.isEmpty() ? command : new Expected(command, targets, expected);
    }

    private static Command once(Command command, @Nullable ChangeId id) {
        return id == null ? command : new Once(command, id);
    }

    /** Returns the request with the targets that were found for its selection. */
    public ChangeRequest found(List<String> found) {
        return selection == null
                ? this
                : new ChangeRequest(selection.with.apply(found), dryRun, seq, found, selects, null);
    }

    /** Returns the topic and the payload with which a client requests {@code command}. */
    public static Call call(Command command, boolean dryRun) {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        ChangeForm<?> form = ChangeForm.of(command);
        form.write(command, payload);
        if (dryRun) {
            payload.put(DRY_RUN, true);
        }
        return new Call(form.topic(), payload);
    }

    public record Call(String topic, ObjectNode payload) {}
}
