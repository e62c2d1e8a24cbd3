package io.muster.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.FluxFit.Check;
import io.muster.cli.FluxFit.Level;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.access.Accounts;
import io.muster.daemon.access.Admission;
import io.muster.daemon.access.Identity;
import io.muster.daemon.config.AcquireSettings;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.InvalidException;
import io.muster.protocol.admin.StatusAnswer;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster flux-check}. */
@Command(
        name = "flux-check",
        description = {
            "Check whether Flux and Muster on this host fit together, before you change Flux's configuration.",
            "Prints a line for each check, with what to do about a problem. The exit status is 0 if there is no problem,"
                    + " else 1. Nothing is changed. The checks use the commands flux and systemctl, the instance that"
                    + " $$FLUX_URI names (else the system's instance) if it answers, and Muster if it answers: at the socket in the"
                    + " broker's configuration for the bridge, else at $$MUSTER_URI, else at that in Muster's configuration."
        },
        footer = {
            "  muster flux-check",
            "  muster flux-check feed",
            "  muster flux-check --flux-config=/etc/flux/test bridge"
        })
final class FluxCheck extends Verb {
    private static final long PROGRAM_SECONDS = 30;

    private final Environment environment;
    private final List<Check> checks = new ArrayList<>();

    @Parameters(
            arity = "0..1",
            paramLabel = "LEVEL",
            description = "What you want to use: bridge, or feed or observe of muster-flux. Default: bridge.")
    private String level = "bridge";

    @Option(names = "--flux", paramLabel = "COMMAND", description = "The flux command. Default: flux.")
    private String flux = "flux";

    @Option(
            names = "--flux-config",
            paramLabel = "DIR",
            description = "The broker's configuration. Default: that of the system's instance.")
    private String fluxConfig = "system";

    @Option(
            names = "--owner",
            paramLabel = "USER",
            description =
                    "The owner of the instance. Default: the owner that the instance reports; if no instance answers, flux.")
    private @Nullable String owner;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Muster's configuration. Default: the file that `muster serve` reads.")
    private @Nullable Path file;

