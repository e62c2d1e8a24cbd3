package io.muster.daemon.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A complete, checked configuration; immutable. */
public final class Config {
    private static final double HALF = 0.5;

    private final Resources resources;
    private final Access access;
    private final Listen listen;
    private final Storage storage;
    private final Storage.Clock clock;
    private final AcquireSettings streams;
    private final Reporting reporting;
    private final double reloadDrop;
    private final Effective effective;
    private final List<Problem> notes;
    private final ObjectNode tree;

    private Config(ObjectNode tree, Settings settings, Environment environment, Problems problems) {
        this.tree = tree;
        resources = Resources.read(settings, environment);
        access = Access.read(settings);
        listen = Listen.read(settings, environment);
        storage = Storage.read(settings, environment);
        clock = Storage.Clock.read(settings);
        streams = AcquireSettings.read(settings);
        reporting = Reporting.read(settings);
        reloadDrop = settings.share(Key.RELOAD_DROP, HALF);
        effective = settings.effective();
        problems.throwIfAny("configuration");
        notes = problems.warnings();
    }

    /**
     * @param path a file or a directory of {@code *.toml}; null for the default file or, if that does not exist, for the defaults alone
     * @throws InvalidException with every problem found, each with its file and line
     */
    public static Config load(@Nullable Path path, Environment environment) {
        Problems problems = new Problems();
        Document document = document(path, environment, problems);
        document.tree().properties().forEach(field -> checkTable(field.getKey(), field.getValue(), document, problems));
        return new Config(document.tree(), new Settings(document, problems), environment, problems);
    }

    private static Document document(@Nullable Path path, Environment environment, Problems problems) {
        if (path != null) {
            return Document.read(path, problems);
        }
        Path usual = environment.configFile();
        return Files.exists(usual) ? Document.read(usual, problems) : Document.empty();
    }

    private static void checkTable(String name, JsonNode table, Document document, Problems problems) {
        String place = document.place(List.of(name));
        String suggestion = Key.suggestion(name, Key.SECTIONS);
        if (table.isArray() && !table.isEmpty() && table.path(0).isObject()) {
            boolean ours = Key.SECTIONS.contains(name);
            problems.add(
                    place,
                    ours
                            ? name + ": is one table: write [" + name + "]"
                            : "[[" + name + "]]: unknown array of tables" + suggestion);
        } else if (!table.isObject()) {
            problems.add(place, name + ": expected to stand in a table" + suggestion);
        } else if (Key.SECTIONS.contains(name)) {
            table.fieldNames().forEachRemaining(key -> checkKey(name, key, document, problems));
        } else if (!suggestion.isEmpty()) {
            problems.add(place, "[" + name + "]: unknown table" + suggestion);
        } else if (!name.equals("queues")) { // the -q option of the command reads this table
            problems.warn(place, "[" + name + "]: not a table of Muster's; ignored");
        }
    }

    private static void checkKey(String section, String name, Document document, Problems problems) {
        String place = document.place(List.of(section, name));
        Key key = Key.find(section, name).orElse(null);
        if (key == null) {
            String known = Key.suggestion(name, Key.keysOf(section));
            problems.add(place, section + "." + name + ": unknown key" + known);
        } else if (key.effect() == Key.Effect.BROKER) {
            problems.warn(place, key + ": only a Flux broker uses this (" + key.about() + "); ignored");
        }
    }

    /** All tables as they stand in the files, including those of other programs: the answer to flux's {@code config.get}. */
    public ObjectNode toJson() {
        return tree.deepCopy();
    }

    public Resources resources() {
        return resources;
    }

    public Access access() {
        return access;
    }

    public Listen listen() {
        return listen;
    }

    public Storage storage() {
        return storage;
    }

    public Storage.Clock clock() {
        return clock;
    }

    public AcquireSettings streams() {
        return streams;
    }

    public Reporting reporting() {
        return reporting;
    }

    /** The largest share of the hosts in force that a reload of this configuration may take away; 1 permits everything. */
    public double reloadDrop() {
        return reloadDrop;
    }

    /** What was accepted, but not obeyed or not as it was perhaps meant. */
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
