package io.muster.daemon.net;

import io.muster.daemon.access.Admissions;
import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Excess;
import io.muster.daemon.account.Limit;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.config.Listen;
import io.muster.protocol.operation.Right;
import io.netty.channel.Channel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Limits how many peers are connected and how long their messages may be, and has the accounts of all users. Used on the core thread. */
public final class Gate implements Configurable {
    private final Admissions admissions;
    private Listen limits;
    private int inside;
    private int guests;
    private final AccountBook accounts;

    public Gate(Admissions admissions, Listen limits, AccountBook accounts) {
        this.admissions = admissions;
        this.accounts = accounts;
        this.limits = limits;
        configure(limits);
    }

    /** Sets the limits for peers that connect from now on. */
    @Override
    public void configure(Config next) {
        configure(next.listen());
    }

    /** Each user has at least the memory of two messages of the largest size, so that one slow connection does not stop the others. */
    private void configure(Listen next) {
        limits = next;
        Listen.OfUser each = next.ofUser();
        accounts.configure(
                new AccountBook.Limits(each.readers(), each.holdRate(), each.holdBurst()), 2L * next.maxFrameGuest());
    }

    public Admissions admissions() {
        return admissions;
    }

    /** Returns the accounts of all users. May be called on any thread. */
    public AccountBook accounts() {
        return accounts;
    }

    /**
     * Returns whether all sockets together have as many connections as the configuration allows for this user. The name of the user may not
     * be known yet: connections that wait for a slow name service do not use what is reserved for the owner.
     */
    boolean isFull(Identity identity) {
        Rights rights = admissions.inForce().admit(identity, "");
        boolean isReserved = rights != null && !rights.credentials().isOwner();
        return inside >= limits.maxConnections() - (isReserved ? limits.reservedForOwner() : 0);
    }

    void enter(Channel peer, Executor core) {
        inside++;
        peer.closeFuture().addListener(closed -> core.execute(() -> inside--));
    }

    /**
     * Counts a peer that has been accepted in the account of its user.
     *
     * @return the account; null if the other connections are reserved for other users
     */
    @Nullable
    Account seat(Channel peer, Rights rights, Executor core) {
        boolean isOwner = rights.credentials().isOwner();
        int guest = rights.areAGuests() ? 1 : 0;
        if ((guest == 1 && guests >= limits.maxGuests())
                || (!isOwner && inside > limits.maxConnections() - limits.reservedForOwner())) {
            return null;
        }
        try {
            int most = isOwner ? Integer.MAX_VALUE : limits.maxOfUser();
            Account account = rights.begin(accounts, Limit.CONNECTIONS, most, "connections");
            guests += guest;
            peer.closeFuture()
                    .addListener(closed -> core.execute(() -> {
                        guests -= guest;
                        account.end(Limit.CONNECTIONS);
                    }));
            return account;
        } catch (Excess full) {
            return null;
        }
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
