package io.muster.daemon.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.graph.GraphEntry;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.state.Brake;
import io.muster.inventory.state.Policy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A complete, checked configuration; immutable. */
public final class Config {
    /**
     * Where a configuration comes from.
     *
     * @param file a file or a directory of {@code *.toml}; null for the default file or, if that does not exist, for the defaults alone
     * @param socket the socket in place of {@code muster.socket}; null for the one in the file
     * @param stateDir the directory in place of {@code muster.state-dir}; null for the one in the file
     */
    public record Source(
            @Nullable Path file,
            @Nullable Path socket,
            @Nullable Path stateDir) {
        /** @throws InvalidException with every problem found, each with its file and line */
        public Config load(Environment environment) {
            Problems problems = new Problems();
            ConfigTree document = document(file, environment, problems);
            document.set("--socket", Key.SOCKET, socket);
            document.set("--state-dir", Key.STATE_DIR, stateDir);
            ConfigTable top = new ConfigTable(document, problems);
            top.names().forEach(name -> checkTable(name, top));
            return new Config(document.tree(), top, environment, problems);
        }
    }

    private static final double CONFIRM_SHARE = 0.2;

    private static final double HALF = 0.5;

    private final Resources resources;
    private final List<GraphEntry> graph;
    private final Access access;
    private final Listen listen;
    private final List<ListenAddress> addresses;
    private final Storage storage;
    private final Storage.Clock clock;
    private final LedgerSettings ledger;
    private final AcquireSettings streams;
    private final Reporting reporting;
    private final HoldSettings holds;
    private final AlertSettings alerts;
    private final List<Brake> brakes;
    private final List<Policy> policies;
    private final FluxSettings flux;
    private final double reloadDrop;
    private final double confirmShare;
    private final Effective effective;
    private final List<Problem> notes;
    private final ObjectNode tree;

    private Config(ObjectNode tree, ConfigTable top, Environment environment, Problems problems) {
        this.tree = tree;
        ConfigTable resource = top.section("resource");
        ConfigTable muster = top.section("muster");
        resources = Resources.read(resource, top.section("queues"), environment);
        graph = ConfiguredGraph.read(top, resources.set());
        holds = HoldSettings.read(top.section("holds"));
        alerts = AlertSettings.read(top.section("alerts"));
        brakes = Brakings.read(top, alerts.holder());
        policies = PolicyEntries.read(top, brakes, holds, alerts.holder());
        flux = FluxSettings.read(top.section("flux"), resources.set());
        access = Access.read(top, alerts.holder());
        listen = Listen.read(muster, environment);
        addresses = ListenAddress.readAll(top, listen);
        storage = Storage.read(muster, resource, environment);
        clock = Storage.Clock.read(muster);
        ledger = LedgerSettings.read(top.section("ledger"), listen, environment);
        streams = AcquireSettings.read(muster);
        reporting = Reporting.read(muster);
        reloadDrop = muster.share("reload-drop", HALF);
        confirmShare = muster.share("confirm-share", CONFIRM_SHARE);
        effective = top.effective();
        problems.throwIfAny("configuration");
        notes = problems.warnings();
    }

    /** Loads a configuration from a file alone, see {@link Source#load}. */
    public static Config load(@Nullable Path path, Environment environment) {
        return new Source(path, null, null).load(environment);
    }

    private static ConfigTree document(@Nullable Path path, Environment environment, Problems problems) {
        if (path != null) {
            return ConfigTree.read(path, problems);
        }
        Path usual = environment.configFile();
        return Files.exists(usual) ? ConfigTree.read(usual, problems) : new ConfigTree();
    }

    private static void checkTable(String name, ConfigTable top) {
        JsonNode table = top.json(name);
        String place = top.place(name);
        String suggestion = Key.suggestion(name, Key.TOP);
        boolean ours = Key.SECTIONS.contains(name);
        if (Key.ARRAYS.contains(name)) {
            return; // Access, ListenAddress and ConfiguredGraph, Brakings and PolicyEntries read and check the entries
        }
        if (!table.isObject() && ours) {
            top.problem(name, "is one table: write [" + name + "]");
        } else if (table.path(0).isObject()) {
            top.problems().add(place, "[[" + name + "]]: unknown array of tables" + suggestion);
        } else if (!table.isObject()) {
            List<String> homes = Key.SECTIONS.stream()
                    .filter(section -> Key.find(section, name).isPresent())
                    .map(section -> "[" + section + "]")
                    .toList();
            top.problem(
                    name, "must be in a table" + (homes.isEmpty() ? suggestion : ": " + String.join(" or ", homes)));
        } else if (ours) {
            checkSection(name, top.section(name));
        } else if (!suggestion.isEmpty()) {
            top.problems().add(place, "[" + name + "]: unknown table" + suggestion);
        } else if (!name.equals("queues")) { // Resources and the -q option of the command read this table
            top.problems().warn(place, "[" + name + "]: not a table of Muster's; ignored");
        }
    }

    private static void checkSection(String name, ConfigTable section) {
        section.refuseUnknown(Key.keysOf(name));
        section.names().stream()
                .flatMap(key -> Key.find(name, key).stream())
                .filter(key -> key.effect() == Key.Effect.BROKER)
                .forEach(key -> section.note(key.key(), "only a Flux broker uses this (" + key.about() + "); ignored"));
    }

    /** All tables of the files, including those of other programs: the answer to flux's {@code config.get}. */
    public ObjectNode toJson() {
        return tree.deepCopy();
    }

    public Resources resources() {
        return resources;
    }

    /** {@code [[graph]]}. */
    public List<GraphEntry> graph() {
        return graph;
    }

    public Access access() {
        return access;
    }

    public Listen listen() {
        return listen;
    }

    /** {@code [[listen]]}. */
    public List<ListenAddress> addresses() {
        return addresses;
    }

    public Storage storage() {
        return storage;
    }

    public Storage.Clock clock() {
        return clock;
    }

    public LedgerSettings ledger() {
        return ledger;
    }

    public AcquireSettings streams() {
        return streams;
    }

    public Reporting reporting() {
        return reporting;
    }

    /** {@code [flux]}. */
    public FluxSettings flux() {
        return flux;
    }

    /** {@code [holds]}. */
    public HoldSettings holds() {
        return holds;
    }

    /** {@code [alerts]}. */
    public AlertSettings alerts() {
        return alerts;
    }

    /** {@code [[policy]]}. */
    public List<Policy> policies() {
        return policies;
    }

    /** {@code [[brake]]}. */
    public List<Brake> brakes() {
        return brakes;
    }

    /** Returns the share of the hosts beyond which a person is asked before a change. */
    public double confirmShare() {
        return confirmShare;
    }

    /** The largest share of the hosts in force that a reload of this configuration may take away; 1 permits everything. */
    public double reloadDrop() {
        return reloadDrop;
    }

    /** Warnings about values that are accepted but ignored, or that may not mean what the operator intends. */
    public List<Problem> notes() {
        return notes;
    }

    public Effective effective() {
        return effective;
    }

    /** Keys whose value differs from the one in {@code started}, the configuration at start, and takes effect only after a restart. */
    public List<Key> waitingForRestart(Config started) {
        return effective.settings().stream()
                .filter(s -> s.key().effect() == Key.Effect.RESTART)
                .filter(s -> !s.value().equals(started.effective.of(s.key()).value()))
                .map(Effective.Setting::key)
                .toList();
    }
}
