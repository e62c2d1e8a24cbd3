package io.muster.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.Lifetime;
import io.muster.cli.ask.NamedDaemon;
import io.muster.cli.ask.ServerOptions;
import io.muster.cli.past.PolicyVerb;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Verb;
import io.muster.cli.terminal.Zone;
import io.muster.daemon.access.Accounts;
import io.muster.daemon.access.Grants;
import io.muster.daemon.config.Access;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Grant;
import io.muster.daemon.tls.CertificateFiles;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Text;
import io.muster.inventory.rset.Queues;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster check}. */
@Command(
        name = "check",
        description = {
            "Check a configuration file and report every problem.",
            "The exit status is 0 if the daemon would accept the configuration, else 1. Notes do not count."
        },
        footer = {
            "  muster check",
            "  muster check --effective /etc/muster/muster.toml",
            "  muster check --quiet conf.d && systemctl reload muster"
        })
final class Check extends Verb {
    private final Environment environment;

    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description = "TOML file, or directory of TOML files. Default: the file that `muster serve` reads.")
    private @Nullable Path file;

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Option(
            names = {"-e", "--effective"},
            description = "Show every key with its value and source.")
    private boolean effective;

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only problems.")
    private boolean quiet;

    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    Check(Console console, Environment environment) {
        super(console);
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        try {
            Config config = CertificateFiles.checked(Config.load(file, environment));
            if (file == null) {
                new NamedDaemon(server, console())
                        .require(config, "run this on the host of the daemon, or name a file");
            }
            return accepted(config);
        } catch (InvalidException e) {
            if (json) {
                console().json(document(false, e.problems(), List.of()));
            } else {
                e.problems().forEach(problem -> console().complain(problem.toString()));
            }
            return Exit.ERROR;
        }
    }

    private int accepted(Config config) throws IOException {
        List<Problem> notes = new ArrayList<>(config.notes());
        if (config.resources().isDiscovered() && (file != null || Files.exists(environment.configFile()))) {
            notes.add(new Problem(
                    String.valueOf(file == null ? environment.configFile() : file),
                    "neither resource.path nor [[resource.config]] is set, so the inventory is this host alone; a daemon "
                            + "that serves configured hosts refuses to reload this file"));
        }
        notes.addAll(strangers(config));
        notes.addAll(emptyQueues(config));
        notes.addAll(PolicyVerb.notes(config, console().now()));
        if (json) {
            ObjectNode document = document(true, List.of(), notes);
            Lifetime.of(config.resources().set()).writeTo(document);
            console().json(document);
            return Exit.OK;
        }
        if (!quiet) {
            notes.forEach(note -> console().complain(note.toString()));
        }
        if (effective) {
            config.effective().lines().forEach(console()::println);
        } else if (!quiet) {
            console()
                    .println("ok: " + summary(config, console().now(), console().zone()) + "; checked "
                            + (source().isEmpty() ? "the defaults, because there is no file" : source()));
        }
        return Exit.OK;
    }

    /** Returns the file that was checked; "" if there is none. */
    private String source() {
        Path read = file == null ? environment.configFile() : file;
        return file == null && !Files.exists(read) ? "" : read.toString();
    }

    /** Returns a note for each user and group in the configuration that has no account on this host, and so gets no right. */
    private static List<Problem> strangers(Config config) {
        List<Problem> notes = new ArrayList<>();
        Access access = config.access();
        List<String> names = Stream.concat(
                        access.admins().stream(), access.grants().stream().flatMap(grant -> grant.who().stream()))
                .filter(name -> !name.equals(Grant.ROLE_ADMIN))
                .distinct()
                .toList();
        Grants.resolve(
                names,
                new Accounts(),
                name -> notes.add(
                        new Problem("access", "\"" + name + "\" has no account on this host, and gets no right")));
        return notes;
    }

    /** Returns a note for each queue that has no host, which is nearly always a property with a typing error. */
    private static List<Problem> emptyQueues(Config config) {
        List<Problem> notes = new ArrayList<>();
        ResourceSet resources = config.resources().set();
        Queues queues = Queues.parse(config.toJson().path("queues"));
        queues.requires().forEach((name, required) -> {
            List<String> missing = new ArrayList<>(required);
            missing.removeIf(property ->
                    property.startsWith("^") || resources.properties().containsKey(property));
            if (!missing.isEmpty()) {
                notes.add(new Problem(
                        "queues." + name, "requires " + String.join(", ", missing) + ", which no host has"));
            } else if (queues.ranks(resources, name).isEmpty()) {
                notes.add(new Problem(
                        "queues." + name, "no host has all that the queue requires: " + String.join(", ", required)));
            }
        });
        return notes;
    }

    private static String summary(Config config, double now, Zone zone) {
        ResourceSet set = config.resources().set();
        String lifetime = Lifetime.of(set).text(now, zone);
        int excluded = config.resources().excluded().size();
        return Text.count(set.nodes(), "node") + ", " + Text.count(set.cores(), "core") + ", "
                + Text.count(set.gpus(), "GPU") + " from " + config.resources().origin()
                + (excluded == 0 ? "" : ", " + excluded + " excluded")
                + (lifetime.isEmpty() ? "" : ", " + lifetime);
    }

    private ObjectNode document(boolean valid, List<Problem> problems, List<Problem> notes) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("schema_version", SCHEMA_VERSION).put("file", source());
        json.put("valid", valid);
        list(json.putArray("problems"), problems);
        list(json.putArray("notes"), notes);
        return json;
    }

    private static void list(ArrayNode array, List<Problem> problems) {
        for (Problem problem : problems) {
            array.addObject().put("place", problem.place()).put("sentence", problem.sentence());
        }
    }
}
