package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Pause;
import io.muster.cli.terminal.Verb;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.ProtocolException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A verb that sends requests to a daemon. The class opens the connection and closes it. */
public abstract class ServerVerb extends Verb {
    private static final long PAUSE_MILLIS = 100;

    /** How long a search for the leader first waits for a daemon to accept the connection, because the leader may have been stopped. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private static final Duration MOST_PATIENCE = Duration.ofSeconds(16);

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Option(
            names = "--json",
            description = "Print JSON with a schema_version. A version may gain keys, and loses none.")
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

    /** Prints a document of a peer's protocol; with {@code --json}, behind a schema_version. */
    protected final void printDocument(ObjectNode document) {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        if (json) {
            all.put("schema_version", SCHEMA_VERSION);
        }
        console().json(all.setAll(document));
    }

    @Override
    public final Integer call() throws IOException {
        try (FluxClient client = connect()) {
            return begin(client);
        }
    }

    int begin(FluxClient client) throws IOException {
        return run(client);
    }

    /** Connects to the first daemon that accepts the connection; the caller closes the connection. */
    protected final FluxClient connect() throws IOException {
        return server.connect(console());
    }

    /**
     * A request that only a leader carries out. A change has an id, so that the daemon makes the change once, even if it is
     * sent several times.
     */
    protected interface Attempt {
        /** @return the exit status */
        int make(FluxClient client) throws IOException;
    }

    /** Makes a change. If the connection breaks before the end, connects again within the timeout and sends the change once more. */
    protected final int once(FluxClient client, Attempt change) throws IOException {
        try {
            return anywhere(client, change);
        } catch (IOException e) {
            if (e instanceof InterruptedIOException || e instanceof ProtocolException) {
                throw e;
            }
            console()
                    .complain("muster: " + e.getMessage()
                            + "; connecting again to send the change once more, with the same id");
            try (FluxClient again = reconnect(e)) {
                return anywhere(again, change);
            }
        }
    }

    /** Asks a question that only a leader answers. */
    protected final int atLeader(FluxClient client, Attempt question) throws IOException {
        return anywhere(client, connected -> {
            try {
                return question.make(connected);
            } catch (RpcException refused) {
                throw Failure.of(refused, "");
            }
        });
    }

    /** Makes an attempt on this connection, or at the leader if this daemon is a standby. */
    final int anywhere(FluxClient client, Attempt change) throws IOException {
        try {
            return change.make(client);
        } catch (Failure refused) {
            if (!refused.isElsewhere()) {
                throw refused;
            }
            return atLeader(client, change, refused);
        }
    }

    /**
     * Asks the standby for the leader, until a leader accepts the change or the time is over. A new leader knows the ids of
     * changes, too. A leader without etcd knows no other leader, so the daemons that the user named are tried, too.
     */
    private int atLeader(FluxClient standby, Attempt change, Failure refused) throws IOException {
        long start = System.nanoTime();
        Failure last = refused;
        Duration patience = PATIENCE;
        while (timeout().isZero() || System.nanoTime() - start < timeout().toNanos()) {
            List<String> uris = new ArrayList<>();
            addLeader(standby, uris);
            add(server.address(console().environment()).split(","), uris);
            for (int i = 0; i < uris.size(); i++) {
                try (FluxClient next = server.connect(uris.get(i), patience, console())) {
                    try {
                        return change.make(next);
                    } catch (Failure again) {
                        if (!again.isElsewhere()) {
                            throw again;
                        }
                        last = again;
                        addLeader(next, uris);
                    }
                } catch (SocketTimeoutException | ProtocolException e) {
                    throw e;
                } catch (IOException gone) {
                    last = new Failure(Exit.UNREACHABLE, String.valueOf(gone.getMessage()));
                }
            }
            Pause.of(PAUSE_MILLIS);
            patience = patience.compareTo(MOST_PATIENCE) < 0 ? patience.multipliedBy(2) : patience;
        }
        throw last;
    }

    private static void addLeader(FluxClient client, List<String> uris) throws IOException {
        add(attribute(client, "muster.leader").split(" "), uris);
    }

    private static void add(String[] more, List<String> uris) {
        for (String uri : more) {
            if (!uri.isEmpty() && !uris.contains(uri)) {
                uris.add(uri);
            }
        }
    }

    static String attribute(FluxClient client, String name) throws IOException {
        ObjectNode request = JsonNodeFactory.instance.objectNode().put("name", name);
        return client.rpc("attr.get", request).path("value").asText();
    }

    /**
     * @param broken why the connection ended
     * @throws Failure if no daemon answers within the timeout, or the server is a Flux broker, which ignores the id of the change
     */
    private FluxClient reconnect(IOException broken) throws IOException {
        long start = System.nanoTime();
        while (timeout().isZero() || System.nanoTime() - start < timeout().toNanos()) {
            try {
                FluxClient client = connect();
                if (isMuster(client)) {
                    return client;
                }
                client.close();
                throw new Failure(
                        Exit.UNREACHABLE,
                        broken.getMessage() + "; the change may have been made or not",
                        "it was not sent again, because a Flux broker does not know its id: look for it in `muster status`"
                                + " and `muster eventlog`, and repeat the command if it is missing");
            } catch (ConnectException absent) {
                Pause.of(PAUSE_MILLIS);
            }
        }
        throw new Failure(
                Exit.UNREACHABLE,
                broken.getMessage() + "; the change may have been made or not",
                "look for it in `muster eventlog`, and repeat the command if it is missing");
    }

    /** Whether the server is Muster. A Flux broker ignores keys that it does not know, such as an id. */
    protected static boolean isMuster(FluxClient client) throws IOException {
        return version(client).startsWith("muster-");
    }

    protected static String version(FluxClient client) throws IOException {
        return attribute(client, "version");
    }

    /**
     * Runs the verb.
     *
     * @return the exit status
     */
    protected abstract int run(FluxClient client) throws IOException;
}
