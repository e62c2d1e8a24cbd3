package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
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
     * Returns the question about the hosts that the options and the targets select.
     *
     * @param targets targets besides {@code -i}, as the user gave them; empty for all
     */
    public ObjectNode question(Console console, List<String> targets) throws IOException {
        ObjectNode question = JsonNodeFactory.instance.objectNode();
        if (!targets.isEmpty()) {
            question.put("targets", String.join(" ", TargetNames.read(console, targets)));
        }
        if (include != null) {
            question.put("include", include);
        }
        if (!queues.isEmpty()) {
            question.put("queues", String.join(",", queues));
        }
        return properties.isEmpty() ? question : question.put("properties", String.join(",", properties));
    }

    public boolean isGiven() {
        return include != null || !queues.isEmpty() || !properties.isEmpty();
    }
}
