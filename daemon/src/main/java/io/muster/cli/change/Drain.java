package io.muster.cli.change;

import io.muster.cli.ask.DrainList;
import io.muster.cli.ask.TargetNames;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.When;
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

/** {@code muster drain}. */
@CommandLine.Command(
        name = "drain",
        description = "Keep hosts from being scheduled, and say why; without targets, list those that are kept so.",
        footer = {
            "",
            "The hosts stay drained, over restarts too, until `muster undrain`. All targets are drained or none.",
            "Separate several hosts by commas: the words after the first are the reason. A reason whose words are all hosts or"
                    + " ranks is refused; put -- before it if it is meant.",
            "A holder is who keeps a host: draining under another name adds a hold of its own, and a host is back only"
                    + " when its last hold has ended."
        })
public final class Drain extends Change {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "TARGETS",
            description = "Ranks, hosts, @PROPERTY or all; - reads them from standard input.")
    private @Nullable String targets;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "REASON",
            parameterConsumer = ReasonWords.class,
            description = "All further words.")
    private String @Nullable [] reason;

    @Mixin
    private final OverwriteOptions.OfDrain force = new OverwriteOptions.OfDrain();

    @Option(
            names = "--holder",
            paramLabel = "NAME",
            description = "Hold under this name. Default: admin, shared by all.")
    private String holder = Hold.SHARED;

    @Option(
            names = {"--until", "--for"},
            paramLabel = "TIME",
            description = "End this hold at that time. 4h means in 4 hours, and \"tue 16:00\" the next Tuesday at that time."
                    + " Forms: " + When.FORMS + ".")
    private @Nullable String until;

    @Mixin
    private final DrainList list = new DrainList();

    public Drain(Console console) {
        super(console);
    }

    /**
     * Creates the verb without picocli.
     *
     * @param force -u, -f, or neither
     */
    public Drain(Console console, String force, String targets, String... reason) {
        super(console);
        this.force.set(force);
        this.targets = targets;
        this.reason = reason.length == 0 ? null : reason;
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        if (targets == null) {
            list.print(client, console(), zone.zone(console()), json());
            return Exit.OK;
        }
        return super.run(client);
    }

    @Override
    Command command(FluxClient client) throws IOException {
        targets = targets(client, String.valueOf(targets), reason);
        double end = until == null ? 0 : zone.future(until, console());
        return new HoldChanges.Drain(
                TargetNames.spellMembers(client, targets), ReasonWords.join(reason), force.mode(), holder, end);
    }

    @Override
    boolean needsMuster() {
        return until != null || !holder.equals(Hold.SHARED);
    }

    @Override
    @Nullable
    Failure explain(RpcException refusal, FluxClient client) throws IOException {
        Conflict conflict = conflict(client, TargetNames.spellMembers(client, String.valueOf(targets)));
        String excluded = conflict.excluded();
        if (!excluded.isEmpty()) {
            return new Failure(
                    Exit.CONFLICT, excluded, "nothing was changed; `muster include` first, or leave them out");
        }
        if (!refusal.errno().equals(Errno.EEXIST)) {
            return null;
        }
        String drained = conflict.drainedBy(holder);
        return new Failure(
                Exit.CONFLICT,
                drained.isEmpty() ? refusal.sentence() : drained,
                "nothing was changed; -u leaves what is drained as it is, -f gives it the new reason");
    }
}
