package io.muster.protocol.operation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Once;
import io.muster.protocol.admin.RequestId;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request to carry out a command. A request with an id becomes a command that is carried out {@link Once}.
 *
 * @param dryRun whether the daemon should change nothing and respond with what would happen
 * @param seq the sequence number of the inventory that the client has seen, if the change must not be made in another state; -1 for any
 *     state
 * @param selection null if the command has its targets already
 */
public record ChangeRequest(
        Command command, boolean dryRun, long seq, @Nullable Selection selection) {
    private static final String DRY_RUN = "dry-run";
    private static final String SEQ = "if-seq";

    /**
     * Targets that the daemon has to find, as people write them: {@code all}, {@code @PROPERTY}, {@code @{EXPRESSION}} and paths of
     * vertices, besides ranks and hosts.
     *
     * @param with returns the command for the targets that were found
     */
    public record Selection(String text, Function<String, Command> with) {}

    public ChangeRequest(Command command, boolean dryRun) {
        this(command, dryRun, -1, null);
    }

    /** Reads a payload, which this method may change. */
    static ChangeRequest parse(String topic, ChangeForm<?> form, ObjectNode payload) {
        ChangeForm.Reader in = new ChangeForm.Reader(topic, payload);
        long seq = in.fields().has(SEQ) ? in.fields().integer(SEQ, 0, Long.MAX_VALUE) : -1;
        payload.remove(SEQ);
        ChangeId id = RequestId.take(topic, payload);
        Command plain = form.read().apply(in);
        Command command = once(plain, id);
        String text = in.selected();
        if (text != null && !form.hasTargets(plain)) {
            throw in.fields().fault(ChangeForm.SELECT, "is not a key of this request");
        }
        Selection selection = text == null
                ? null
                : new Selection(text, targets -> {
                    ObjectNode found = payload.deepCopy();
                    found.remove(ChangeForm.SELECT);
                    found.put(ChangeForm.TARGETS, targets);
                    return once(form.read().apply(new ChangeForm.Reader(topic, found)), id);
                });
        return new ChangeRequest(command, in.fields().flag(DRY_RUN), seq, selection);
    }

    private static Command once(Command command, @Nullable ChangeId id) {
        return id == null ? command : new Once(command, id);
    }

    /** Returns the request with the targets that were found for its selection. */
    public ChangeRequest found(String targets) {
        return selection == null ? this : new ChangeRequest(selection.with.apply(targets), dryRun, seq, null);
    }

    /** Returns the topic and the payload with which a client requests {@code command}. */
    public static Call call(Command command, boolean dryRun) {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        Operation<?, ?> operation = Operations.of(command);
        operation.form().write(command, payload);
        if (dryRun) {
            payload.put(DRY_RUN, true);
        }
        return new Call(operation.topic(), payload);
    }

    public record Call(String topic, ObjectNode payload) {}
}
