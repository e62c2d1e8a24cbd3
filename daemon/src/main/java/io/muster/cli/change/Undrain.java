package io.muster.cli.change;

import io.muster.cli.ask.TargetNames;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.status.Conflict;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster undrain}. */
@CommandLine.Command(
        name = "undrain",
        description = "End a hold on hosts, so that they are scheduled again once no other hold is left.",
        footer = {"", "All targets are undrained or none. -ff without --holder ends everybody's holds."})
public final class Undrain extends Change {
    @Parameters(index = "0", paramLabel = "TARGETS", description = "Ranks, hosts, @PROPERTY or all.")
    private String targets = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "COMMENT",
            parameterConsumer = ReasonWords.class,
            description = "All further words, for the journal.")
    private String @Nullable [] comment;

    @Mixin
    private final OverwriteOptions force;

    @Option(names = "--holder", paramLabel = "NAME", description = "Whose hold to end. Default: admin, shared by all.")
    private @Nullable String holder;

    public Undrain(Console console) {
        super(console);
        this.force = new OverwriteOptions();
    }

    /**
     * Creates the verb without picocli.
     *
     * @param force -u, -f, or neither
     */
    public Undrain(Console console, String force, String targets, String... comment) {
        super(console);
        this.force = new OverwriteOptions(force);
        this.targets = targets;
        this.comment = comment.length == 0 ? null : comment;
    }

    @Override
    Command command(FluxClient client) throws IOException {
        return new HoldChanges.Undrain(
                TargetNames.spell(client, targets), ReasonWords.join(comment), force.mode(), holder);
    }

    @Override
    boolean takesDeparted() {
        return true;
    }

    @Override
    boolean needsMuster() {
        return holder != null;
    }

    @Override
    @Nullable
    Failure explain(RpcException refusal, FluxClient client) throws IOException {
        boolean foreign = refusal.errno().equals(Errno.EBUSY);
        if (!foreign && !refusal.errno().equals(Errno.EEXIST)) {
            return null;
        }
        Conflict conflict = conflict(client, targets);
        String holderName = holder == null ? Hold.SHARED : holder;
        String sentence = foreign ? conflict.heldByOthersThan(holderName) : conflict.notDrained();
        return new Failure(
                Exit.CONFLICT,
                sentence.isEmpty() ? refusal.sentence() : sentence,
                foreign
                        ? "nothing was changed; --holder NAME names the hold to end, -ff ends everybody's"
                        : "nothing was changed; -u passes over what is not drained");
    }
}
