package io.muster.cli.past;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDirOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.cli.terminal.Zone;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Fsd;
import io.muster.daemon.journal.JournalArchive;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.ledger.Archive;
import io.muster.inventory.axis.Times;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Text;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Policy;
import io.muster.inventory.state.Rehearsal;
import io.muster.inventory.state.StateJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster policy}. */
@Command(
        name = "policy",
        description = {
            "Show the policies of a configuration, and what each of them would have done in the past.",
            "The command reads the configuration and the journal on disk, and asks no daemon: try a policy in a copy of the"
                    + " file before you switch it on."
        },
        footer = {"  muster policy", "  muster policy --replay=90d new.toml"})
public final class PolicyVerb extends Verb {
    /** How far {@code muster check} looks back. */
    private static final double MONTH = 30 * 86_400.0;

    private final Environment environment;

    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description = "TOML file, or directory of TOML files. Default: the file that `muster serve` reads.")
    private @Nullable Path file;

    @Option(names = "--replay", paramLabel = "TIME", description = "How far to look back, such as 90d. Default: 30d.")
    private String replay = "30d";

    @Mixin
    private final StateDirOptions place = new StateDirOptions();

    @Option(names = "--json", description = "Print JSON with a schema_version.")
    private boolean json;

    public PolicyVerb(Console console, Environment environment) {
        super(console);
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        Config config = Config.load(file, environment);
        double since = console().now() - span();
        Disk disk = place.isGiven()
                ? place.disk(console())
                : StateDirOptions.disk(config.storage().stateDir(), "state directory");
        List<Rehearsal.Act> acts = acts(config, disk, since, console().now());
        if (json) {
            console().json(document(config, acts, since));
        } else if (config.policies().isEmpty()) {
            console().println("no [[policy]] is configured: the daemon drains no host by itself");
        } else {
            print(config, acts, since);
        }
        return Exit.OK;
    }

    private double span() {
        try {
            return Fsd.parse(replay).seconds();
        } catch (MalformedException e) {
            throw new Failure(Exit.USAGE, "--replay: " + e.getMessage());
        }
    }

    /**
     * Returns what the policies of a configuration would have done since a time, according to a state directory.
     *
     * @throws IllegalArgumentException if an event or a state is not understood
     */
    private static List<Rehearsal.Act> acts(Config config, Disk disk, double since, double now) throws IOException {
        Rehearsal rehearsal = new Rehearsal(config.policies(), config.brakes());
        Archive.Selection all = new Archive.Selection(Set.of(), since, Long.MAX_VALUE);
        try (Archive.Reading reading = new JournalArchive(disk).open(all)) {
            List<Entry> change = new ArrayList<>();
            for (Archive.Item item = reading.next(); item != null; item = reading.next()) {
                if (item instanceof Archive.Item.State found) {
                    rehearsal.continueFrom(StateJson.parse(found.json()), found.time());
                } else if (item instanceof Archive.Item.Event event) {
                    change.add(Entry.parse(event.json()));
                    if (event.json().path("more").asInt()
                            == 0) { // the last change may not have been written completely
                        change.forEach(rehearsal::happens);
                        change.clear();
                    }
                }
            }
        }
        rehearsal.until(now);
        return rehearsal.acts().stream().filter(act -> act.time() >= since).toList();
    }

    /** Returns a note for each policy: what it would have done, if the journal can be read, and what is wrong with its targets. */
    public static List<Problem> notes(Config config, double now) throws IOException {
        List<Problem> notes = new ArrayList<>();
        if (config.policies().isEmpty()) {
            return notes;
        }
        Path directory = config.storage().stateDir();
        boolean readable = Files.isReadable(directory.resolve("journal"));
        List<Rehearsal.Act> acts = readable ? acts(config, LocalDisk.existing(directory), now - MONTH, now) : List.of();
        for (Policy policy : config.policies()) {
            String fault = policy.fault(config.resources().set());
            if (!fault.isEmpty()) {
                notes.add(new Problem("policy " + name(policy), fault));
            }
            notes.add(new Problem(
                    "policy " + name(policy),
                    readable
                            ? "in the last 30 days it " + summary(policy, acts)
                            : "what it would have done is not known: " + directory + " cannot be read"));
        }
        return notes;
    }

    /** Returns in one sentence what a policy would have done. */
    private static String summary(Policy policy, List<Rehearsal.Act> acts) {
        long times = acts.stream()
                .filter(act -> act.policy().equals(policy) && act.refusal().isEmpty())
                .count();
        int hosts = acts.stream()
                .filter(act -> act.policy().equals(policy) && act.refusal().isEmpty())
                .mapToInt(Rehearsal.Act::count)
                .sum();
        long refused = acts.stream()
                .filter(act -> act.policy().equals(policy) && !act.refusal().isEmpty())
                .count();
        return "would have drained "
                + (hosts == 0 ? "nothing" : Text.count(hosts, "host") + ", in " + Text.count(times, "change"))
                + (refused == 0 ? "" : "; a brake would have stopped it " + Text.count(refused, "time"));
    }

    private void print(Config config, List<Rehearsal.Act> acts, double since) {
        Zone zone = console().zone();
        for (Policy policy : config.policies()) {
            console().println(name(policy) + ": since " + zone.second(since) + " it " + summary(policy, acts));
            for (Rehearsal.Act act : acts) {
                if (act.policy().equals(policy)) {
                    console()
                            .println("  " + zone.second(act.time()) + " " + act.hosts()
                                    + (act.refusal().isEmpty() ? "" : " not: " + act.refusal()));
                }
            }
        }
    }

    /** Returns a short text that names a policy for people. */
    private static String name(Policy policy) {
        return policy.holder() + ", " + policy.when().word() + " " + new Fsd(policy.after()) + ", " + policy.targets();
    }

    private static ObjectNode document(Config config, List<Rehearsal.Act> acts, double since) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("schema_version", SCHEMA_VERSION);
        json.put("since", Times.rfc3339(since));
        ArrayNode policies = json.putArray("policies");
        for (Policy policy : config.policies()) {
            ObjectNode each =
                    policies.addObject().put("when", policy.when().word()).put("after", policy.after());
            each.put("targets", policy.targets()).put("holder", policy.holder()).put("reason", policy.reason());
            ArrayNode done = each.putArray("acts");
            acts.stream()
                    .filter(act -> act.policy().equals(policy))
                    .forEach(act -> done.addObject()
                            .put("time", Times.rfc3339(act.time()))
                            .put("nnodes", act.count())
                            .put("hosts", act.hosts())
                            .put("refusal", act.refusal().isEmpty() ? null : act.refusal()));
        }
        return json;
    }
}
