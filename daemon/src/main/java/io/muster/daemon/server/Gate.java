package io.muster.daemon.server;

import io.muster.daemon.config.Accounts;
import io.muster.daemon.config.Listen;
import io.muster.daemon.core.Aside;
import io.muster.daemon.server.budget.MemoryBudget;
import io.muster.protocol.wire.Credentials;
import io.netty.channel.Channel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The admission and the limits in force, whom it has judged already, and how many it has let in. For the core thread; names may be
 * slow to find, and are looked up on threads of their own.
 */
public final class Gate {
    private static final int MOST_KNOWN = 10_000;

    /** A name service that works answers within milliseconds. */
    static final long PATIENCE_SECONDS = 3;

    private final ScheduledExecutorService core;
    private final Aside names;
    private final Aside services;
    private Admission admission;
    private Listen limits;
    private int inside;
    private int guests;
    private final Map<Long, Rights> known = new HashMap<>();
    private final Map<Long, Lookup> lookups = new HashMap<>();
    private final LogBudget budget = new LogBudget(System::nanoTime);
    private final MemoryBudget guestsMemory = MemoryBudget.ofGuests();
    private final MemoryBudget othersMemory = MemoryBudget.ofOthers();

    /**
     * @param names reads /etc/passwd
     * @param services asks the name service, which may be silent for seconds; with several threads, several questions at a time
     */
    public Gate(Admission admission, Listen limits, ScheduledExecutorService core, Aside names, Aside services) {
        this.admission = admission;
        this.limits = limits;
        this.core = core;
        this.names = names;
        this.services = services;
        guestsMemory.atLeast(leastMemory(limits));
    }

    /** Two messages of the largest kind, so that one that is slow does not keep all others from sending theirs. */
    private static long leastMemory(Listen limits) {
        return 2L * limits.maxFrameGuest();
    }

    /** For peers that come from now on. */
    public void replace(Admission next, Listen nextLimits) {
        admission = next;
        limits = nextLimits;
        known.clear();
        guestsMemory.atLeast(leastMemory(nextLimits));
    }

    /** What the log is to say of those who do wrong. */
    LogBudget budget() {
        return budget;
    }

    /** What is held for guests, or for all others: whom the configuration names does not depend on what guests leave. */
    public MemoryBudget memory(boolean guests) {
        return guests ? guestsMemory : othersMemory;
    }

    /** Whether there are as many connections, over all sockets, as there may be. */
    boolean isFull() {
        return inside >= limits.maxConnections();
    }

    void enter(Channel peer) {
        inside++;
        peer.closeFuture().addListener(closed -> inside--);
    }

    /** @return false for a guest where there are as many guests as there may be: the rest of the room is for others */
    boolean seat(Channel peer, Rights rights) {
        if (!rights.areAGuests()) {
            return true;
        }
        if (guests >= limits.maxGuests()) {
            return false;
        }
        guests++;
        peer.closeFuture().addListener(closed -> guests--);
        return true;
    }

    int maxFrame(Rights rights) {
        return rights.allow(Method.Right.CHANGE) ? limits.maxFrame() : limits.maxFrameGuest();
    }

    /**
     * What a peer may do. A user who is let in waits for the user's name, but not for the names of others: the names in /etc/passwd
     * have a thread of their own, and who stands elsewhere is a number after {@link #PATIENCE_SECONDS}. A name that was not found is
     * looked up again for the next connection: a directory may have been silent.
     *
     * @param then given the rights, or null for somebody who is not let in; at once where they are known
     */
    void rights(int uid, int gid, Consumer<@Nullable Rights> then) {
        long key = ((long) uid << 32) | (gid & 0xffffffffL);
        Rights rights = known.get(key);
        if (rights != null || admission.admit(uid, gid, "") == null) {
            then.accept(rights);
            return;
        }
        Lookup running = lookups.get(key);
        if (running != null) {
            running.waiting.add(then);
            return;
        }
        Lookup lookup = new Lookup(uid, gid, key);
        lookup.waiting.add(then);
        lookups.put(key, lookup);
        lookup.timer = core.schedule(() -> lookup.found(lookup.number()), PATIENCE_SECONDS, TimeUnit.SECONDS);
        lookup.inFiles(admission.accounts());
    }

    /** The search for one user's name, for all connections of the user that wait for it. */
    private final class Lookup {
        private final int uid;
        private final int gid;
        private final long key;
        private final List<Consumer<@Nullable Rights>> waiting = new ArrayList<>();
        private @Nullable Future<?> timer;
        private volatile boolean over;

        Lookup(int uid, int gid, long key) {
            this.uid = uid;
            this.gid = gid;
            this.key = key;
        }

        void inFiles(Accounts accounts) {
            names.run(
                    () -> {
                        Optional<String> local = accounts.localName(uid);
                        return () -> local.ifPresentOrElse(this::found, () -> inService(accounts));
                    },
                    bug -> found(number()));
        }

        /** Where many names are looked for, nobody may wait any longer for this one when its turn comes. */
        private void inService(Accounts accounts) {
            services.run(
                    () -> {
                        String name = over ? number() : accounts.name(uid);
                        return () -> found(name);
                    },
                    bug -> found(number()));
        }

        private String number() {
            return Integer.toUnsignedString(uid);
        }

        /** Judged by the admission that is in force by now. */
        void found(String name) {
            if (over) {
                return;
            }
            over = true;
            lookups.remove(key);
            if (timer != null) {
                timer.cancel(false);
            }
            Rights rights = admission.admit(uid, gid, name);
            if (rights != null && rights.haveName() && known.size() < MOST_KNOWN) {
                known.put(key, rights);
            }
            waiting.forEach(then -> then.accept(rights));
        }
    }

    Rights onBehalfOf(Credentials claimed) {
        return admission.onBehalfOf(claimed);
    }

    /** The socket's own mode lets in whom the handshake may welcome, and nobody else. */
    void mode(Path socket) throws IOException {
        set(socket, admission.isForOwnerOnly() ? "rw-------" : "rw-rw-rw-");
    }

    /** A directory for sockets, of the same openness; one that exists is somebody else's decision. */
    void makeDirectory(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            String mode = admission.isForOwnerOnly() ? "rwx------" : "rwxr-xr-x";
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode)));
            set(directory, mode);
        }
    }

    private static void set(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }
}
