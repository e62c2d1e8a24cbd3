package io.muster.daemon.cli.query;

import io.muster.daemon.cli.console.Targets;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which ranks to speak of: flux resource's {@code -i} and {@code -q}. */
public final class Selection {
    @Option(
            names = {"-i", "--include"},
            paramLabel = "TARGETS",
            description = "Only these ranks or hosts. Those that are not there do not matter if any is.")
    private @Nullable String include;

    @Option(
            names = {"-q", "--queue", "-p", "--property"},
            paramLabel = "NAME,...",
            hideParamSyntax = true,
            split = ",",
            description = "Only hosts with one of these properties, by which schedulers tell queues apart.")
    private String @Nullable [] properties;

    /** @param targets besides {@code -i}; none for all */
    Idset among(ResourceSet resources, List<String> targets) {
        Idset chosen = targets.isEmpty() ? resources.ranks() : find(resources, targets);
        if (include != null) {
            chosen = chosen.intersect(Targets.among(resources, include));
        }
        return properties == null ? chosen : chosen.intersect(withProperties(resources, properties));
    }

    boolean isGiven() {
        return include != null || properties != null;
    }

    static Idset find(ResourceSet resources, List<String> targets) {
        Idset found = Idset.EMPTY;
        for (String text : targets) {
            found = found.union(Targets.find(resources, text));
        }
        return found;
    }

    private static Idset withProperties(ResourceSet resources, String[] names) {
        Idset found = Idset.EMPTY;
        for (String name : names) {
            found = found.union(Targets.having(resources, name));
        }
        return found;
    }
}
