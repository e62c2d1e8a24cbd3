package io.muster.daemon.relay;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.client.TlsServer;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to the daemon that leads. If the connection ends, or the daemon no longer leads, the relay looks for the leader at
 * all servers. A request that cannot be sent now, or that a standby has refused, stays with the user's connection, which
 * sends the request when the leader is found, or fails it after a while.
 */
final class Upstream {
    private static final Logger log = LoggerFactory.getLogger("relay");

    private static final long PING_MILLIS = 1000;
    /** After more unanswered questions, the server may be dead, so the relay looks for another leader. */
    static final int DOUBTED = 2;
    /** After more unanswered questions, the connection to a server is closed. */
    static final int SILENT = 15;

    private static final int MOST_NAMES = 20_000;

    /** The name of a user, and when it was looked up. */
    private record Named(String name, long since) {
        /**
         * Returns whether the name must be looked up again. If the name service did not answer, the name is the user's
         * number, and is looked up again soon.
         */
        boolean isOld(int uid, long now) {
            long kept = name.equals(Integer.toUnsignedString(uid)) ? 1 : 10;
            return now - since > TimeUnit.MINUTES.toNanos(kept);
        }
    }

    private final RelayLoop relay;
    private final String hostname;
    private final Duration patience;
    private final List<Candidate> candidates;
    private final Map<Integer, Named> names = new HashMap<>();
    /** What waits for the name of a user that is being looked up. */
    private final Map<Integer, List<Runnable>> lookups = new HashMap<>();

    private final Set<Integer> introduced = new HashSet<>();
    private final Set<String> owners = new HashSet<>();

    /** The server that is sent the requests: the leader, or a standby while there is no leader. */
    private @Nullable Candidate current;

    private boolean seeking;
    private boolean closed;
    private String told = "";

    Upstream(RelayLoop relay, List<TlsServer> servers, String hostname, Duration patience) {
        this.relay = relay;
        this.hostname = hostname;
        this.patience = patience;
        this.candidates = servers.stream()
                .map(server -> new Candidate(relay, this, server))
                .toList();
    }

    boolean isReady() {
        return current != null;
    }

    boolean takesMore() {
        Candidate server = current;
        return server == null || server.isWritable();
    }

    /** Returns whether the daemon carries out a request once, or without effect, if it is sent twice. */
    static boolean mayBeRepeated(Request request) {
        Operation<?, ?> operation = Operations.of(request.topic());
        if (operation != null && operation.kind() == Operation.Kind.QUESTION) {
            return true;
        }
        try {
            return !request.isStreaming()
                    && request.payload() != null
                    && Json.parse(request.payload()).has("id");
        } catch (ProtocolException e) {
            return false;
        }
    }

    // ---- the leader

    /** Begins to look for the leader and to ask for signs of life. */
    void start() {
        seek();
        watch();
    }

    boolean seeks() {
        return seeking && !closed;
    }

    /** Looks for the leader at all servers at the same time, so that a dead one costs no time. */
    private void seek() {
        if (!seeking && !closed) {
            seeking = true;
            candidates.forEach(Candidate::seek);
        }
    }

    /** Handles a server's answer that it leads or does not lead. */
    void told(Candidate server) {
        if (!seeks()) {
            if (server != current) {
                server.close();
            } else if (!server.leads()) {
                seek();
            }
            return;
        }
        if (server.leads()) {
            seeking = false;
            choose(server);
            candidates.stream().filter(each -> each != server).forEach(Candidate::close);
        } else if (current == null) {
            choose(server);
        } else {
            fruitless();
        }
    }

    private void choose(Candidate server) {
        if (server != current) {
            if (current != null) {
                forsake("the relay of this host goes from " + current.name() + " to " + server.name());
            }
            current = server;
            introduced.clear();
            log.info("connected to {}{}", server.name(), server.leads() ? "" : ", a standby");
        }
        told = "";
        relay.forEach(Local::again);
    }

    /** Notes that a server cannot be reached or has closed the connection. */
    void ended(Candidate server) {
        if (closed) {
            return;
        }
        if (server == current) {
            current = null;
            log.warn("lost the connection to {}", server.fault());
            forsake("the relay of this host has lost its connection to " + server.fault());
            seek();
        } else if (seeks()) {
            fruitless();
        }
    }

    private void forsake(String why) {
        relay.forEach(local -> local.lost(why + "; the request may have been carried out or not"));
    }

