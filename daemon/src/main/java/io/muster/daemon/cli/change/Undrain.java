package io.muster.daemon.cli.change;

import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Exit;
import io.muster.daemon.cli.console.Failure;
import io.muster.daemon.cli.console.Targets;
import io.muster.daemon.cli.query.Conflict;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Hold;
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
            parameterConsumer = Words.class,
            description = "All further words, for the journal.")
    private String @Nullable [] comment;

    @Mixin
    private final Force force;

    @Option(names = "--holder", paramLabel = "NAME", description = "Whose hold to end. Default: admin, shared by all.")
    private @Nullable String holder;

    public Undrain(Console console) {
        super(console);
        this.force = new Force();
    }

    /** @param force -u, -f, or neither */
    public Undrain(Console console, String force, String targets, String... comment) {
        super(console);
        this.force = new Force(force);
        this.targets = targets;
        this.comment = comment.length == 0 ? null : comment;
    }

    @Override
    Command command(FluxClient client) throws IOException {
        return new Command.Undrain(Targets.spell(client, targets), Words.join(comment), force.mode(), holder);
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
        String whose = holder == null ? Hold.SHARED : holder;
        String sentence = foreign ? conflict.heldByOthersThan(whose) : conflict.notDrained();
        return new Failure(
                Exit.CONFLICT,
                sentence.isEmpty() ? refusal.sentence() : sentence,
                foreign
                        ? "nothing was changed; --holder NAME names the hold to end, -ff ends everybody's"
                        : "nothing was changed; -u passes over what is not drained");
    }
}
