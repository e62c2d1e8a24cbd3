package io.muster.cli.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Printable;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.config.Fsd;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.request.Constraint;
import io.muster.inventory.request.JobRequest;
import io.muster.inventory.request.Jobspec;
import io.muster.inventory.request.Query;
import io.muster.inventory.request.Resource;
import io.muster.inventory.request.Shape;
import io.muster.protocol.admin.FeasibilityRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster feasible}. */
@Command(
        name = "feasible",
        description = {
            "Ask whether a request for resources could ever be met here, and why not.",
            "The daemon does not know which resources jobs use: --now asks about resources that are up, not about free ones."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:yes",
            "1:never, even if everything were up and free",
            "2:the request or the command line is wrong",
            "3:it fits the inventory, but not the resources that are up now (--now)",
            "4:not known: the search ended without an answer, or the daemon could not decide",
            "6:not allowed",
            "7:the daemon cannot be reached"
        },
        footer = {
            "  muster feasible 'slot=4/[core=8;gpu]'",
            "  muster feasible --now --time-limit=4h jobspec.yaml",
            "  muster feasible --requires='batch and -host:node7' 'node=2/slot/core'"
        })
public final class Feasible extends Verb {
    private static final int NEVER = 1;
    private static final int NOT_NOW = 3;
    private static final int UNKNOWN = 4;

    private static final String NAME = "muster feasible";

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(
            paramLabel = "SHAPE|FILE",
            description =
                    "A shape (RFC 46), such as slot=4/[core=8;gpu]; or a file with a jobspec or a resources list in YAML "
                            + "or JSON: *.json, *.yaml, a path that begins with a dot or slash, or - for standard input.")
    private String argument = "";

    @Option(names = "--now", description = "Ask about the resources that are up now, until they expire.")
    private boolean now;

    @Option(
            names = "--requires",
            paramLabel = "EXPR",
            description =
                    "Use only hosts that match a query as in flux (RFC 35), such as \"batch and -host:node[0-3]\", or a "
                            + "constraint in JSON (RFC 31).")
    private @Nullable String requires;

    @Option(
            names = {"-t", "--time-limit"},
            paramLabel = "DURATION",
            description = "How long the job runs: 30m, 4h or 2d; a number alone is in seconds.")
    private @Nullable String duration;

    @Option(
            names = "--expand",
            description =
                    "Print every host by its full name instead of host[0-99]. Without --expand, the list is cut to"
                            + " the width of a terminal.")
    private boolean expand;

    @Option(
            names = "--json",
            description = "Print JSON with a schema_version. A version may gain keys, and loses none.")
    private boolean json;

    public Feasible(Console console) {
        super(console);
    }

    @Override
    public Integer call() throws IOException {
        ProblemPrinter complaint = new ProblemPrinter(console(), NAME);
        ObjectNode payload;
        try {
            payload = Source.isMeantBy(argument) ? ofFile(new Source(argument)) : ofResources(Shape.parse(argument));
        } catch (MalformedException | InvalidException e) {
            if (json) {
                throw new Failure(Exit.USAGE, String.valueOf(e.getMessage()));
            }
            return refuse(complaint, e);
        }
        try (FluxClient client = server.connect(console())) {
            int exit = report(ask(client, payload));
            if (exit != Exit.OK) {
                adviseOfFile(complaint);
            }
            return exit;
        }
    }

    private int refuse(ProblemPrinter complaint, RuntimeException e) {
        if (e instanceof InvalidException invalid) {
            complaint.about(Source.isMeantBy(argument) ? new Source(argument).shown() : "--requires", invalid);
        } else if (e instanceof MalformedException malformed) {
            complaint.about(malformed);
            if (malformed.what().equals("shape")) {
                adviseOfFile(complaint);
            }
        }
        return Exit.USAGE;
    }

