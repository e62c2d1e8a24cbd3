package io.muster.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.terminal.Console;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/**
 * A verb that names targets and takes a reason or cause in words. The nested classes are the verbs that have no other
 * arguments.
 */
public abstract class TargetChange extends Change {
    private static final String LIVENESS =
            "This verb is for health checks and boot scripts. Liveness is the state of a host; a drain is the "
                    + "decision of a person.";

    @Parameters(
            index = "0",
            paramLabel = "TARGETS",
            description = "Ranks, hosts, @PROPERTY, @{EXPR} or all. - reads them from standard input.")
    private String targets = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "REASON",
            parameterConsumer = ReasonWords.class,
            description = "The reason: all words after TARGETS. The journal and `muster why` show it.")
    private String @Nullable [] words;

    private TargetChange(Console console) {
        super(console);
    }

    @Override
    final Command command(FluxClient client) throws IOException {
        return command(targets(targets));
    }

    abstract Command command(String selected);

    @Override
    final String @Nullable [] words() {
        return words;
    }

    final @Nullable String reason() {
        return ReasonWords.join(words);
    }

    final String cause() {
        String text = reason();
        return text == null ? "" : text;
    }

    @CommandLine.Command(
            name = "exclude",
            description = {
                "Exclude hosts: take them down for schedulers now, and do not offer them to the next scheduler.",
                "The hosts stay excluded, also across restarts, until `muster include`. An exclusion ends the hold "
                        + "admin, which drains without --holder place; holds under other names stay. The command prints which "
                        + "holds it ended."
            },
            footer = {"  muster exclude node7 for tests", "  muster exclude --dry-run @login"})
    public static final class Exclude extends TargetChange {
        public Exclude(Console console) {
            super(console);
        }

        @Override
        Command command(String targets) {
            return new MembershipChanges.Exclude(targets, reason());
        }

        @Override
        String unchanged() {
            return "every target is excluded already";
        }
    }

    @CommandLine.Command(
            name = "include",
            description = {
                "Offer excluded or lost hosts to schedulers again.",
                "A scheduler sees the hosts when it next acquires: RFC 28 has no way to add hosts for a scheduler "
                        + "that already holds the resources.",
                "To include hosts that resource.exclude names, change the configuration."
            },
            footer = {"  muster include node7", "  muster include node[0-9] repaired"})
    public static final class Include extends TargetChange {
        public Include(Console console) {
            super(console);
        }

        @Override
        Command command(String targets) {
            return new MembershipChanges.Include(targets, reason());
        }

        @Override
        String unchanged() {
            return "no target is excluded or lost";
        }

        @Override
        void tell(FluxClient client, ObjectNode answer) throws IOException {
            super.tell(client, answer);
            JsonNode included = answer.path("hosts");
            ObjectNode question = JsonNodeFactory.instance.objectNode();
            for (JsonNode scheduler : StateDocument.ask(client, StateDocument.SERVICE, question)
                    .json()
                    .path("schedulers")) {
                List<String> unknown = new ArrayList<>(
                        Hostlist.parse(scheduler.path("unknown").asText()).expand());
                if (included.isTextual()) {
                    unknown.retainAll(
                            new HashSet<>(Hostlist.parse(included.asText()).expand()));
                }
                if (!unknown.isEmpty()) {
                    console()
                            .complain(scheduler.path("name").asText() + " does not know "
                                    + Hostlist.of(unknown).abridged() + " until it acquires again");
                }
            }
        }
    }

    @CommandLine.Command(
            name = "shrink",
            description = {
                "Remove hosts for good (RFC 28): schedulers drop them from their plans.",
                "The hosts do not come back to a scheduler that was sent this change, until it acquires the next R; `muster"
                        + " include` offers them there. On a terminal, the command asks before."
            },
            footer = {"  muster shrink node7 returned to the vendor", "  muster shrink --dry-run @rack4"})
    public static final class Shrink extends TargetChange {
        public Shrink(Console console) {
            super(console);
        }

        @Override
        Command command(String targets) {
            return new MembershipChanges.Shrink(targets, reason());
        }

        @Override
        String question(Hostlist hosts, int nodes) {
            return "This removes " + hosts.size() + " of " + nodes + " hosts for good: " + hosts.abridged()
                    + ". No scheduler gets them back until it acquires the next R.";
        }

        @Override
        String unchanged() {
            return "every target is lost already";
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
            description = {"Report that hosts are up.", LIVENESS},
            footer = {"  muster online node7", "  muster online @rack4 power is back"})
    public static final class Online extends LivenessReport {
        public Online(Console console) {
            super(console, LivenessChange.ONLINE);
        }
    }

    @CommandLine.Command(
            name = "offline",
            description = {"Report that hosts are down, with the cause.", LIVENESS},
            footer = {"  muster offline node7 no answer to ping", "  muster offline @rack4 power failure"})
    public static final class Offline extends LivenessReport {
        public Offline(Console console) {
            super(console, LivenessChange.OFFLINE);
        }
    }

    @CommandLine.Command(
            name = "torpid",
            description = {
                "Report that connected hosts have not been heard from lately. Torpid hosts are down.",
                LIVENESS
            },
            footer = {"  muster torpid node7", "  muster torpid node[0-9] no heartbeat for 60 s"})
    public static final class Torpid extends LivenessReport {
        public Torpid(Console console) {
            super(console, LivenessChange.TORPID);
        }
    }

    @CommandLine.Command(
            name = "lively",
            description = {"Report that torpid hosts have been heard from again.", LIVENESS},
            footer = {"  muster lively node7", "  muster lively node[0-9]"})
    public static final class Lively extends LivenessReport {
        public Lively(Console console) {
            super(console, LivenessChange.LIVELY);
        }
    }
}
