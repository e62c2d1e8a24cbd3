package io.muster.daemon.relay;

import io.muster.daemon.account.Account;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Excess;
import io.muster.daemon.account.Kind;
import io.muster.daemon.account.Limit;
import io.muster.protocol.client.TlsServer;
import io.muster.protocol.wire.Response;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections of the users of a host, and the way to the daemon. All methods run on the relay's thread. */
final class RelayLoop {
    private static final Logger log = LoggerFactory.getLogger("relay");

    private static final int MOST_LOCALS = 16_384;
    /** The connections of one user, each of which may have one request, whatever the others have. */
    static final int MOST_OF_USER = 512;

    private static final int SWEEP_SECONDS = 10;

    private final RelayHost host;
    private final AccountBook book = AccountBook.ofHeap();
    private final Upstream upstream;
    private final Map<String, Local> locals = new HashMap<>();
    private long lastRoute;

    /**
     * @param name name of the host, for the names of acquisitions
     * @param patience how long a request waits for the daemon
     */
    RelayLoop(RelayHost host, List<TlsServer> servers, String name, Duration patience) {
        this.host = host;
        this.upstream = new Upstream(this, servers, name, patience);
        book.onRefusal((limit, line) -> {
            if (line != null) {
                log.warn("{}", line);
            }
        });
    }

    /** Begins to look for the leader. */
    void start() {
        upstream.start();
        var unused = host.loop().scheduleWithFixedDelay(book::sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    }

    RelayHost host() {
        return host;
    }

    Upstream upstream() {
        return upstream;
    }

    /** Serves the connection of a user, which is about to become active. */
    void serve(Channel channel, Local.Peer user) {
        channel.pipeline().addLast(new Local(this, channel, user, "u" + ++lastRoute));
    }

    /** Adds a user's connection. Returns the account of the user; null if there is no room. */
    @Nullable
    Account enter(Local local, int uid) {
        if (locals.size() >= MOST_LOCALS) {
            return null;
        }
        try {
            String who = "uid=" + Integer.toUnsignedString(uid);
            Account account = book.begin(Kind.GUEST, who, Limit.CONNECTIONS, MOST_OF_USER, "connections");
            locals.put(local.route(), local);
            return account;
        } catch (Excess full) {
            return null;
        }
    }

    void leave(Local local, Account account) {
        if (locals.remove(local.route()) != null) {
            account.end(Limit.CONNECTIONS);
        }
    }

    /** Does something with each connection. A bug closes only the connection that it happens to. */
    void forEach(Consumer<Local> action) {
        List.copyOf(locals.values()).forEach(local -> guard(local, action));
    }

    private static void guard(Local local, Consumer<Local> action) {
        try {
            action.accept(local);
        } catch (RuntimeException bug) {
            local.broken(bug);
        }
    }

    /** Continues to read from the connections of a user. */
    void resume(Account user) {
        host.loop()
                .execute(() -> forEach(local -> {
                    if (local.isOf(user)) {
                        local.resume();
                    }
                }));
    }

    /** Passes a response to the connection whose route is the last one. */
    void deliver(Response response) {
        List<String> routes = response.routes();
        Local local = routes.isEmpty() ? null : locals.get(routes.get(routes.size() - 1));
        if (local != null) {
            guard(local, each -> each.receive(response));
        }
    }

    void close() {
        upstream.close();
        forEach(Local::end);
    }
}
