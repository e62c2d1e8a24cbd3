package io.muster.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.cli.terminal.ClosedPipeException;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.config.SourceFile;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.MalformedException;
import io.muster.protocol.rpc.RpcException;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** One run of the command, from its arguments to its exit status. Every failure is printed as a sentence. */
final class Run {
    /** The text of the error EACCES by strerror(3). The JDK gives no error number. */
    private static final String PERMISSION_DENIED = "Permission denied";

    /** A width at which picocli wraps nothing. */
    private static final int UNLIMITED = 4000;

    /** Picocli's message for a line without a verb. */
    private static final String NO_VERB = "Missing required subcommand";

    private final Console console;
    private boolean json;

    Run(Console console) {
        this.console = console;
    }

    /** Runs a verb that has been created without picocli. */
    int execute(String name, Verb verb) {
        try {
            int exit = verb.call();
            console.flush();
            return exit;
        } catch (Exception e) {
            return failed(e, name);
        }
    }

    int execute(CommandLine command, String... arguments) {
        try {
            int exit = parseAndExecute(command, arguments);
            console.flush();
            return exit;
        } catch (ClosedPipeException e) {
            return Exit.CLOSED_PIPE;
        } catch (Failure e) {
            console.complain("muster: " + e.sentence());
            return e.exit();
        }
    }

    private int parseAndExecute(CommandLine command, String... arguments) {
        StringWriter help = new StringWriter();
        StringWriter complaints = new StringWriter();
        command.setOut(new PrintWriter(help));
        command.setErr(new PrintWriter(complaints));
        command.setUsageHelpWidth(UNLIMITED);
        command.setColorScheme(CommandLine.Help.defaultColorScheme(
                console.style().color() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF));
        command.setParameterExceptionHandler(this::misused);
        json = isJson(arguments);
        command.setExecutionExceptionHandler(
                (e, verb, parsed) -> failed(e, verb.getCommandSpec().qualifiedName()));
        int exit = command.execute(arguments);
        int width =
                Math.max(55, console.style().width() == 0 ? 80 : console.style().width());
        help.toString().lines().forEach(line -> console.print(HelpLine.wrap(line, width)));
        if (!complaints.toString().isEmpty()) {
            console.complainLines(complaints.toString());
        }
        return exit;
    }

    /** Returns whether the line asks for JSON, also if the rest of the line is wrong. */
    private static boolean isJson(String... arguments) {
        List<String> line = Arrays.asList(arguments);
        int end = line.indexOf("--");
        return line.subList(0, end < 0 ? line.size() : end).contains("--json");
    }

    private int misused(CommandLine.ParameterException e, String[] arguments) {
        CommandLine verb = e.getCommandLine();
        String name = verb.getCommandSpec().qualifiedName();
        printJson(new Failure(Exit.USAGE, sentence(e), "see `" + name + " --help`"));
        console.complain(name + ": " + sentence(e));
        if (verb.getParent() == null && NO_VERB.equals(e.getMessage())) {
            console.complainLines(Muster.verbs() + "\n");
        }
        StringWriter suggestions = new StringWriter();
        CommandLine.UnmatchedArgumentException.printSuggestions(e, new PrintWriter(suggestions, true));
        console.complainLines(suggestions.toString());
        console.complain("see `" + name + " --help`");
        return Exit.USAGE;
    }

    /** Returns picocli's message, without the names of Java types, and with the list of verbs if a verb is missing. */
    private static String sentence(CommandLine.ParameterException e) {
        if (e instanceof CommandLine.UnmatchedArgumentException unmatched
                && !e.getCommandLine().getSubcommands().isEmpty()
                && !unmatched.getUnmatched().get(0).startsWith("-")) {
            return "there is no verb " + unmatched.getUnmatched().get(0);
        }
        String message =
                String.valueOf(e.getMessage()).replaceFirst(" is not an? (double|int|long)$", " is not a number");
        if (!message.equals(NO_VERB)) {
            return message;
        }
        return e.getCommandLine().getParent() == null
                ? "a verb is missing"
                : "a verb is missing: expected one of "
                        + String.join(", ", e.getCommandLine().getSubcommands().keySet());
    }

    private int failed(Exception e, String name) {
        if (e instanceof ClosedPipeException) {
            return Exit.CLOSED_PIPE;
        }
        Failure failure = failure(e);
        if (failure == null) {
            return bug(e);
        }
        printJson(failure);
        console.complain(name + ": " + failure.sentence());
        if (!failure.advice().isEmpty()) {
            console.complainLines("  " + failure.advice().replace("\n", "\n  ") + "\n");
        }
        return failure.exit();
    }

    /** Prints a failure as JSON on standard output if the user asked for JSON. The sentence on standard error stays. */
    private void printJson(Failure failure) {
        if (json) {
            console.json(JsonNodeFactory.instance
                    .objectNode()
                    .put("schema_version", Verb.SCHEMA_VERSION)
                    .put("error", failure.sentence())
                    .put("advice", failure.advice().isEmpty() ? null : failure.advice())
                    .put("exit", failure.exit()));
        }
    }

    private int bug(Exception e) {
        printJson(new Failure(Exit.ERROR, e.toString()));
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace, true));
        console.complainLines(trace.toString());
        return Exit.ERROR;
    }

    /** Returns the failure to report for an exception; null if the exception is a bug. */
    static @Nullable Failure failure(Exception e) {
        if (e instanceof Failure failure) {
            return failure;
        }
        if (e instanceof RpcException rpc) {
            return Failure.of(rpc, "");
        }
        if (e instanceof UncheckedIOException unchecked) {
            return failure(Objects.requireNonNull(unchecked.getCause()));
        }
        if (e instanceof IOException io) {
            return failure(io);
        }
        if (e instanceof MalformedException) {
            return new Failure(Exit.USAGE, String.valueOf(e.getMessage()));
        }
        if (e instanceof InvalidException) {
            return new Failure(Exit.ERROR, String.valueOf(e.getMessage()));
        }
        return null;
    }

    private static Failure failure(IOException e) {
        Throwable cause = e.getCause();
        if (e instanceof ConnectException && cause != null && PERMISSION_DENIED.equals(cause.getMessage())) {
            return new Failure(Exit.DENIED, String.valueOf(e.getMessage()), Failure.MAY_CONNECT);
        }
        boolean unreachable =
                e instanceof ConnectException || e instanceof SocketTimeoutException || e instanceof EOFException;
        String advice = e instanceof ConnectException
                ? "name another socket with --uri or MUSTER_URI, or see with `systemctl status muster` whether the daemon runs"
                : "";
        return new Failure(unreachable ? Exit.UNREACHABLE : Exit.ERROR, SourceFile.sentence(e), advice);
    }
}
