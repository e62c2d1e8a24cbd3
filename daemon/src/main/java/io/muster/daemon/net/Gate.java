package io.muster.daemon.net;

import io.muster.daemon.access.Admissions;
import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Right;
import io.muster.daemon.access.Rights;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.config.Listen;
import io.netty.channel.Channel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How many peers are connected, how long their messages may be, and how much memory is held for them. For the core thread. */
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

    /** Two messages of the largest kind, so that one that is slow does not keep all others from sending theirs. */
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

    public int maxFrame(Rights rights) {
        return rights.allow(Right.CHANGE) ? limits.maxFrame() : limits.maxFrameGuest();
    }

    void rights(Identity identity, Consumer<@Nullable Rights> then) {
        admissions.rights(identity, then);
    }

    /** The socket's own mode lets in whom the handshake may welcome, and nobody else. */
    void mode(Path socket) throws IOException {
        set(socket, admissions.inForce().isForOwnerOnly() ? "rw-------" : "rw-rw-rw-");
    }

    /** A directory for sockets, of the same openness; one that exists is somebody else's decision. */
    void makeDirectory(Path directory) throws IOException {
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
