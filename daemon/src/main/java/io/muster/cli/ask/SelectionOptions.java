package io.muster.cli.ask;

import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that select ranks: {@code -i} and {@code -q} of flux resource, and {@code -p}, which flux does not have. */
public final class SelectionOptions {
    @Option(
            names = {"-i", "--include"},
            paramLabel = "TARGETS",
            converter = IncludedTargets.class,
            description = "Select only these ranks or hosts. Unknown ones are ignored unless all are unknown.")
    private @Nullable String include;

    @Option(
            names = {"-q", "--queue"},
            paramLabel = "NAME,...",
            hideParamSyntax = true,
            split = ",",
            description = "Select only hosts of these queues. A name that is not in [queues] of the configuration is a "
                    + "property.")
    private List<String> queues = List.of();

    @Option(
            names = {"-p", "--property"},
            paramLabel = "NAME,...",
            hideParamSyntax = true,
            split = ",",
            description = "Select only hosts with one of these properties.")
    private List<String> properties = List.of();

    /**
     * Returns the ranks that the options and the targets select.
     *
     * @param targets targets besides {@code -i}; empty for all
     */
    public Idset among(FluxClient client, ResourceSet resources, List<String> targets) throws IOException {
        Idset chosen = targets.isEmpty() ? resources.ranks() : find(resources, targets);
        if (include != null) {
            chosen = chosen.intersect(TargetNames.among(resources, TargetNames.resolve(client, include, false)));
        }
        if (!queues.isEmpty()) {
            chosen = chosen.intersect(inQueues(resources, Queues.ask(client)));
        }
        return properties.isEmpty() ? chosen : chosen.intersect(withProperties(resources));
    }

    public boolean isGiven() {
        return include != null || !queues.isEmpty() || !properties.isEmpty();
    }

    /** Returns the queues given with {@code -q}; empty for all. */
    public List<String> queues() {
        return queues;
    }

    /** Returns the ranks selected by all targets together; fails if one of them does not exist. */
    public static Idset find(ResourceSet resources, List<String> targets) {
        Idset found = Idset.EMPTY;
        for (String text : targets) {
            found = found.union(TargetNames.find(resources, text));
        }
        return found;
    }

    private Idset inQueues(ResourceSet resources, Queues configured) {
        Idset found = Idset.EMPTY;
        for (String name : queues) {
            if (configured.has(name)) {
                found = found.union(configured.ranks(resources, name));
            } else if (resources.properties().containsKey(name)
                    || configured.requires().isEmpty()) {
                found = found.union(TargetNames.having(resources, name));
            } else {
                String advice = TargetNames.known(name, configured.requires().keySet());
                throw new Failure(Exit.NO_TARGET, "there is no queue " + name, advice);
            }
        }
        return found;
    }

    private Idset withProperties(ResourceSet resources) {
        Idset found = Idset.EMPTY;
        for (String name : properties) {
            found = found.union(TargetNames.having(resources, name));
        }
        return found;
    }
}