    @Option(names = "--force", description = "Accept a version of flux-core with which Muster was not tested.")
    private boolean force;

    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    FluxCheck(Console console, Environment environment) {
        super(console);
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        Level wanted = Arrays.stream(Level.values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(level))
                .findFirst()
                .orElseThrow(() -> new Failure(
                        Exit.USAGE, "there is no level \"" + level + "\": expected bridge, feed or observe"));
        try {
            check(wanted);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        boolean fits = checks.stream().allMatch(Check::fits);
        if (json) {
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            document.put("schema_version", SCHEMA_VERSION).put("level", level).put("fits", fits);
            ArrayNode array = document.putArray("checks");
            checks.forEach(check -> array.add(check.toJson()));
            console().json(document);
        } else {
            checks.forEach(check -> console().println(check.line()));
        }
        return fits ? Exit.OK : Exit.ERROR;
    }

    private void check(Level wanted) throws IOException, InterruptedException {
        JsonNode facts = flux(wanted);
        try {
            muster(wanted, facts, Config.load(file, environment));
        } catch (InvalidException e) {
            checks.add(new Check(
                    "muster", e.problems().get(0).toString(), "correct Muster's configuration; see `muster check`"));
        }
        if (wanted == Level.BRIDGE) {
            checks.add(FluxFit.order(units()));
        }
    }

    /** Checks the installation and configuration of Flux, and returns the facts that flux_facts.py has found. */
    private JsonNode flux(Level wanted) throws IOException, InterruptedException {
        JsonNode facts;
        try {
            // with the FLUX_URI of an instance that does not answer, `flux version` fails
            byte[] output = Program.run(PROGRAM_SECONDS, "env", "-u", "FLUX_URI", flux, "version");
            checks.add(FluxFit.version(new String(output, UTF_8), wanted, force));
        } catch (IOException absent) {
            checks.add(new Check("flux", text(absent), "install flux-core, or name the command with --flux"));
            return JsonNodeFactory.instance.objectNode();
        }
        try {
            facts = facts();
        } catch (IOException failed) {
            checks.add(new Check("python", text(failed), "install flux-core's Python bindings"));
            return JsonNodeFactory.instance.objectNode();
        }
        checks.add(FluxFit.fact("python", facts, "bindings", "", "install flux-core's Python bindings"));
        if (wanted == Level.BRIDGE) {
            if (facts.path("modules").isNull()) {
                checks.add(FluxFit.fact("modules", facts, "modules", "", "install a flux-core with Python modules"));
            }
            String install = "install Muster's package on this host, where the leader of the instance runs";
            checks.add(FluxFit.fact("rc1.d", facts, "start_file", "Flux's modprobe finds ", install));
            checks.add(FluxFit.fact("bridge", facts, "bridge", "the leader would load ", install));
            checks.add(FluxFit.configuration(facts, fluxConfig));
            checks.addAll(FluxFit.extras(facts));
        }
        return facts;
    }

    private JsonNode facts() throws IOException, InterruptedException {
        byte[] script;
        try (InputStream in = Objects.requireNonNull(FluxCheck.class.getResourceAsStream("flux_facts.py"))) {
            script = in.readAllBytes();
        }
        String output = new String(Program.run(PROGRAM_SECONDS, script, flux, "python", "-", fluxConfig), UTF_8);
        String last = output.strip().substring(output.strip().lastIndexOf('\n') + 1);
        try {
            return Json.parse(Bytes.text(last));
        } catch (ProtocolException e) {
            throw new IOException(flux + " python printed no JSON: " + output.strip(), e);
        }
    }

    private void muster(Level wanted, JsonNode facts, Config config) throws IOException {
        String configured = FluxFit.socket(facts);
        String given = console().environment().getOrDefault("MUSTER_URI", "");
        String uri = wanted == Level.BRIDGE && !configured.isEmpty() ? configured : given;
        Path socket = uri.isEmpty() ? config.listen().socket() : Path.of(uri.replaceFirst("^local://", ""));
        Hostlist hosts = config.resources().set().hosts();
        if (socket.toString().contains(":")) {
            checks.add(FluxFit.unreachable(uri));
        } else {
            try (FluxClient client = FluxClient.connect("local://" + socket)) {
                hosts = StatusAnswer.parse(client.rpc("resource.status", null))
                        .resources()
                        .hosts();
                checks.add(Check.ok("socket", "Muster answers at " + socket));
            } catch (IOException e) {
                checks.add(new Check("socket", text(e), "start Muster, with this path as socket in [muster]"));
            }
        }
        String brokers = facts.path("instance").path("hosts").asText("");
        brokers = brokers.isEmpty() ? facts.path("configured_hosts").asText("") : brokers;
        checks.add(FluxFit.hosts(
                hosts,
                brokers.isEmpty() ? null : Hostlist.parse(brokers),
                facts.path("errors").path("instance").asText("")));
        checks.add(rights(wanted, facts, config, socket));
        if (wanted == Level.BRIDGE) {
            checks.add(FluxFit.initial(config.streams().initial() == AcquireSettings.Initial.OFFLINE));
        }
    }

    private Check rights(Level wanted, JsonNode facts, Config config, Path socket) throws IOException {
        Accounts accounts = new Accounts();
        String asked = facts.path("instance").path("owner").asText("flux");
        String user = owner == null ? asked : owner;
        OptionalInt uid = accounts.uid(user);
        if (uid.isEmpty()) {
            return new Check("rights", "user " + user + " has no account on this host", "name the owner with --owner");
        }
        int daemon = Files.exists(socket) ? (Integer) Files.getAttribute(socket, "unix:uid") : environment.uid();
        String name = accounts.name(uid.getAsInt());
        Admission admission = Admission.of(daemon, config.access(), accounts, unresolved -> {});
        return FluxFit.rights(name, admission.admit(Identity.ofKernel(uid.getAsInt(), -1, 0), name), wanted);
    }

    private static String units() throws InterruptedException {
        try {
            return new String(
                    Program.run(PROGRAM_SECONDS, "systemctl", "show", "-p", "LoadState", "-p", "After", "flux.service"),
                    UTF_8);
        } catch (IOException noSystemd) {
            return "";
        }
    }

    /** Returns the message in one line, with the last sentence of each traceback of Python in place of the traceback. */
    private static String text(IOException e) {
        return String.valueOf(e.getMessage())
                .replaceAll("(?s)Traceback \\(most recent call last\\):.*\n(?:[\\w.]+: )?", "")
                .replace("\n", "; ");
    }
}
