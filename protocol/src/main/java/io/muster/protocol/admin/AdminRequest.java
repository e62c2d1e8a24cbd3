package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Once;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import org.jspecify.annotations.Nullable;

/**
 * A request to carry out a command: see {@link AdminMethod}. A request with an id becomes a command that is carried out {@link Once}.
 *
 * @param dryRun whether the daemon should change nothing and respond with what would happen
 */
public record AdminRequest(Command command, boolean dryRun) {
    /**
     * The highest number of bytes in the payload of a change. The core thread reads and decides a change at once, so the limit
     * keeps that thread free for other requests.
     */
    public static final int LARGEST = 256 << 10;

    /** The highest number of bytes in the payload of {@code resource.annotate}, which the core thread only reads. */
    public static final int LARGEST_ANNOTATION = 1 << 20;

    private static final String DRY_RUN = "dry-run";

    /** Returns the refusal of a payload that is too large; null for any other payload. */
    public static @Nullable RpcException refusal(AdminMethod method, int bytes) {
        int largest = method == AdminMethod.ANNOTATE ? LARGEST_ANNOTATION : LARGEST;
        return bytes <= largest
                ? null
                : new RpcException(
                        Errno.EINVAL,
                        method.topic() + ": the request has " + bytes + " bytes, but a change may have at most "
                                + largest + ": name fewer targets or properties in each request");
    }

    public static AdminRequest parse(AdminMethod method, @Nullable ObjectNode payload) {
        ChangeId id = RequestId.take(method.topic(), payload);
        AdminMethod.Reader in = new AdminMethod.Reader(method, payload);
        Command command = method.read(in);
        return new AdminRequest(
                id == null ? command : new Once(command, id), in.fields().flag(DRY_RUN));
    }

    /**
     * Returns whether the response describes the change. Flux-core's responses have no payload, so the response to a method of flux-core
     * describes the change only if the request has an id, which programs of Flux never send.
     */
    public boolean isAnsweredInWords() {
        return command instanceof Once || !AdminMethod.of(command).isOfFlux();
    }

    /** Returns the topic and the payload with which a client requests {@code command}. */
    public static Call call(Command command, boolean dryRun) {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        AdminMethod method = AdminMethod.of(command);
        method.write(command, payload);
        if (dryRun) {
            payload.put(DRY_RUN, true);
        }
        return new Call(method.topic(), payload);
    }

    public record Call(String topic, ObjectNode payload) {}
}
