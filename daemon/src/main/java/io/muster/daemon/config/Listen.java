package io.muster.daemon.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The sockets of {@code [muster]} and their limits.
 *
 * @param adminSocket when not null, changes of state are accepted there and refused on {@code socket}
 * @param maxFrame largest message in bytes from the owner and admins
 * @param maxFrameGuest largest message in bytes from anybody else
 * @param maxConnections limit for both sockets together, including those reserved by {@link #maxGuests}
 */
public record Listen(Path socket, @Nullable Path adminSocket, int maxFrame, int maxFrameGuest, int maxConnections) {
    private static final ByteSize SMALLEST_FRAME = new ByteSize(4096);
    private static final ByteSize LARGEST_FRAME = new ByteSize(1L << 30);
    private static final int FEW_CONNECTIONS = 4;

    static Listen read(Settings settings, Environment environment) {
        Path socket = settings.path(Key.SOCKET, environment.socket());
        settings.checkSocketPath(Key.SOCKET, socket);
        Path admin = settings.pathIfGiven(Key.ADMIN_SOCKET);
        if (admin != null) {
            settings.checkSocketPath(Key.ADMIN_SOCKET, admin);
        }
        if (socket.equals(admin)) {
            settings.problem(Key.ADMIN_SOCKET, "is the same as muster.socket");
        }
        return new Listen(
                socket,
                admin,
                frame(settings, Key.MAX_FRAME, 64 << 20),
                frame(settings, Key.MAX_FRAME_GUEST, 1 << 20),
                settings.integer(Key.MAX_CONNECTIONS, 8192, 1, 1_000_000));
    }

    /**
     * The number of connections that guests may have. A sixteenth of all, but at least a few, is kept free for the owner, admins and
     * schedulers.
     */
    public int maxGuests() {
        int reserve = Math.max(maxConnections / 16, FEW_CONNECTIONS);
        return maxConnections - Math.min(reserve, maxConnections / 2);
    }

    private static int frame(Settings settings, Key key, int fallback) {
        return (int) settings.size(key, new ByteSize(fallback), SMALLEST_FRAME, LARGEST_FRAME)
                .bytes();
    }
}
