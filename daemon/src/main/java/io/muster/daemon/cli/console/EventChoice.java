package io.muster.daemon.cli.console;

import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which of the journal's events to print, and how: the same for those on disk and for those that happen. */
public final class EventChoice {
    @Option(
            names = {"-i", "--include"},
            paramLabel = "TARGETS",
            description = "Only events about these ranks or hosts.")
    private @Nullable String include;

    @Option(
            names = "--type",
            paramLabel = "NAME,...",
            split = ",",
            hideParamSyntax = true,
            description = "Only these events.")
    private List<String> types = List.of();

    @Option(
            names = {"-H", "--human"},
            description = "A line to read instead of JSON.")
    private boolean human;

    /** For events on disk: who has {@code @PROPERTY}, they do not say. */
    public EventFilter filter() {
        return include == null ? named() : named().about(include);
    }

    /** For a server's, which knows it. */
    public EventFilter filter(FluxClient client) throws IOException {
        return include == null ? named() : named().about(client, include);
    }

    private EventFilter named() {
        return EventFilter.ALL.named(types);
    }

    public boolean human() {
        return human;
    }
}
