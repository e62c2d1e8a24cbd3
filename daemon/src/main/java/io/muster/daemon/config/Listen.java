package io.muster.daemon.config;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The sockets of {@code [muster]} and their limits.
 *
 * @param adminSocket if not null, the daemon accepts changes of state there and refuses them on {@code socket}
 * @param maxFrame largest message in bytes from the owner and admins
 * @param maxFrameGuest largest message in bytes from any other user
 * @param maxConnections limit for both sockets together, including those reserved by {@link #maxGuests}
 */
public record Listen(
        Path socket, @Nullable Path adminSocket, int maxFrame, int maxFrameGuest, int maxConnections, OfUser ofUser) {
    /**
     * The limits of one user.
     *
     * @param readers readers of events over HTTP
     * @param holdRate changes in a second of a user who may only place holds
     * @param holdBurst how many of these changes at once
     */
    public record OfUser(int readers, int holdRate, int holdBurst) {
        public static final OfUser USUAL = new OfUser(32, 50, 5000);
    }

    private static final ByteSize SMALLEST_FRAME = new ByteSize(4096);
    private static final ByteSize LARGEST_FRAME = new ByteSize(1L << 30);
    private static final int FEW_CONNECTIONS = 4;

    /** Limit from bind(2): sun_path has 108 bytes, the last of them NUL. */
    private static final int LONGEST_PATH = 107;

    static Listen read(ConfigTable muster, Environment environment) {
        Path socket = muster.path("socket", environment.socket());
        checkLength(muster, "socket", socket);
        noteDirectory(muster, "socket", socket);
        Path admin = muster.pathIfGiven("admin-socket");
        if (admin != null) {
            checkLength(muster, "admin-socket", admin);
            noteDirectory(muster, "admin-socket", admin);
        }
        if (socket.equals(admin)) {
            muster.problem("admin-socket", "is the same as muster.socket");
        }
        return new Listen(
                socket,
                admin,
                frame(muster, "max-frame", 64 << 20),
                frame(muster, "max-frame-guest", 1 << 20),
                muster.integer("max-connections", 8192, 1, 1_000_000),
                new OfUser(
                        muster.integer("max-readers", OfUser.USUAL.readers, 1, 2048),
                        muster.integer("hold-rate", OfUser.USUAL.holdRate, 1, 1_000_000),
                        muster.integer("hold-burst", OfUser.USUAL.holdBurst, 1, 1_000_000)));
    }

    /** The number of connections that only the owner may use. */
    public int reservedForOwner() {
        return Math.min(maxConnections / 2, Math.max(1, maxConnections / 64));
    }

    /** The number of connections that one user other than the owner may have. */
    public int maxOfUser() {
        return Math.max(1, maxConnections / 2);
    }

    /**
     * The number of connections that guests may have. The daemon keeps a sixteenth of all, but at least a few, for the owner, admins
     * and schedulers.
     */
    public int maxGuests() {
        int reserve = Math.max(maxConnections / 16, FEW_CONNECTIONS);
        return maxConnections - Math.min(reserve, maxConnections / 2);
    }

    /** Notes that the directory of a socket that a file names does not exist, because its name may be misspelt. */
    static void noteDirectory(ConfigTable table, String key, Path path) {
        Path directory = path.getParent();
        if (table.isInFile(key) && directory != null && !Files.isDirectory(directory)) {
            table.note(key, "there is no directory " + directory + ": the daemon creates it when it starts");
        }
    }

    static void checkLength(ConfigTable muster, String key, Path path) {
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > LONGEST_PATH) {
            muster.problem(key, path + " has " + length + " bytes, but a UNIX socket's path may have " + LONGEST_PATH);
        }
    }

    private static int frame(ConfigTable muster, String key, int fallback) {
        return (int) muster.size(key, new ByteSize(fallback), SMALLEST_FRAME, LARGEST_FRAME)
                .bytes();
    }
}
