package io.muster.daemon.journal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A file whose lock shows that a process uses the files beside it. The kernel releases the lock when the process ends. The
 * file itself is never deleted: otherwise two processes could lock two files of the same name.
 */
public final class LockFile implements Closeable {
    /**
     * The lock files that this process has locked, so that none is opened twice: POSIX drops a process's locks on a file
     * when the process closes any descriptor of that file.
     */
    private static final Map<Path, String> HELD = new ConcurrentHashMap<>();

    /** The reason text of ENOTDIR, for which Java has no exception type. */
    private static final String NOT_A_DIRECTORY = "Not a directory";

    private final Path path;
    private final FileChannel channel;
    private final @Nullable Object key;

    private LockFile(Path path, FileChannel channel, @Nullable Object key) {
        this.path = path;
        this.channel = channel;
        this.key = key;
    }

    /**
     * Opens the lock file for reading and writing without following links. Creates the file, for its owner only, if it does
     * not exist.
     */
    public interface Opener {
        FileChannel open() throws IOException;
    }

    /**
     * Locks the file, and writes the pid, the host and the time into it for the error message of the next process that
     * tries.
     *
     * @param path absolute, and always the same for the same file
     * @param what what the file protects, for that message
     * @throws LockedException if another process has the lock
     */
    public static LockFile take(Path path, String what, Instant since, Opener opener) throws IOException {
        String holder = "pid " + ProcessHandle.current().pid() + " on " + host() + " since "
                + since.truncatedTo(ChronoUnit.SECONDS);
        String other = HELD.putIfAbsent(path, holder);
        if (other != null) {
            throw new LockedException(what, other);
        }
        FileChannel channel = null;
        boolean locked = false;
        try {
            opener.open().close();
            Object key = key(path);
            channel = opener.open();
            if (channel.tryLock() == null) {
                throw new LockedException(what, text(channel));
            }
            byte[] line = (holder + "\n").getBytes(StandardCharsets.UTF_8);
            // The rest of a longer earlier text is cut off after the write, not before: on a full disk, the existing
            // block can still be overwritten.
            channel.write(ByteBuffer.wrap(line), 0);
            channel.truncate(line.length);
            LockFile file = new LockFile(path, channel, key);
            if (!file.linked()) {
                throw new IOException(path + " was removed or replaced while it was being locked");
            }
            locked = true;
            return file;
        } finally {
            if (!locked) {
                HELD.remove(path);
                if (channel != null) {
                    channel.close();
                }
            }
        }
    }

    /** Returns the host name that the kernel has. A resolver could take long. */
    private static String host() throws IOException {
        Path kernel = Path.of("/proc/sys/kernel/hostname");
        return Files.exists(kernel) ? Files.readString(kernel).strip() : "this host";
    }

    private static String text(FileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(256);
        channel.read(buffer, 0);
        return new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8).strip();
    }

    /** Returns a key that identifies a file among all existing files; null if there is no file with this name. */
    public static @Nullable Object key(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
        } catch (NoSuchFileException none) {
            return null;
        } catch (FileSystemException e) {
            if (NOT_A_DIRECTORY.equals(e.getReason())) {
                return null; // a part of the path is no directory any more
            }
            throw e;
        }
    }

    Path name() {
        return Objects.requireNonNull(path.getFileName());
    }

    /** Returns the key of the locked file. */
    @Nullable
    public Object key() {
        return key;
    }

    /** Returns whether the name still leads to the locked file. */
    boolean linked() throws IOException {
        return Objects.equals(key, key(path));
    }

    @Override
    public void close() throws IOException {
        HELD.remove(path);
        channel.close();
    }
}
