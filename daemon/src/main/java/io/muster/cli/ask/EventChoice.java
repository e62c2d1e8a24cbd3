package io.muster.cli.ask;

import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that choose which journal events are printed, and how. The same options serve events on disk and live events. */
public final class EventChoice {
    @Option(
            names = {"-i", "--include"},
            paramLabel = "TARGETS",
            converter = IncludedTargets.class,
            description = "Print only events about these ranks or hosts.")
    private @Nullable String include;

    @Option(
            names = "--type",
            paramLabel = "NAME,...",
            split = ",",
            hideParamSyntax = true,
            description = "Print only events with these names.")
    private List<String> types = List.of();

    @Option(
            names = {"-H", "--human"},
            description = "Print text instead of JSON, one line per event.")
    private boolean human;

    /** Returns the filter for events on disk. These events do not tell which hosts have {@code @PROPERTY}. */
    public EventFilter filter() {
        return include == null ? named() : named().about(include);
    }

    /** Returns the filter for events from a server, which knows which hosts have {@code @PROPERTY}. */
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
