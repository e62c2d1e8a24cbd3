package io.muster.daemon.server;

import io.muster.daemon.config.Listen;
import io.muster.daemon.server.budget.MemoryBudget;
import io.muster.protocol.wire.Credentials;
import io.netty.channel.Channel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The admission and the limits in force, whom it has judged already, and how many it has let in. Names may be slow to find,
 * so that is the worker's; all else is the core thread's.
 */
public final class Gate {
    private static final int MOST_KNOWN = 10_000;

    private final Executor core;
    private final Executor worker;
    private Admission admission;
    private Listen limits;
    private int inside;
    private int guests;
    private final Map<Long, Optional<Rights>> known = new HashMap<>();
    private final LogBudget budget = new LogBudget(System::nanoTime);
    private final MemoryBudget guestsMemory = MemoryBudget.ofGuests();
    private final MemoryBudget othersMemory = MemoryBudget.ofOthers();

    public Gate(Admission admission, Listen limits, Executor core, Executor worker) {
        this.admission = admission;
        this.limits = limits;
        this.core = core;
        this.worker = worker;
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
     * A name that was not found is looked up again for the next connection: a directory may have been silent.
     *
     * @param then given the rights, or null for somebody who is not let in; at once where they are known
     */
    void rights(int uid, int gid, Consumer<@Nullable Rights> then) {
        long key = ((long) uid << 32) | (gid & 0xffffffffL);
        Optional<Rights> rights = known.get(key);
        if (rights != null) {
            then.accept(rights.orElse(null));
            return;
        }
        Admission asked = admission;
        worker.execute(() -> {
            Optional<Rights> found = Optional.ofNullable(asked.admit(uid, gid));
            core.execute(() -> {
                boolean named = found.isEmpty() || found.get().haveName();
                if (named && asked == admission && known.size() < MOST_KNOWN) {
                    known.put(key, found);
                }
                then.accept(found.orElse(null));
            });
        });
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
            Files.createDirectories(directory);
            set(directory, admission.isForOwnerOnly() ? "rwx------" : "rwxr-xr-x");
        }
    }

    private static void set(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }
}
