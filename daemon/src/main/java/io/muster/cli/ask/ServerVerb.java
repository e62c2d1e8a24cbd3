package io.muster.cli.ask;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Verb;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A verb that sends requests to a daemon. The class opens the connection and closes it. */
public abstract class ServerVerb extends Verb {
    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Option(names = "--json", description = "JSON, with a schema_version: keys are only ever added to a version.")
    private boolean json;

    protected ServerVerb(Console console) {
        super(console);
    }

    protected final Duration timeout() {
        return server.timeout();
    }

    /** Returns the value of {@code --timeout}, or null if it is not given. */
    protected final @Nullable Duration givenTimeout() {
        return server.givenTimeout();
    }

    protected final boolean json() {
        return json;
    }

    @Override
    public final Integer call() throws IOException {
        try (FluxClient client = server.connect(console())) {
            return run(client);
        }
    }

    /**
     * Runs the verb.
     *
     * @return the exit status
     */
    protected abstract int run(FluxClient client) throws IOException;
}
