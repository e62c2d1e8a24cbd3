package io.muster.cli.change;

import io.muster.cli.ask.TargetNames;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.graph.Paths;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.NoteChanges;
import io.muster.inventory.state.TargetExpression;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/** {@code muster tag add}, {@code muster tag remove} and {@code muster mark}. */
public abstract class NoteChange extends Change {
    private static final String PATHS =
            "A path names a vertex of the resource graph, as in /cluster0/node7/gpu3 or power:/power0/pdu3. Its names may have "
                    + "brackets: /cluster0/node[0-9]/gpu3. @{EXPR} names the vertices that `muster find EXPR` finds.";
    private static final String KEPT =
            "Tags and marks follow the host when ranks change, and come back with a host that leaves and returns.";

    @Parameters(
            index = "0",
            paramLabel = "TARGETS|PATH",
            description =
                    "Ranks, hosts, @PROPERTY or all, or the path of a vertex. - reads any of them from standard input.")
    private String place = "";

    private NoteChange(Console console) {
        super(console);
    }

    abstract NoteEdit edit();

    @Override
    final Command command(FluxClient client) throws IOException {
        List<String> hosts = new ArrayList<>();
        List<String> paths = new ArrayList<>();
        for (String word : TargetNames.read(console(), List.of(place))) {
            for (String part : TargetExpression.parts(word)) {
                if (part.startsWith("@{")) {
                    paths.addAll(TargetNames.paths(client, part));
                } else {
                    (Paths.isPath(part) ? paths : hosts).add(part);
                }
            }
        }
        return new NoteChanges.Annotate(String.join(",", hosts), paths, edit());
    }

    /** {@code muster tag add} and {@code muster tag remove}. */
    private abstract static class TagChange extends NoteChange {
        @Parameters(
                index = "1..*",
                arity = "1..*",
                paramLabel = "KEY[=VALUE]...",
                hideParamSyntax = true,
                description = "The tags. The value of a tag may be empty.")
        private List<String> tags = List.of();

        TagChange(Console console) {
            super(console);
        }

        final NoteEdit edit(boolean add) {
            SortedMap<String, Optional<String>> edits = new TreeMap<>();
            for (String tag : tags) {
                int at = tag.indexOf('=');
                if (!add && at >= 0) {
                    throw new Failure(Exit.USAGE, tag + ": give the key alone, without =VALUE");
                }
                String key = at < 0 ? tag : tag.substring(0, at);
                edits.put(key, add ? Optional.of(at < 0 ? "" : tag.substring(at + 1)) : Optional.empty());
            }
            return new NoteEdit(edits, null, new TreeMap<>());
        }
    }

    @CommandLine.Command(
            name = "add",
            description = {
                "Tag vertices of the resource graph, such as hosts and GPUs. Schedulers are not sent tags.",
                PATHS,
                KEPT
            },
            footer = {"  muster tag add node7 firmware=7.1", "  muster tag add /cluster0/node7/gpu3 suspect ticket=4711"
            })
    public static final class Add extends TagChange {
        public Add(Console console) {
            super(console);
        }

        @Override
        NoteEdit edit() {
            return edit(true);
        }

        @Override
        String unchanged() {
            return "every vertex has these tags already";
        }
    }

    @CommandLine.Command(
            name = "remove",
            description = {
                "Take tags from vertices of the resource graph.",
                "A vertex without the tag is not an error. If no vertex has it, the command says that nothing was changed."
            },
            footer = {"  muster tag remove node7 firmware", "  muster tag remove /cluster0/node7/gpu3 suspect"})
    public static final class Remove extends TagChange {
        public Remove(Console console) {
            super(console);
        }

        @Override
        NoteEdit edit() {
            return edit(false);
        }

        @Override
        String unchanged() {
            return "no vertex has these tags";
        }
    }

    @CommandLine.Command(
            name = "mark",
            description = {
                "Mark vertices of the resource graph with a state: up, down, degraded, failing or unknown. none removes the mark.",
                "A mark does not take a host down: `muster drain` does. A scheduler that takes marks, such as Fluxion on the"
                        + " bridge, starts no job on a part of a host or a rack that is marked down; `muster why` says whether"
                        + " it has the mark. `muster feasible --now` does not count vertices that are marked down.",
                PATHS,
                KEPT
            },
            footer = {
                "  muster mark /cluster0/node7/gpu3 failing ECC errors",
                "  muster mark node[0-3] degraded one fan is slow",
                "  muster mark /cluster0/node7/gpu3 none"
            })
    public static final class Mark extends NoteChange {
        private static final String NONE = "none";

        @Parameters(index = "1", paramLabel = "MARK", description = "The state, or none.")
        private String state = "";

        @Parameters(
                index = "2..*",
                arity = "0..*",
                paramLabel = "REASON",
                parameterConsumer = ReasonWords.class,
                description = "The reason: all words after the state.")
        private String @Nullable [] reason;

        public Mark(Console console) {
            super(console);
        }

        @Override
        NoteEdit edit() {
            String words = ReasonWords.join(reason);
            if (!state.equals(NONE) && !NoteEdit.STATES.contains(state)) {
                throw new Failure(
                        Exit.USAGE,
                        "\"" + state + "\" is not one of " + String.join(", ", NoteEdit.STATES) + " and " + NONE);
            }
            return NoteEdit.mark(state.equals(NONE) ? "" : state, words == null ? "" : words);
        }

        @Override
        String unchanged() {
            return state.equals(NONE) ? "no vertex has a mark" : "every vertex has this mark already";
        }
    }
}
