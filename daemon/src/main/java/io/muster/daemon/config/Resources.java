package io.muster.daemon.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.graph.Agreement;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ConfigEntry;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code [resource]}, see flux-config-resource(5), with the contents of the files that it names.
 *
 * @param set all resources, including excluded ones
 * @param excluded ranks that the configuration withholds from schedulers
 * @param origin the source of {@code set}, for the log: a file, {@code resource.config} or {@code this host}
 */
public record Resources(ResourceSet set, Idset excluded, String origin) {
    private static final String THIS_HOST = "this host";
    private static final List<Key> BROKER_FLAGS = List.of(
            Key.RESOURCE_NORESTRICT, Key.RESOURCE_NOVERIFY, Key.RESOURCE_REDISCOVER, Key.RESOURCE_NO_UPDATE_WATCH);

    /** Reads the section. If a problem is reported, the result is meaningless and the caller refuses the whole configuration. */
    static Resources read(Settings settings, Environment environment) {
        readBrokerKeys(settings);
        Path path = settings.pathIfGiven(Key.RESOURCE_PATH);
        Path scheduling = settings.pathIfGiven(Key.RESOURCE_SCHEDULING);
        boolean entries = settings.has(Key.RESOURCE_CONFIG);
        ResourceSet configured = fromEntries(settings);
        if (path == null && !entries) {
            if (scheduling != null) {
                settings.problem(Key.RESOURCE_SCHEDULING, "needs resource.path or [[resource.config]]");
            }
            return exclude(settings, ofHost(environment), THIS_HOST);
        }
        if (path != null && entries) {
            settings.note(Key.RESOURCE_PATH, "ignored, since there are [[resource.config]] entries");
        }
        ResourceSet set = path == null || entries ? configured : fromFile(settings, path);
        String origin = path == null || entries ? Key.RESOURCE_CONFIG.toString() : path.toString();
        set = scheduling == null ? set : amend(settings, set, scheduling);
        if (set.ranks().isEmpty()) {
            settings.note(
                    path == null || entries ? Key.RESOURCE_CONFIG : Key.RESOURCE_PATH,
                    "names no host: schedulers have nothing, and a daemon that serves hosts refuses to reload this");
        }
        Problems contradictions = new Problems();
        Agreement.check(set, contradictions);
        settings.relay(scheduling != null ? scheduling : Path.of(origin), contradictions);
        return exclude(settings, set, origin);
    }

    /** Whether the configuration names no resources, so that they were discovered on this host. */
    public boolean isDiscovered() {
        return origin.equals(THIS_HOST);
    }

    private static void readBrokerKeys(Settings settings) {
        BROKER_FLAGS.forEach(key -> settings.flag(key, false));
        settings.get(Key.RESOURCE_VERIFY, "", node -> {
            Settings.require(node.isBoolean() || node.isObject(), "expected true, false or a table");
            return node.toString();
        });
    }

    private static ResourceSet ofHost(Environment environment) {
        Hostlist host = Hostlist.of(environment.hostname());
        return ResourceSet.of(host, Idset.of(0), Idset.range(0, environment.cores() - 1), Idset.EMPTY, Map.of());
    }

    private static ResourceSet fromEntries(Settings settings) {
        Key key = Key.RESOURCE_CONFIG;
        JsonNode array = settings.node(key);
        if (array.isMissingNode()) {
            settings.record(key, "0 entries");
            return ResourceSet.EMPTY;
        }
        Problems problems = new Problems();
        List<ConfigEntry> entries = ConfigEntry.readAll(array, key.toString(), problems);
        settings.record(key, entries.size() + (entries.size() == 1 ? " entry" : " entries"));
        Problems semantic = new Problems();
        ResourceSet set = ResourceSet.fromConfig(entries, semantic);
        settings.relay(key, problems, semantic);
        return set == null ? ResourceSet.EMPTY : set;
    }

    private static ResourceSet fromFile(Settings settings, Path path) {
        Problems problems = new Problems();
        byte[] bytes = content(settings, Key.RESOURCE_PATH, path);
        ResourceSet set = bytes == null ? null : ResourceSet.parse(bytes, problems);
        settings.relay(path, problems);
        return set == null ? ResourceSet.EMPTY : set;
    }

    private static ResourceSet amend(Settings settings, ResourceSet set, Path path) {
        byte[] bytes = content(settings, Key.RESOURCE_SCHEDULING, path);
        if (bytes == null) {
            return set;
        }
        Problems problems = new Problems();
        ResourceSet amended = set.withScheduling(bytes, problems);
        settings.relay(path, problems);
        return amended == null ? set : amended;
    }

    private static byte @Nullable [] content(Settings settings, Key key, Path path) {
        try {
            return SourceFile.read(path);
        } catch (IOException e) {
            settings.problem(key, path + " cannot be read: " + SourceFile.reason(e));
            return null;
        }
    }

    private static Resources exclude(Settings settings, ResourceSet set, String origin) {
        String targets = settings.text(Key.RESOURCE_EXCLUDE, "");
        Idset excluded = Idset.EMPTY;
        try {
            excluded = targets.isEmpty() || set.ranks().isEmpty() ? Idset.EMPTY : set.targets(targets);
        } catch (IllegalArgumentException e) {
            settings.problem(Key.RESOURCE_EXCLUDE, String.valueOf(e.getMessage()));
        }
        if (!excluded.isEmpty() && excluded.equals(set.ranks())) {
            settings.note(Key.RESOURCE_EXCLUDE, "leaves no rank for schedulers");
        }
        return new Resources(set, excluded, origin);
    }
}