    /** Handles an attempt to find the leader that has failed. */
    private void fruitless() {
        String sentence = faults();
        if (!sentence.equals(told)) {
            told = sentence;
            log.warn("cannot reach {}", sentence);
        }
        expire(sentence);
    }

    private String faults() {
        return candidates.stream().map(Candidate::fault).collect(Collectors.joining("; "));
    }

    /** Fails requests that have waited for the leader for too long. */
    private void expire(String faults) {
        String sentence = "the relay of this host cannot reach " + faults;
        relay.forEach(local -> local.expire(patience.toNanos(), sentence));
    }

    /** Looks for the leader, because the server has answered that it is not the leader. */
    void elsewhere() {
        if (current != null) {
            current.leadsNoMore();
        }
        seek();
    }

    /**
     * Asks every server with a connection for a sign of life. A daemon whose host has lost its power does not close the connection, and
     * neither does a firewall that has forgotten it.
     */
    private void watch() {
        if (closed) {
            return;
        }
        later(PING_MILLIS, this::watch);
        candidates.stream().filter(Candidate::isConnected).forEach(this::watch);
        Candidate server = current;
        if (server != null && server.silent() > DOUBTED) {
            seek();
        }
        if (seeks()) {
            expire(faults());
        }
    }

    /** Asks a server, and closes the connection if the server has not answered the questions before. */
    private void watch(Candidate server) {
        server.ask();
        if (server.silent() == SILENT + 1) {
            log.warn("{} has sent nothing for {} s", server.name(), SILENT * PING_MILLIS / 1000);
        }
        if (server.silent() > SILENT) {
            server.close();
        }
    }

    /**
     * Passes on a response. A response from a server that the relay no longer uses is dropped, because the request was sent
     * again.
     */
    void receive(Candidate from, Response response) {
        if (from == current) {
            relay.deliver(response);
        }
    }

    // ---- requests

    /** Sends a request, if there is a connection. Returns whether there is. */
    boolean send(Request request) {
        Candidate server = current;
        return server != null && server.send(request);
    }

    /**
     * Tells the daemon the name of a user before the user's first request. A name that is old is used until it has been looked up again.
     *
     * @param then called when the daemon was told; at once if the name was ever looked up
     */
    void introduce(int uid, Runnable then) {
        Named known = names.get(uid);
        if (known == null) {
            lookUp(uid).add(then);
            return;
        }
        if (known.isOld(uid, relay.host().nanos())) {
            var unused = lookUp(uid);
        }
        tell(uid, known.name);
        then.run();
    }

    /** Looks up a name, unless this is under way. Returns what waits for the name. */
    private List<Runnable> lookUp(int uid) {
        List<Runnable> running = lookups.get(uid);
        if (running != null) {
            return running;
        }
        List<Runnable> waiting = new ArrayList<>();
        lookups.put(uid, waiting);
        relay.host().name(uid, found -> {
            if (names.size() >= MOST_NAMES) {
                names.clear();
            }
            Named before = names.put(uid, new Named(found, relay.host().nanos()));
            if (before != null && !before.name.equals(found)) {
                introduced.remove(uid);
            }
            tell(uid, found);
            lookups.remove(uid);
            waiting.forEach(relay.host().loop()::execute);
        });
        return waiting;
    }

    private void tell(int uid, String name) {
        if (current != null && introduced.add(uid)) {
            ObjectNode payload = JsonNodeFactory.instance
                    .objectNode()
                    .put("userid", Integer.toUnsignedLong(uid))
                    .put("name", name);
            send(Request.of("resource.introduce", Json.encode(payload), Header.NORESPONSE, Request.MATCHTAG_NONE));
        }
    }

    /** Returns a name for an acquisition of a user. The next relay on this host gives the same name, so a scheduler can come back. */
    String takeOwner(int uid) {
        Named known = names.get(uid);
        String user = known == null ? Integer.toUnsignedString(uid) : known.name;
        String stem = ("relay:" + hostname + ":" + user).replaceAll("[^A-Za-z0-9._:@-]", "_");
        stem = stem.substring(0, Math.min(stem.length(), 120));
        int number = 1;
        while (!owners.add(stem + ":" + number)) {
            number++;
        }
        return stem + ":" + number;
    }

    void giveOwner(String owner) {
        owners.remove(owner);
    }

    void later(long millis, Runnable task) {
        var unused = relay.host().loop().schedule(task, millis, TimeUnit.MILLISECONDS);
    }

    void close() {
        closed = true;
        candidates.forEach(Candidate::close);
    }
}
