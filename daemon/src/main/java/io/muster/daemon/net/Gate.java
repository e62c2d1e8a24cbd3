package io.muster.daemon.net;

import io.muster.daemon.access.Admissions;
import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.config.Listen;
import io.muster.daemon.config.Right;
import io.netty.channel.Channel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many peers are connected and how long their messages may be, and has the memory budgets for all sockets. Used
 * on the core thread.
 */
public final class Gate implements Configurable {
    private final Admissions admissions;
    private Listen limits;
    private int inside;
    private int guests;
    private final MemoryBudget guestsMemory = MemoryBudget.ofGuests();
    private final MemoryBudget othersMemory = MemoryBudget.ofOthers();

    public Gate(Admissions admissions, Listen limits) {
        this.admissions = admissions;
        this.limits = limits;
        guestsMemory.atLeast(leastMemory(limits));
    }

    /**
     * Returns the least memory that guests get: two messages of the largest size, so that one slow peer does not keep all
     * others from sending theirs.
     */
    private static long leastMemory(Listen limits) {
        return 2L * limits.maxFrameGuest();
    }

    /** Sets the limits for peers that connect from now on. */
    @Override
    public void configure(Config next) {
        limits = next.listen();
        guestsMemory.atLeast(leastMemory(limits));
    }

    public Admissions admissions() {
        return admissions;
    }

    /**
     * Returns the budget for guests or for all other peers. There are two budgets, so that guests cannot use up the memory
     * for users that the configuration names.
     */
    public MemoryBudget memory(boolean guests) {
        return guests ? guestsMemory : othersMemory;
    }

    /** Returns whether all sockets together have as many connections as the configuration allows. */
    boolean isFull() {
        return inside >= limits.maxConnections();
    }

    void enter(Channel peer, Executor core) {
        inside++;
        peer.closeFuture().addListener(closed -> core.execute(() -> inside--));
    }

    /**
     * Counts a guest that has been accepted. For other peers this does nothing.
     *
     * @return false if the peer is a guest and there are as many guests as the configuration allows: the other connections
     *     are reserved for other users
     */
    boolean seat(Channel peer, Rights rights, Executor core) {
        if (!rights.areAGuests()) {
            return true;
        }
        if (guests >= limits.maxGuests()) {
            return false;
        }
        guests++;
        peer.closeFuture().addListener(closed -> core.execute(() -> guests--));
        return true;
    }

    public int maxFrame(Rights rights) {
        return rights.allow(Right.CHANGE) ? limits.maxFrame() : limits.maxFrameGuest();
    }

    void rights(Identity identity, Consumer<@Nullable Rights> then) {
        admissions.rights(identity, then);
    }

    /** Sets the mode of a socket's file: open to the users that the handshake may accept, and to no others. */
    public void mode(Path socket) throws IOException {
        set(socket, admissions.inForce().isForOwnerOnly() ? "rw-------" : "rw-rw-rw-");
    }

    /**
     * Creates the directory for sockets, with a mode like that of the sockets. An existing directory stays as it is, because
     * an administrator chose its mode.
     */
    public void makeDirectory(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            String mode = admissions.inForce().isForOwnerOnly() ? "rwx------" : "rwxr-xr-x";
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode)));
            set(directory, mode);
        }
    }

    private static void set(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }
}
