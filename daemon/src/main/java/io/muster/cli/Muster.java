package io.muster.cli;

import io.muster.cli.ask.ServerVerb;
import io.muster.cli.terminal.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The command {@code muster}: its entry point, and the parser of command lines. */
@Command(
        name = "muster",
        description = {
            "Ask for and change the resource inventory that the Muster daemon keeps for the schedulers of an HPC cluster.",
            "The command finds the daemon by --uri, $$MUSTER_URI or its usual places; see `muster status --help`."
        },
        synopsisSubcommandLabel = "VERB",
        commandListHeading = "%n",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:done",
            "1:an error that has no status of its own",
            "2:the command line is wrong",
            "4:no such host, rank or property",
            "5:a conflict: already drained, held by another user, in use",
            "6:not allowed",
            "7:the daemon cannot be reached",
            "8:the daemon takes no changes: its ledger cannot be written",
            "9:the history is incomplete: events of the period are missing",
            "124:--timeout ran out during --wait or a stream of events",
            "141:the reader of the output closed the pipe"
        },
        footer = {"  muster status", "  muster drain node7 bad fan", "  muster help drain"})
public sealed class Muster permits Manual {
    Muster() {}

    public static void main(String[] arguments) {
        // Without this property, every start would search for all classes of java.time and java.sql, and so load them.
        System.setProperty("picocli.converters.excludes", "java.time.*,java.sql.*,java.nio.by.*");
        Console console = Console.ofProcess();
        System.exit(run(console, arguments));
    }

    /**
     * Runs the command line.
     *
     * @return the exit status
     */
    static int run(Console console, String... arguments) {
        console.began(arguments);
        ServerVerb plain = FastPath.read(console, arguments);
        if (plain != null) {
            return new Run(console).execute("muster " + arguments[0], plain);
        }
        String[] line = FluxAliases.meant(arguments);
        CommandLine parser = parser(console, line);
        boolean isUnknown = line.length > 0
                && !line[0].startsWith("-")
                && !parser.getSubcommands().containsKey(line[0]);
        return new Run(console).execute(parser, isUnknown ? FluxAliases.withoutHelp(line) : line);
    }

    /**
     * Returns a parser for a line that begins with these arguments. If the first one is the name of a verb, the parser knows
     * only that verb.
     */
    static CommandLine parser(Console console, String... arguments) {
        CommandLine command = new CommandLine(new Muster());
        addVerbs(command, console, arguments);
        command.setExpandAtFiles(false); // @batch means the hosts with that property, even if a file has that name
        return command;
    }

    /** Returns the verbs in groups, with a line for each. */
    static String verbs() {
        try (InputStream in = Objects.requireNonNull(Muster.class.getResourceAsStream("verbs.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void addVerbs(CommandLine command, Console console, String... arguments) {
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> verbs());
        Verbs.add(command, console, arguments.length == 0 ? "" : arguments[0]);
        explain(command);
    }

    /** Adds the same help to all verbs, including those in groups. */
    private static void explain(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        spec.usageMessage().abbreviateSynopsis(true);
        if (spec.usageMessage().footer().length > 0) {
            spec.usageMessage().footerHeading("%nExamples:%n");
        }
        spec.addOption(OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Print this help and end.")
                .build());
        command.getSubcommands().values().forEach(Muster::explain);
    }
}
