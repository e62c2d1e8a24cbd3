package io.muster.cli.change;

import io.muster.cli.ask.DrainList;
import io.muster.cli.ask.PurposeOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.When;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.HoldChanges;
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
        description = {
            "Drain hosts: keep them from being scheduled, for a reason. Without targets, list the drained hosts.",
            "The hosts stay drained, also across restarts, until `muster undrain`. Either all targets are "
                    + "drained or none.",
            "Separate hosts by commas: all words after TARGETS are the reason. A reason that begins with a host or"
                    + " @PROPERTY, or has ranks only, is refused; if you mean it, put -- before it.",
            "Each holder keeps its own hold on a host. The host is scheduled again when its last hold has ended.",
            "With --from, the hold is planned: it begins at that time by itself, for the hosts that TARGETS name now. Schedulers are"
                    + " told when it begins and not before, because their protocol (RFC 28) cannot announce it; jobs that run then"
                    + " go on. `muster undrain --planned` cancels it."
        },
        footer = {
            "  muster drain --class=hardware --ticket=OPS-881 node7 bad fan",
            "  muster drain --holder=ops --from='2030-12-01 08:00' --for=12h @rack3 new cooling",
            "  muster drain --action=reboot --until-check=nhc node7 new kernel"
        })
public final class Drain extends Change {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "TARGETS",
            description = "Ranks, hosts, @PROPERTY, @{EXPR} or all. - reads them from standard input.")
    private @Nullable String targets;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "REASON",
            parameterConsumer = ReasonWords.class,
            description = "The reason: all words after TARGETS.")
    private String @Nullable [] reason;

    @Mixin
    private final OverwriteOptions.OfDrain force = new OverwriteOptions.OfDrain();

    @Option(
            names = "--holder",
            paramLabel = "NAME",
            description = "Hold the hosts under this name. Default: admin, which all users share.")
    private String holder = Hold.SHARED;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "Begin the hold at that time, which is given as for --until.")
    private @Nullable String from;

    @Mixin
    private final PurposeOptions purpose = new PurposeOptions();

    @Option(
            names = {"--until", "--for"},
            paramLabel = "TIME",
            description =
                    "End this hold at that time. One that waits for a check or an action goes on, and an event says that it is overdue."
                            + " 4h means in 4 hours, or 4 hours after --from, and \"tue 16:00\" the next Tuesday at that time. Forms: "
                            + When.FORMS + ".")
    private @Nullable String until;

    @Option(
            names = "--until-check",
            paramLabel = "CHECK",
            description =
                    "End this hold when a check of the host passes: a name from holds.checks. `muster check-node` and `muster"
                            + " check-result` report.")
    private String check = "";

    @Option(
            names = "--action",
            paramLabel = "ACTION",
            description =
                    "Ask for an action on each host when it is idle: a name from holds.actions. `muster work` shows and claims the"
                            + " work. This needs the right action.")
    private String action = "";

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
        if (targets == null && from == null && until == null) {
            list.print(client, console(), zone.zone(console()), json(), purpose);
            return Exit.OK;
        } else if (targets == null) {
            String given = from == null ? "--until" : "--from";
            throw new Failure(Exit.USAGE, given + ": there are no TARGETS", "name the hosts that will be drained");
        } else if (from != null && waitsForIdle()) {
            throw new Failure(
                    Exit.USAGE,
                    "--wait=idle: a planned hold drains no host yet",
                    "leave --wait=idle out, and wait when the hold has begun");
        } else if (list.isOfPlans()) {
            throw new Failure(Exit.USAGE, "--planned lists planned holds", "--from TIME plans a hold on TARGETS");
        }
        return super.run(client);
    }

    @Override
    String @Nullable [] words() {
        return reason;
    }

    @Override
    Command command(FluxClient client) throws IOException {
        double now = console().now();
        double begin = from == null ? 0 : zone.future(from, console());
        if (from != null && begin <= now) {
            throw new Failure(Exit.USAGE, "--from: " + from + " is in the past", "without --from, the hold begins now");
        }
        double end = until == null ? 0 : When.future(until, zone.zone(console()), Math.max(begin, now));
        if (until != null && end <= now) {
            throw new Failure(
                    Exit.USAGE, "--until: " + until + " is in the past", "without --until, the hold has no end");
        } else if (until != null && end <= begin) {
            throw new Failure(
                    Exit.USAGE,
                    "--until: " + until + " is before --from, " + from,
                    "the hold would end before it begins");
        }
        Purpose words = purpose.purpose();
        return new HoldChanges.Drain(
                targets(String.valueOf(targets)),
                ReasonWords.join(reason),
                force.mode(),
                holder,
                begin,
                end,
                0,
                new Purpose(words.category(), words.ticket(), check, action));
    }

    @Override
    String advice(RpcException refusal) {
        if (refusal.errno().equals(Errno.EBUSY)) {
            return "include the hosts first with `muster include`, or leave them out";
        }
        if (!refusal.errno().equals(Errno.EEXIST)) {
            return "";
        }
        return from == null
                ? "-u skips drained targets, -f gives them the new reason"
                : "-u skips targets with this planned hold, -f changes it; `muster drain --planned` shows it";
    }
}
