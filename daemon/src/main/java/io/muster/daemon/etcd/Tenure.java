package io.muster.daemon.etcd;

import io.muster.daemon.etcd.Etcd.Compare;
import io.muster.daemon.etcd.Etcd.Entry;
import io.muster.daemon.etcd.Etcd.Op;
import io.muster.daemon.etcd.Etcd.Result;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.machine.Machine;
import java.io.Closeable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The lease of this daemon, which the thread {@code lease} keeps alive, and the key {@code member/ID} that ends with the lease. A standby
 * has its lease from the start, because etcd grants no lease when its database is full.
 */
final class Tenure implements Closeable {
    private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})\\.(\\d{1,6}).*");
    /** How many keep-alives are sent in the time of the lease. */
    private static final int BEATS = 4;

    /** How often the threads look while etcd does not renew the lease. */
    private static final long RETRY_NANOS = 50_000_000;

    private static final int LEAST_TIMEOUT = 300;

    private final Store store;
    private final EtcdSettings settings;
    private final Runnable tick;
    private final Machine machine;
    private final Thread thread;
    /**
     * Calls {@code tick}. This is a separate thread, because the thread {@code lease} may wait for etcd, or for the name of
     * a member.
     */
    private final Thread clock;

    private final int timeout;
    private volatile boolean closing;
    /** The lease; 0 if there is none. */
    private volatile long lease;
    /** When the last keep-alive that etcd answered was sent. */
    private volatile long renewedAt;

    private volatile String obstacle = "";
    /** Why etcd has refused the lease, or the key {@code member/ID}, of this daemon; "" if it has not. */
    private volatile String refusal = "";

    private String lost = "";
    private String tooOld = "";
    private boolean registered;

    /** @param tick called soon after each change of {@link #lives}, whether etcd answers or not, and at other times */
    Tenure(Store store, EtcdSettings settings, Runnable tick) {
        this.store = store;
        this.settings = settings;
        this.tick = tick;
        this.timeout = (int) Math.max(LEAST_TIMEOUT, settings.ttl().toMillis() / BEATS);
        this.machine = settings.machine();
        this.renewedAt = machine.nanos();
        this.thread = machine.thread("lease", this::run);
        thread.setDaemon(true);
        this.clock = machine.thread("lease-clock", this::watch);
        clock.setDaemon(true);
    }

    void start() {
        thread.start();
        clock.start();
    }

    /** The lease for the key of the leader; 0 if the daemon may not lead. */
    long lease() {
        return obstacle.isEmpty() ? lease : 0;
    }

    /** Whether this is the lease of this daemon, renewed so lately that etcd has not ended it. */
    boolean lives(long which) {
        return which == lease && machine.nanos() - renewedAt <= settings.ttl().toNanos();
    }

    /**
     * Why the daemon may not lead; "" if it may.
     *
     * @param leaderless whether no daemon leads; otherwise the result of the last campaign is forgotten
     */
    String obstacle(boolean leaderless) {
        lost = leaderless ? lost : "";
        return !obstacle.isEmpty() ? obstacle : refusal.isEmpty() ? lost : refusal;
    }

    /**
     * Tries to lead. Called on the thread of the ledger, with a connection of this thread.
     *
     * @return false if etcd has refused this daemon; otherwise a leader exists now
     */
    boolean campaign(Store with, long under) throws EtcdException {
        try {
            with.campaign(settings.self().toJson(), under);
            lost = "";
        } catch (EtcdException e) {
            if (!e.answered()) {
                throw e;
            }
            lost = "nobody leads, and etcd does not let this daemon lead: " + e.sentence();
        }
        return lost.isEmpty();
    }

    /** Has {@code tick} called soon, because this daemon leads now. */
    void look() {
        machine.unpark(clock);
    }

    private void run() {
        long due = machine.nanos();
        while (!closing) {
            if (machine.nanos() - due >= 0) {
                long before = lease;
                due = machine.nanos() + (beat() ? settings.ttl().toNanos() / BEATS : RETRY_NANOS);
                if (lease != before) {
                    look();
                }
            }
            machine.park(due - machine.nanos());
        }
    }

    private void watch() {
        while (!closing) {
            long left = renewedAt + settings.ttl().toNanos() - machine.nanos();
            tick.run();
            machine.park(left < 0 ? RETRY_NANOS : left + 1);
        }
    }

    /** @return false if etcd did not answer */
    private boolean beat() {
        try {
            if (lease == 0) {
                tooOld = settings.allowOld() ? "" : tooOld(store.etcd().status(timeout));
                obstacle = tooOld;
                long asked = machine.nanos();
                lease = store.etcd().grant((settings.ttl().toMillis() + 999) / 1000, timeout);
                renewedAt = asked;
                registered = false;
            }
            long asked = machine.nanos();
            if (store.etcd().keepAlive(lease, timeout) > 0) {
                renewedAt = asked;
            } else {
                lease = 0;
                return false; // the next call requests another lease
            }
            if (!registered) {
                register();
            }
            refusal = "";
            return true;
        } catch (EtcdException e) {
            refusal = e.answered() ? "etcd refuses the lease of this daemon: " + e.sentence() : refusal;
            return false;
        }
    }

    private String tooOld(Etcd.Status status) {
        Matcher version = VERSION.matcher(status.version());
        if (!version.matches()) {
            return "";
        }
        int major = Integer.parseInt(version.group(1));
        int minor = Integer.parseInt(version.group(2));
        int patch = Integer.parseInt(version.group(3));
        boolean old = major < 3 || (major == 3 && (minor < 4 || (minor == 4 && patch < 42)));
        return old
                ? "etcd " + status.version()
                        + " has faults that matter here (leases, watches and reads after a change of its"
                        + " leader): use etcd 3.5 or newer, or set ledger.allow-old-etcd = true for a test"
                : "";
    }

    /** Writes the key of this daemon, unless another daemon has it. The key of an earlier run of this daemon ends with its lease. */
    private void register() throws EtcdException {
        String key = store.keys().member(settings.self().member());
        Op put = new Op.Put(key, settings.self().toJson().getBytes(StandardCharsets.UTF_8), lease);
        Result result =
                store.etcd().transact(List.of(new Compare(key, 0)), List.of(put), List.of(Op.Get.one(key)), timeout);
        Entry other = result.succeeded() ? null : result.one(0);
        if (other == null) {
            registered = result.succeeded();
            obstacle = tooOld;
            return;
        }
        Leader found = Leader.parse(other.text());
        if (found.isSame(settings.self())) {
            registered = store.etcd()
                    .transact(List.of(new Compare(key, other.modRevision())), List.of(put), List.of(), timeout)
                    .succeeded();
            obstacle = tooOld;
        } else {
            obstacle = "pid " + found.pid() + " on " + found.host() + " is member " + found.member()
                    + " of the ledger: two daemons need two names, so set ledger.member";
        }
    }

    /** Stops the threads, and ends the lease with all keys that depend on it. */
    @Override
    public void close() {
        closing = true;
        machine.unpark(thread);
        machine.unpark(clock);
        machine.join(thread);
        machine.join(clock);
        try {
            if (lease != 0) {
                store.etcd().revoke(lease, timeout);
            }
        } catch (EtcdException e) {
            // the lease ends by itself
        }
        store.close();
    }
}
