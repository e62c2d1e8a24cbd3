package io.muster.daemon.cli.query;

import io.muster.daemon.cli.console.Exit;
import io.muster.daemon.cli.console.Failure;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which ranks to speak of: flux resource's {@code -i} and {@code -q}. */
public final class Selection {
    @Option(
            names = {"-i", "--include"},
            paramLabel = "TARGETS",
            description = "Only these ranks or hosts: an idset or a hostlist.")
    private @Nullable String include;

    @Option(
            names = {"-q", "--queue", "-p", "--property"},
            paramLabel = "NAME,...",
            hideParamSyntax = true,
            split = ",",
            description = "Only hosts with one of these properties, by which schedulers tell queues apart.")
    private String @Nullable [] properties;

    /** @param targets an idset or hostlist besides {@code -i}, or null */
    Idset among(ResourceSet resources, @Nullable String targets) {
        Idset chosen = targets == null ? resources.ranks() : targets(resources, targets);
        if (include != null) {
            chosen = chosen.intersect(targets(resources, include));
        }
        return properties == null ? chosen : chosen.intersect(withProperties(resources, properties));
    }

    static Idset targets(ResourceSet resources, String text) {
        try {
            return resources.targets(text);
        } catch (MalformedException | TargetException e) {
            throw new Failure(Exit.NO_TARGET, String.valueOf(e.getMessage()));
        }
    }

    private static Idset withProperties(ResourceSet resources, String[] names) {
        Idset found = Idset.EMPTY;
        for (String name : names) {
            Idset ranks = resources.properties().get(name);
            if (ranks == null) {
                throw new Failure(
                        Exit.NO_TARGET,
                        "no host has the property " + name,
                        resources.properties().isEmpty()
                                ? ""
                                : "there are "
                                        + String.join(
                                                ", ", resources.properties().keySet()));
            }
            found = found.union(ranks);
        }
        return found;
    }
}
