package io.muster.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.When;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Fsd;
import io.muster.inventory.state.CheckChanges;
import io.muster.inventory.state.Command;
import io.muster.protocol.admin.RequestId;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.operation.ChangeRequest;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster check-node}. */
@CommandLine.Command(
        name = "check-node",
        description = {
            "Run a health program on this node, if a hold on it waits for the check, and report the result. Report the boot id in any"
                    + " case.",
            "The command asks for the attempt before it runs the program, so that a result that comes late does not count. A program"
                    + " that cannot be run, or does not end in time, has failed. The exit status is 1 if the check failed.",
            "Run it after each boot and every few minutes, with a certificate that reports this node only. A program with a token of the"
                    + " node reports over HTTP."
        },
        footer = {
            "  muster check-node burn-in -- /opt/site/burn-in --quick",
            "  muster check-node --convention=nhc nhc -- nhc MARK_OFFLINE=0",
            "  muster check-node --convention=nagios load -- /usr/lib/nagios/plugins/check_load -w 9 -c 99"
        })
public final class CheckNode extends ServerVerb {
    @Parameters(index = "0", paramLabel = "CHECK", description = "Name of the check.")
    private String check = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "CMD",
            description = "The program and its arguments, after --.")
    private List<String> program = List.of();

    @Option(names = "--host", paramLabel = "HOST", description = "Name of this node in R. Default: its host name.")
    private @Nullable String host;

    @Option(
            names = "--limit",
            paramLabel = "DURATION",
            description = "The program is killed after this time, and the check has failed. Default: 10m.")
    private String limit = "10m";

    @Option(
            names = "--convention",
            paramLabel = "CONVENTION",
            description =
                    "How the program says what is wrong: with the last line of its output (exit), with that of LBNL NHC (nhc), or"
                            + " with the first line without performance data (nagios). Status 0 is ok in each. Default: exit.")
    private String convention = "exit";

    private final Path bootId = Path.of("/proc/sys/kernel/random/boot_id");

    private final Environment environment;

    public CheckNode(Console console, Environment environment) {
        super(console);
        this.environment = environment;
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        if (program.isEmpty()) {
            throw new Failure(Exit.USAGE, "the program is missing: write it after --, with its arguments");
        }
        String node = host == null ? environment.hostname().replaceFirst("\\..*", "") : host;
        HealthProgram health = new HealthProgram(convention(), duration());
        Failure refusal = boot(client, node);
        List<JsonNode> attempts = Attempts.on(client, node, check);
        boolean needed = attempts.stream().anyMatch(each -> each.path("action").isTextual());
        if (refusal != null && needed) {
            console().complain("muster check-node: the boot id was not reported: " + refusal.sentence());
        }
        int exit = check(client, node, health, attempts);
        return exit == Exit.OK && refusal != null && needed ? refusal.exit() : exit;
    }

    /** Reports the boot id, by which a reboot counts. Returns why that was refused; null if it was not. */
    private @Nullable Failure boot(FluxClient client, String node) throws IOException {
        String boot = Files.readString(bootId).strip();
        try {
            report(client, new CheckChanges.ReportBoot(node, boot));
            return null;
        } catch (Failure e) {
            return e;
        }
    }

    private int check(FluxClient client, String node, HealthProgram health, List<JsonNode> attempts)
            throws IOException {
        attempts.removeIf(each -> !each.path("state").asText().startsWith("check"));
        if (attempts.isEmpty()) {
            say(node, null);
            return Exit.OK;
        }
        HealthProgram.Verdict verdict = health.run(program);
        for (JsonNode each : attempts) {
            long attempt = each.path("attempt").asLong();
            report(client, new CheckChanges.ReportCheck(node, check, attempt, verdict.ok(), verdict.detail()));
        }
        say(node, verdict);
        return verdict.ok() ? Exit.OK : Exit.ERROR;
    }

    private HealthProgram.Convention convention() {
        return switch (convention) {
            case "exit" -> HealthProgram.Convention.EXIT;
            case "nhc" -> HealthProgram.Convention.NHC;
            case "nagios" -> HealthProgram.Convention.NAGIOS;
            default ->
                throw new Failure(
                        Exit.USAGE,
                        "--convention: there is no convention \"" + convention + "\"",
                        "give exit, nhc or nagios");
        };
    }

    private Fsd duration() {
        String refusal = "--limit: \"" + limit + "\" is not a duration, such as 90s or 10m";
        return When.duration(limit, Double.MIN_VALUE, Double.MAX_VALUE, refusal);
    }

    private void say(String node, HealthProgram.@Nullable Verdict verdict) {
        if (json()) {
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            document.put("schema_version", SCHEMA_VERSION).put("host", node).put("check", check);
            document.put("result", verdict == null ? null : verdict.ok() ? "ok" : "failed");
            console().json(document.put("detail", verdict == null ? "" : verdict.detail()));
        } else if (verdict == null) {
            console().println("no hold on " + node + " waits for the check " + check + " now");
        } else {
            console()
                    .println(check + " on " + node + ": " + (verdict.ok() ? "ok" : "failed")
                            + (verdict.detail().isEmpty() ? "" : ": " + verdict.detail()));
        }
    }

    private void report(FluxClient client, Command command) throws IOException {
        ChangeRequest.Call call = ChangeRequest.call(command, false);
        RequestId.give(call.payload(), RandomId.next());
        int unused = once(client, connected -> {
            try {
                connected.rpc(call.topic(), call.payload());
                return Exit.OK;
            } catch (RpcException e) {
                throw Failure.of(e, "");
            }
        });
    }
}
