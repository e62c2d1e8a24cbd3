package io.muster.cli.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ReadVerb;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.find.Expression;
import io.muster.inventory.find.Search;
import io.muster.inventory.problem.MalformedException;
import io.muster.protocol.admin.FindRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Stack;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code muster find}. */
@Command(
        name = "find",
        description = {
            "Find resources: racks, hosts, GPUs and everything else in the resource graph (RFC 4).",
            "EXPR is built from types (gpu), names (rack1), paths (/cluster0/rack1), comparisons (size>=1TB, state=down, "
                    + "tag.firmware=7.1, property=ssd), in (below), has (above), and, or, not and parentheses. docs/find.md "
                    + "has the grammar on one screen.",
            "Wherever a verb takes TARGETS, @{EXPR} stands for the hosts that are found, as in `muster drain '@{node in "
                    + "power:pdu3}' breaker`."
        },
        footer = {
            "  muster find gpu in rack1",
            "  muster find --hosts 'node has ssd.size>=1TB and not state=down'",
            "  muster find --best 10 by size memory"
        })
public final class Find extends ReadVerb {
    private static final Pattern FAULT = Pattern.compile("expression \".*\": (.*) at position ([0-9]{1,5})");

    @Parameters(arity = "1..*", paramLabel = "EXPR", description = "What to find. Several words are one expression.")
    private List<String> words = List.of();

    @Option(names = "--paths", description = "Print the path of each resource. This is the default.")
    private boolean paths;

    @Option(names = "--count", description = "Print the number of resources.")
    private boolean count;

    @Option(
            names = "--hosts",
            description = "Print hosts: those found, those of found parts such as GPUs, and those in found racks.")
    private boolean hosts;

    @Option(names = "--ranks", description = "Print the ranks of these hosts.")
    private boolean ranks;

    @Option(
            names = "--jgf",
            description = "Print the resources and everything above them in the JSON Graph Format (RFC 40).")
    private boolean jgf;

    @Option(
            names = {"-s", "--subsystem"},
            paramLabel = "NAME",
            description = "Search only this hierarchy. Default: all hierarchies; in and has then follow containment.")
    private @Nullable String subsystem;

    @Option(names = "--from", paramLabel = "PATH", description = "Search here and below, not from the top.")
    private @Nullable String from;

    @Option(names = "--prune", paramLabel = "EXPR", description = "Skip everything below resources that match this.")
    private @Nullable String prune;

    @Option(
            names = "--order",
            paramLabel = "ORDER",
            description = "Print each resource before the resources in it (pre) or after them (post).")
    private @Nullable String order;

    @Option(
            names = "--best",
            arity = "1..*",
            paramLabel = "N",
            hideParamSyntax = true,
            parameterConsumer = Best.class,
            description =
                    "--best N by KEY: print only the N resources with the highest number in KEY, highest first. KEY is size, "
                            + "id, rank, tag.K, property.K or data.K.")
    private String best = "";

    public Find(Console console) {
        super(console);
    }

    /** Reads {@code N by KEY}, and leaves the words after it to the expression. */
    static final class Best implements IParameterConsumer {
        @Override
        @SuppressWarnings("JdkObsolete") // picocli requires this type
        public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec verb) {
            String number = words.isEmpty() ? "" : words.pop();
            if (!number.matches("[1-9][0-9]{0,5}")
                    || words.size() < 2
                    || !words.pop().equals("by")) {
                throw new ParameterException(
                        verb.commandLine(), "--best takes a number, the word by, and a key, as in --best 10 by size");
            }
            option.setValue(number + " " + words.pop());
        }
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        FindRequest request;
        try {
            request = request();
        } catch (MalformedException e) {
            if (json()) {
                throw new Failure(Exit.USAGE, String.valueOf(e.getMessage()));
            }
            new ProblemPrinter(console(), "muster find").about(e);
            return Exit.USAGE;
        }
        ObjectNode answer;
        try {
            answer = client.rpc(FindRequest.TOPIC, request.toJson());
        } catch (RpcException e) {
            if (!e.errno().equals(Errno.EINVAL)) {
                throw Failure.of(e, "");
            }
            MalformedException fault = json() ? null : fault(e.sentence());
            if (fault == null) {
                throw new Failure(Exit.NO_TARGET, e.sentence());
            }
            new ProblemPrinter(console(), "muster find").about(fault);
            return Exit.NO_TARGET;
        }
        print(answer);
        return Exit.OK;
    }

    /** Returns the fault that the server found in one of the expressions, or null if its sentence is about something else. */
    private @Nullable MalformedException fault(String sentence) {
        Matcher place = FAULT.matcher(sentence);
        if (!place.matches()) {
            return null;
        }
        return Stream.of(String.join(" ", words), from, prune)
                .filter(Objects::nonNull)
                .map(text ->
                        new MalformedException("expression", text, Integer.parseInt(place.group(2)), place.group(1)))
                .filter(fault -> sentence.equals(fault.getMessage()))
                .findFirst()
                .orElse(null);
    }

    private FindRequest request() {
        boolean[] outputs = {paths, count, hosts, ranks, jgf, json()};
        int chosen = 0;
        for (boolean output : outputs) {
            chosen += output ? 1 : 0;
        }
        if (chosen > 1) {
            throw new Failure(Exit.USAGE, "--paths, --count, --hosts, --ranks, --jgf and --json exclude each other");
        }
        int space = best.indexOf(' ');
        Search search = new Search(
                Expression.parse(String.join(" ", words)),
                subsystem,
                from == null ? null : Expression.parse(from),
                prune == null ? null : Expression.parse(prune),
                order == null ? null : order(order),
                space < 0 ? 0 : Integer.parseInt(best.substring(0, space)),
                best.substring(space + 1));
        boolean listed = !count && !hosts && !ranks;
        FindRequest.Output listing = jgf ? FindRequest.Output.JGF : FindRequest.Output.PATHS;
        return new FindRequest(search, listed ? listing : FindRequest.Output.HOSTS);
    }

    private static Search.Order order(String word) {
        for (Search.Order order : Search.Order.values()) {
            if (order.word().equals(word)) {
                return order;
            }
        }
        throw new Failure(Exit.USAGE, "--order: " + word + " is not pre or post");
    }

    private void print(ObjectNode answer) {
        if (json()) {
            printDocument(answer);
        } else if (jgf) {
            console().json((ObjectNode) answer.path("jgf"));
        } else if (count || hosts || ranks) {
            String key = count ? "count" : hosts ? "hosts" : "ranks";
            console().println(answer.path(key).asText());
        } else {
            List<String> lines = new ArrayList<>();
            answer.path("paths").forEach(path -> lines.add(path.asText()));
            JsonNode scores = answer.path("scores");
            for (int i = 0; i < lines.size(); i++) {
                console().println(scores.has(i) ? number(scores.get(i).asDouble()) + " " + lines.get(i) : lines.get(i));
            }
        }
    }

    private static String number(double score) {
        return score == (long) score ? Long.toString((long) score) : Double.toString(score);
    }
}
