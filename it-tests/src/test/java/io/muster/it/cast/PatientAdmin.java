package io.muster.it.cast;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.it.harness.LedgerDaemons;
import io.muster.protocol.admin.RequestId;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An admin that drains and undrains its own hosts, one change after another, at the daemon that leads. A change is sent again with the same
 * id, to one daemon after another, until a daemon answers it.
 */
public final class PatientAdmin extends Thread {
    public static final int HOSTS = 16;

    private static final long PAUSE = Duration.ofMillis(10).toNanos();
    private static final Set<Errno> NOT_NOW = Set.of(Errno.EREMOTE, Errno.EROFS, Errno.ENOSYS);

    private final int number;
    private final List<String> uris;
    private final Listener listener;
    private final List<Change> changes = new ArrayList<>();
    private int at;
    private @Nullable FluxClient client;
    private volatile boolean stopping;
    private volatile boolean abandoned;
    private volatile @Nullable Throwable failure;

    /**
     * A change that was answered.
     *
     * @param sent when it was sent for the first time, by the monotonic clock
     * @param seq the seq of its event, as the answer says
     */
    public record Change(long sent, long answered, long seq) {}

    /** Receives each answer, on the thread of the admin. */
    public interface Listener {
        void answered(String uri, long sent);
    }

    /** @param number counted from 0; the ids of this admin's changes are {@code new UUID(number, 0)} and so on */
    public PatientAdmin(int number, List<String> uris, Listener listener) {
        super("admin " + number);
        this.number = number;
        this.uris = uris;
        this.listener = listener;
    }

    /** TOML with the hosts of some admins. */
    public static String hosts(int admins) {
        return "[[resource.config]]\nhosts = \"node[0-" + (admins * HOSTS - 1) + "]\"\ncores = \"0-3\"";
    }

    @Override
    public void run() {
        try {
            while (!stopping) {
                change();
                LockSupport.parkNanos(PAUSE);
            }
        } catch (RuntimeException | AssertionError refused) {
            failure = refused;
        } finally {
            disconnect();
        }
    }

    private void change() {
        int n = changes.size();
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.put("targets", "node" + (number * HOSTS + n / 2 % HOSTS));
        payload.put("reason", "change " + n + " of " + getName());
        RequestId.give(payload, new UUID(number, n));
        long sent = System.nanoTime();
        long seq = settle(n % 2 == 0 ? "resource.drain" : "resource.undrain", payload);
        changes.add(new Change(sent, System.nanoTime(), seq));
        listener.answered(uris.get(at), sent);
    }

    private long settle(String topic, ObjectNode payload) {
        while (!abandoned) {
            try {
                return connected().rpc(topic, payload).path("seq").asLong();
            } catch (RpcException e) {
                if (!NOT_NOW.contains(e.errno())) {
                    throw e;
                }
                elsewhere(e.errno().equals(Errno.EREMOTE));
            } catch (IOException e) {
                elsewhere(false);
            }
            LockSupport.parkNanos(PAUSE);
        }
        throw new IllegalStateException("a change was not answered before the end of the test");
    }

    private FluxClient connected() throws IOException {
        FluxClient open = client;
        if (open == null) {
            open = FluxClient.connect(uris.get(at), LedgerDaemons.IMPATIENT);
            client = open;
        }
        return open;
    }

    /** @param ask whether the present daemon may know the leader */
    private void elsewhere(boolean ask) {
        int next = -1;
        try {
            next = ask ? uris.indexOf(LedgerDaemons.attribute(connected(), "muster.leader")) : -1;
        } catch (IOException | RpcException e) {
            // the next daemon may know
        }
        disconnect();
        at = next >= 0 ? next : (at + 1) % uris.size();
    }

    private void disconnect() {
        FluxClient open = client;
        client = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            // the connection is broken already
        }
    }

    /** Ends this admin after its last answer, and returns its changes in order. */
    public List<Change> finish() throws InterruptedException {
        stopping = true;
        join();
        assertThat(failure).as("what %s was answered", getName()).isNull();
        return changes;
    }

    public @Nullable Throwable failure() {
        return failure;
    }

    /** Ends this admin at once. */
    public void end() throws InterruptedException {
        abandoned = true;
        stopping = true;
        join();
    }
}
