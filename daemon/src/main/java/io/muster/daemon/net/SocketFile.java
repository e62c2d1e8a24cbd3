package io.muster.daemon.net;

import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.journal.disk.LockFile;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The name of a socket on which a daemon listens. A lock file beside the socket, {@code NAME.lock}, is locked from before
 * the socket is bound until its name is removed, so that only one of several daemons has the name. Only sockets are ever
 * removed, and at the end only the socket that this daemon bound. May be used on any thread.
 */
public final class SocketFile implements Closeable {
    private static final int TYPE = 0170000;
    private static final int SOCKET = 0140000;

    private final Path path;
    private final LockFile lock;
    private volatile @Nullable Object key;
    private volatile boolean closed;

    private SocketFile(Path path, LockFile lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Locks the name, and removes the socket of a daemon that was killed.
     *
     * @throws LockedException if another daemon has the name
     * @throws IOException if the name cannot be used for another reason
     */
    public static SocketFile claim(Path path, Instant since) throws IOException {
        Path directory = Objects.requireNonNull(path.toAbsolutePath().getParent());
        LockFile lock = LocalDisk.existing(directory).lock(path.getFileName() + ".lock", "socket " + path, since);
        SocketFile file = new SocketFile(path, lock);
        boolean free = false;
        try {
            file.removeStale();
            free = true;
            return file;
        } finally {
            if (!free) {
                file.close();
            }
        }
    }

    private void removeStale() throws IOException {
        Object found = LockFile.key(path);
        requireUnused(path);
        if (found != null && found.equals(LockFile.key(path))) {
            Files.delete(path);
        }
    }

    /**
     * Checks that no process listens on a socket of this name. Changes nothing.
     *
     * @throws IOException if a process does, or if the file is no socket
     */
    public static void requireUnused(Path path) throws IOException {
        if (LockFile.key(path) == null) {
            return;
        }
        int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        if ((mode & TYPE) != SOCKET) {
            throw new IOException(path + " already exists and is not a socket. Remove it, or name another path");
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false); // a blocking connect would wait for a listener whose backlog is full
            probe.connect(UnixDomainSocketAddress.of(path));
        } catch (ConnectException nobodyListens) {
            return;
        } catch (IOException e) {
            throw new IOException(path + " is in the way of the socket: " + e.getMessage(), e);
        }
        throw new IOException("another process listens on " + path + ": is another daemon running?");
    }

    /** Sets the mode of a socket's file. */
    public interface Mode {
        void set(Path socket) throws IOException;
    }

    /**
     * Accepts connections at the name, as {@code server} says.
     *
     * @param mode sets the mode of the file before clients can connect
     */
    public Channel serve(ServerBootstrap server, int backlog, Mode mode) throws IOException {
        Socket socket = listen(backlog, mode);
        var registered = server.channelFactory(() -> new EpollServerDomainSocketChannel(socket.intValue(), true))
                .register()
                .awaitUninterruptibly();
        Throwable cause = registered.cause();
        if (cause != null) {
            throw new IOException("cannot listen on " + path + ": " + cause.getMessage(), cause);
        }
        return registered.channel();
    }

    /**
     * Binds a socket to the name and listens on it. This happens without Netty, because Netty, when it closes a socket that
     * it has bound, deletes any file that has the socket's name by then.
     */
    private Socket listen(int backlog, Mode mode) throws IOException {
        Socket socket = LinuxSocket.newSocketDomain();
        boolean listening = false;
        try {
            socket.bind(new DomainSocketAddress(path.toFile()));
            bound();
            mode.set(path);
            socket.listen(backlog);
            listening = true;
            return socket;
        } catch (IOException e) {
            throw new IOException("cannot listen on " + path + ": " + e.getMessage(), e);
        } finally {
            if (!listening) {
                socket.close();
            }
        }
    }

    /** Sets the mode of the file if the name still leads to this daemon's socket. */
    public void set(Mode mode) throws IOException {
        if (isLinked()) {
            mode.set(path);
        }
    }

    /** Records that the socket that was just bound to the name is this daemon's. */
    void bound() throws IOException {
        key = LockFile.key(path);
    }

    /** Returns whether the name leads to the socket that this daemon bound. */
    public boolean isLinked() throws IOException {
        Object ours = key;
        return ours != null && ours.equals(LockFile.key(path));
    }

    /** Returns why clients cannot connect by this name, and what to do; "" if connecting works. */
    public String fault() {
        try {
            Object found = LockFile.key(path);
            if (closed) {
                return "";
            }
            if (found == null) {
                return "the socket " + path + " was removed, so nobody can connect to it: restart the daemon";
            }
            return found.equals(key)
                    ? ""
                    : "the socket " + path
                            + " was replaced by another file, so nobody can connect to this daemon by it:"
                            + " find out by whom, and restart the daemon";
        } catch (IOException e) {
            return "the socket " + path + " cannot be examined: " + e.getMessage();
        }
    }

    /** Removes the name if it still leads to this daemon's socket, and unlocks it for other daemons. */
    @Override
    public void close() throws IOException {
        closed = true;
        try (lock) {
            if (isLinked()) {
                Files.delete(path);
            }
        }
    }
}
