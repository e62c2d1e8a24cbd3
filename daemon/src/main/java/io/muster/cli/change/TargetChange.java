package io.muster.cli.change;

import io.muster.cli.ask.TargetNames;
import io.muster.cli.terminal.Console;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/**
 * A verb that names targets and takes a reason or cause in words. The nested classes are the verbs that have no other
 * arguments.
 */
public abstract class TargetChange extends Change {
    private static final String LIVENESS =
            "For health checks and boot scripts: liveness is a host's state, drain is somebody's decision.";

    @Parameters(index = "0", paramLabel = "TARGETS", description = "Ranks, hosts, @PROPERTY or all.")
    private String targets = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "REASON",
            parameterConsumer = ReasonWords.class,
            description = "All further words; they go to the journal, and to `muster why`.")
    private String @Nullable [] words;

    private TargetChange(Console console) {
        super(console);
    }

    @Override
    final Command command(FluxClient client) throws IOException {
        return command(TargetNames.spell(client, targets));
    }

    /**
     * Returns the command.
     *
     * @param spelt targets as {@link TargetNames#spell} returns them
     */
    abstract Command command(String spelt);

    final @Nullable String words() {
        return ReasonWords.join(words);
    }

    final String cause() {
        String text = words();
        return text == null ? "" : text;
    }

    @CommandLine.Command(
            name = "exclude",
            description =
                    "Withhold hosts from schedulers: down at once, and not offered to the next one that acquires.",
            footer = {"", "Ends all holds on them. They stay excluded, over restarts too, until `muster include`."})
    public static final class Exclude extends TargetChange {
        public Exclude(Console console) {
            super(console);
        }

        @Override
        Command command(String targets) {
            return new MembershipChanges.Exclude(targets, words());
        }
    }

    @CommandLine.Command(
            name = "include",
            description = "Offer excluded or lost hosts again.",
            footer = {
                "",
                "Schedulers see them when they acquire the next time: RFC 28 has no way to tell one that holds the resources already.",
                "What resource.exclude in the configuration names is included there."
            })
    public static final class Include extends TargetChange {
        public Include(Console console) {
            super(console);
        }

        @Override
        Command command(String targets) {
            return new MembershipChanges.Include(targets, words());
        }

        @Override
        boolean takesDeparted() {
            return true;
        }
    }

    @CommandLine.Command(
            name = "shrink",
            description = "Say that hosts have left for good (RFC 28): schedulers drop them from what they plan with.",
            footer = {
                "",
                "They do not come back to a scheduler that was told; `muster include` offers them to the next."
            })
    public static final class Shrink extends TargetChange {
        public Shrink(Console console) {
            super(console);
        }

        @Override
        Command command(String targets) {
            return new MembershipChanges.Shrink(targets, words());
        }
    }

    /** A verb that reports the liveness of hosts. */
    abstract static class LivenessReport extends TargetChange {
        private final LivenessChange change;

        LivenessReport(Console console, LivenessChange change) {
            super(console);
            this.change = change;
        }

        @Override
        final Command command(String targets) {
            return new LivenessChanges.SetLiveness(change, targets, cause());
        }
    }

    @CommandLine.Command(
            name = "online",
            description = "Report that hosts are up.",
            footer = {"", LIVENESS})
    public static final class Online extends LivenessReport {
        public Online(Console console) {
            super(console, LivenessChange.ONLINE);
        }
    }

    @CommandLine.Command(
            name = "offline",
            description = "Report that hosts are down, with the cause.",
            footer = {"", LIVENESS})
    public static final class Offline extends LivenessReport {
        public Offline(Console console) {
            super(console, LivenessChange.OFFLINE);
        }
    }

    @CommandLine.Command(
            name = "torpid",
            description =
                    "Report that hosts are connected, but have not been heard from lately; they are down until lively.",
            footer = {"", LIVENESS})
    public static final class Torpid extends LivenessReport {
        public Torpid(Console console) {
            super(console, LivenessChange.TORPID);
        }
    }

    @CommandLine.Command(
            name = "lively",
            description = "Report that torpid hosts are heard from again.",
            footer = {"", LIVENESS})
    public static final class Lively extends LivenessReport {
        public Lively(Console console) {
            super(console, LivenessChange.LIVELY);
        }
    }
}
