package io.muster.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerOptions;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.ask.StateRow;
import io.muster.cli.ask.TableOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.status.HostState;
import io.muster.inventory.status.StateFilter;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Parameters;

/** {@code muster completion}. */
@Command(
        name = "completion",
        description = {
            "Print a script that makes a shell complete verbs, options, hosts, properties, states and holders. `undrain`"
                    + " offers drained hosts only, and `include` excluded ones.",
            "The script asks the daemon for hosts, properties and holders, waits a second for the answer, and keeps it for"
                    + " ten seconds in $$XDG_RUNTIME_DIR/muster-completion, else ~/.cache/muster-completion. It offers up to"
                    + " 1000 words at a time."
        },
        footer = {
            "  muster completion bash > /etc/bash_completion.d/muster",
            "  source <(muster completion zsh)",
            "  muster completion fish | source"
        })
final class Completion extends Verb {
    private static final int MOST_HOSTS = 100_000;

    /** Words that have no special meaning to a shell. Other words are not offered, because a property could be a command. */
    private static final Pattern HARMLESS = Pattern.compile("[A-Za-z0-9@+_.:/%][A-Za-z0-9@+_.:/%-]*");

    @Parameters(
            index = "0",
            paramLabel = "SHELL",
            description =
                    "The shell: bash, zsh or fish. The scripts call `muster completion words` for the names that the daemon knows.")
    private String shell = "";

    @Mixin
    private final ServerOptions server = new ServerOptions();

    Completion(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        switch (shell) {
            // One script serves both shells: its first lines make zsh use bash completions.
            case "bash", "zsh" -> console().print(bash());
            case "fish" ->
                console()
                        .print(part("completion.fish")
                                .replace("@BASH@", bash().replace("\\", "\\\\").replace("'", "\\'")));
            case "words" -> words();
            default -> throw new Failure(Exit.USAGE, shell + " is not one of bash, zsh and fish");
        }
        return Exit.OK;
    }

    private String bash() {
        StringBuilder specs = new StringBuilder();
        CommandLine all = Muster.parser(console());
        all.getSubcommands().forEach((name, verb) -> describe(name, verb, specs));
        return AutoComplete.bash("muster", all)
                + part("completion.bash").replace("@WORDS@", part("words.sh")).replace("@SPECS@\n", specs);
    }

    private static String part(String name) {
        try (InputStream in = Objects.requireNonNull(Completion.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes a case of _muster_spec for a verb, or for each verb of a group. */
    private static void describe(String name, CommandLine verb, StringBuilder specs) {
        if (!verb.getSubcommands().isEmpty()) {
            verb.getSubcommands().forEach((member, inner) -> describe(name + " " + member, inner, specs));
            return;
        }
        CommandSpec spec = verb.getCommandSpec();
        specs.append("    '").append(name).append("') spec=' ");
        for (OptionSpec option : spec.options()) {
            if (option.arity().max() > 0) {
                Arrays.stream(option.names())
                        .forEach(word -> specs.append(word)
                                .append('=')
                                .append(table(option) != null ? formats(name) : kind(name, option))
                                .append(' '));
            }
        }
        specs.append("' kinds='");
        for (PositionalParamSpec argument : spec.positionalParameters()) {
            String kind = kind(name, argument);
            specs.append(kind.isEmpty() ? "-" : kind);
            specs.append(argument.arity().max() > 1 ? "* " : " ");
        }
        specs.append("-' ;;\n");
    }

    /** Returns the options of a table if this option chooses its columns; otherwise null. */
    private static @Nullable TableOptions table(OptionSpec option) {
        try {
            boolean chooses = option.longestName().equals("--format");
            return chooses && option.scope().get() instanceof TableOptions table ? table : null;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the kind of the columns and formats of a verb. */
    private static String formats(String verb) {
        return "format-" + verb.replace(' ', '-');
    }

    /** Prints the columns and formats of each verb that prints a table. */
    private void formats(String name, CommandLine verb) {
        verb.getSubcommands().forEach((member, inner) -> formats(name + " " + member, inner));
        for (OptionSpec option : verb.getCommandSpec().options()) {
            TableOptions table = table(option);
            if (table != null) {
                print(formats(name), table.words().stream());
            }
        }
    }

    /** Returns the kind of words that fit an option or argument; "" if the daemon knows none. */
    private static String kind(String verb, ArgSpec argument) {
        String label = argument.paramLabel();
        if (verb.equals("undrain") && label.equals("TARGETS")) {
            return "drained";
        }
        if (verb.equals("include") && label.equals("TARGETS")) {
            return "excluded";
        }
        if (label.startsWith("TARGETS") || label.equals("HOST")) {
            return "target";
        }
        if (label.equals("MARK") || label.startsWith("KEY")) {
            return label.equals("MARK") ? "mark" : "tag";
        }
        if (label.startsWith("STATE")) {
            return "state";
        }
        if (argument instanceof OptionSpec option) {
            String name = option.longestName();
            return name.equals("--holder") || name.equals("--property") ? name.substring(2) : "";
        }
        return label.startsWith("NAME") ? "property" : "";
    }

    private void words() throws IOException {
        try (FluxClient client = server.connect(console())) {
            ObjectNode question = JsonNodeFactory.instance.objectNode();
            StateDocument status = StateDocument.ask(client, StateDocument.STATUS, question);
            List<String> properties = StateDocument.ask(client, StateDocument.LAYOUT, question)
                    .json()
                    .path("properties")
                    .findValuesAsText("name");
            print("target", hosts(status, List.of()));
            print("drained", hosts(status, List.of(HostState.DRAINED, HostState.DRAINING)));
            print("excluded", hosts(status, List.of(HostState.EXCLUDED, HostState.LOST)));
            print("target", Stream.concat(Stream.of("all"), properties.stream().map(name -> "@" + name)));
            print("property", properties.stream());
            Muster.parser(console()).getSubcommands().forEach(this::formats);
            print("mark", Stream.concat(NoteEdit.STATES.stream(), Stream.of("none")));
            Set<String> tags = new TreeSet<>();
            status.json()
                    .path("notes")
                    .forEach(note -> tags.addAll(note.path("tags").findValuesAsText("key")));
            print("tag", tags.stream());
            print("state", StateFilter.words().stream());
            print("state", Stream.of("all", "online"));
            List<String> holders = status.json().findValuesAsText("holder");
            print(
                    "holder",
                    Stream.concat(Stream.of(Hold.SHARED), holders.stream()).distinct());
        }
    }

    /** Returns the hosts in these states, or in any. */
    private static Stream<String> hosts(StateDocument status, List<HostState> states) {
        Hostlist hosts = Hostlist.EMPTY;
        for (StateRow group : status.groups()) {
            String state = group.text("state");
            if (states.isEmpty() || states.stream().anyMatch(each -> each.word().equals(state))) {
                hosts = hosts.append(Hostlist.parse(group.hosts()));
            }
        }
        return hosts.sort().stream().distinct().limit(MOST_HOSTS);
    }

    private void print(String kind, Stream<String> words) {
        words.filter(word -> HARMLESS.matcher(word).matches())
                .forEach(word -> console().println(kind + " " + word));
    }
}