    /** Advises the user if the argument was read as a shape although a file has this name: {@code job} is a valid shape. */
    private void adviseOfFile(ProblemPrinter complaint) {
        if (!Source.isMeantBy(argument) && Source.exists(argument)) {
            complaint.advise("a file has that name; ./" + argument + " reads it");
        }
    }

    private ObjectNode ofFile(Source source) throws IOException {
        ParsedRequest written = ParsedRequest.parse(source.text(console()));
        Jobspec jobspec = written.jobspec();
        return jobspec == null ? ofResources(written.resources()) : payload(jobspec.toJson(), jobspec.request());
    }

    /** Returns the payload for a list of resources: a jobspec if possible, because RFC 27 defines nothing else. */
    private ObjectNode ofResources(List<Resource> resources) {
        JobRequest request = new JobRequest(resources, Constraint.all(), 0);
        return resources.stream().anyMatch(r -> r.mentions(Resource.SLOT))
                ? payload(Jobspec.of(resources, List.of("true"), 0).toJson(), request)
                : question(request).toJson();
    }

    private ObjectNode payload(ObjectNode jobspec, JobRequest request) {
        FeasibilityRequest question = question(request);
        ObjectNode system = jobspec.withObject("/attributes/system");
        if (!question.request().constraint().isAll()) {
            system.set("constraints", question.request().constraint().toJson());
        }
        system.put("duration", question.request().duration());
        return question.toJson(jobspec);
    }

    private FeasibilityRequest question(JobRequest request) {
        Constraint own = request.constraint();
        Constraint required = requires == null ? Constraint.all() : constraint(requires);
        Constraint constraint =
                own.isAll() ? required : required.isAll() ? own : Constraint.and(List.of(own, required));
        double seconds = duration == null ? request.duration() : seconds(duration);
        return new FeasibilityRequest(new JobRequest(request.resources(), constraint, seconds), true, now);
    }

    /** Returns the duration in seconds; 0 for no limit, as in a jobspec. */
    private static double seconds(String text) {
        double seconds = Fsd.parse(text).seconds();
        return Double.isInfinite(seconds) ? 0 : seconds;
    }

    private static Constraint constraint(String text) {
        return text.stripLeading().startsWith("{") ? Constraint.parse(text) : Query.parse(text);
    }

    private ObjectNode ask(FluxClient client, ObjectNode payload) throws IOException {
        try {
            ObjectNode answer = client.rpc(FeasibilityRequest.TOPIC, payload);
            if (!answer.has("verdict")) {
                throw new Failure(UNKNOWN, "the server does not explain its answer", "it is a Flux broker, not Muster");
            }
            return answer;
        } catch (RpcException e) {
            throw e.errno().equals(Errno.EPERM)
                    ? Failure.of(e, "")
                    : new Failure(UNKNOWN, "the server could not decide: " + e.sentence());
        }
    }

    private int report(ObjectNode found) {
        String verdict = found.path("verdict").asText();
        if (json) {
            console().json(found);
            return exit(verdict);
        }
        say(word(verdict), found.path("sentence").asText());
        String hosts = found.path("hosts").asText();
        if (verdict.equals("yes") && !hosts.isEmpty()) {
            console()
                    .println(
                            expand
                                    ? "hosts: "
                                            + String.join(
                                                    ",", Hostlist.parse(hosts).expand())
                                    : console().cutHosts("hosts: ", hosts));
        }
        found.path("remarks").forEach(remark -> say("note", remark.asText()));
        return exit(verdict);
    }

    private void say(String label, String text) {
        console().println(label + ": " + Printable.of(text));
    }

    private static String word(String verdict) {
        return switch (verdict) {
            case "not-now" -> "no";
            case "unknown" -> "not known";
            case "invalid" -> "wrong";
            default -> verdict;
        };
    }

    private static int exit(String verdict) {
        return switch (verdict) {
            case "yes" -> Exit.OK;
            case "never" -> NEVER;
            case "invalid" -> Exit.USAGE;
            case "not-now" -> NOT_NOW;
            default -> UNKNOWN;
        };
    }
}
