package io.muster.daemon.config;

import io.muster.inventory.graph.Agreement;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.RawJson;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ConfigEntry;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code [resource]}, see flux-config-resource(5), with the contents of the files that it names.
 *
 * @param set all resources, including excluded ones, with the properties of queues
 * @param configured {@code set} without the properties of queues
 * @param queues the properties of queues
 * @param excluded ranks that the configuration withholds from schedulers
 * @param origin the source of {@code set}, for the log: a file, {@code resource.config} or {@code this host}
 */
public record Resources(ResourceSet set, ResourceSet configured, QueueHosts queues, Idset excluded, String origin) {
    /** The resources before any configuration was read. */
    public static final Resources NONE =
            new Resources(ResourceSet.EMPTY, ResourceSet.EMPTY, QueueHosts.NONE, Idset.EMPTY, "");

    private static final String THIS_HOST = "this host";
    private static final List<String> BROKER_FLAGS = List.of("norestrict", "noverify", "rediscover", "no-update-watch");

    /** Reads the section. If a problem is reported, the result is meaningless and the caller refuses the whole configuration. */
    static Resources read(ConfigTable resource, ConfigTable queues, Environment environment) {
        readBrokerKeys(resource);
        Path path = resource.pathIfGiven("path");
        Path scheduling = resource.pathIfGiven("scheduling");
        boolean entries = resource.has("config");
        ResourceSet configured = fromEntries(resource);
        if (path == null && !entries) {
            if (scheduling != null) {
                resource.problem("scheduling", "needs resource.path or [[resource.config]]");
            }
            return exclude(resource, queues, ofHost(environment), THIS_HOST);
        }
        if (path != null && entries) {
            resource.note("path", "ignored, since there are [[resource.config]] entries");
        }
        ResourceSet set = path == null || entries ? configured : fromFile(resource, path);
        String origin = path == null || entries ? "resource.config" : path.toString();
        set = scheduling == null ? set : amend(resource, set, scheduling);
        if (set.ranks().isEmpty()) {
            resource.note(
                    path == null || entries ? "config" : "path",
                    "names no host: schedulers get nothing, and a daemon that serves hosts refuses to reload this file");
        }
        Problems contradictions = new Problems();
        Agreement.check(set, contradictions);
        resource.relay(scheduling != null ? scheduling : Path.of(origin), contradictions);
        return exclude(resource, queues, set, origin);
    }

    /** Whether both name the same R, apart from the properties of queues. {@link #NONE} names no R. */
    public boolean hasSameSource(Resources that) {
        return !that.origin.isEmpty() && configured.equals(that.configured);
    }

    /**
     * Returns an R that an admin has loaded with the properties of queues.
     *
     * @param before the resources whose queues {@code loaded} has had until now
     */
    public ResourceSet withQueues(ResourceSet loaded, Resources before) {
        return queues.applyTo(before.queues.removeFrom(loaded));
    }

    /** The names of the properties that the configuration gives to the hosts of queues, and to no other host. */
    public Set<String> queueProperties() {
        return queues.byProperty().keySet();
    }

    /** Whether the configuration names no resources, so that they were discovered on this host. */
    public boolean isDiscovered() {
        return origin.equals(THIS_HOST);
    }

    private static void readBrokerKeys(ConfigTable resource) {
        BROKER_FLAGS.forEach(key -> resource.flag(key, false));
        resource.get("verify", "", node -> {
            ConfigTable.require(node.isBoolean() || node.isObject(), "expected true, false or a table");
            return node.toString();
        });
    }

    private static ResourceSet ofHost(Environment environment) {
        Hostlist host = Hostlist.of(environment.hostname());
        return ResourceSet.of(host, Idset.of(0), Idset.range(0, environment.cores() - 1), Idset.EMPTY, Map.of());
    }

    private static ResourceSet fromEntries(ConfigTable resource) {
        resource.tables("config");
        if (!resource.has("config")) {
            return ResourceSet.EMPTY;
        }
        Problems problems = new Problems();
        List<ConfigEntry> entries = ConfigEntry.readAll(resource.json("config"), "resource.config", problems);
        Problems semantic = new Problems();
        ResourceSet set = ResourceSet.fromConfig(entries, semantic);
        resource.relay("config", problems);
        resource.relay("config", semantic);
        return set == null ? ResourceSet.EMPTY : set;
    }

    private static ResourceSet fromFile(ConfigTable resource, Path path) {
        Problems problems = new Problems();
        byte[] bytes = content(resource, "path", path);
        ResourceSet set = bytes == null ? null : ResourceSet.parse(bytes, problems);
        resource.relay(path, problems);
        return set == null ? ResourceSet.EMPTY : set;
    }

    private static ResourceSet amend(ConfigTable resource, ResourceSet set, Path path) {
        byte[] bytes = content(resource, "scheduling", path);
        if (bytes == null) {
            return set;
        }
        Problems problems = new Problems();
        RawJson scheduling = StrictJson.readRaw(bytes, problems);
        resource.relay(path, problems);
        return scheduling == null ? set : set.withScheduling(scheduling);
    }

    private static byte @Nullable [] content(ConfigTable resource, String key, Path path) {
        try {
            return SourceFile.read(path);
        } catch (IOException e) {
            resource.problem(key, path + " cannot be read: " + SourceFile.reason(e));
            return null;
        }
    }

    private static Resources exclude(ConfigTable resource, ConfigTable queues, ResourceSet configured, String origin) {
        QueueHosts hosts = QueueHosts.read(queues, configured);
        ResourceSet set = hosts.applyTo(configured);
        String targets = resource.text("exclude", "");
        Idset excluded = Idset.EMPTY;
        try {
            excluded = targets.isEmpty() || set.ranks().isEmpty() ? Idset.EMPTY : set.targets(targets);
        } catch (IllegalArgumentException e) {
            resource.problem("exclude", String.valueOf(e.getMessage()));
        }
        if (!excluded.isEmpty() && excluded.equals(set.ranks())) {
            resource.note("exclude", "leaves no rank for schedulers");
        }
        return new Resources(set, configured, hosts, excluded, origin);
    }
}
