package io.muster.daemon.journal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A directory of this machine. Its files are interruptible channels: a thread that uses them must never be interrupted,
 * or the file is closed under it.
 */
public final class LocalDisk implements Disk {
    /** POSIX drops a process's locks on a file when it closes any descriptor of it, so ours are never opened twice. */
    private static final Map<Path, String> HELD = new ConcurrentHashMap<>();

    /** ENOTDIR, for which Java has no exception of its own. */
    private static final String NOT_A_DIRECTORY = "Not a directory";

    private final Path root;

    private LocalDisk(Path root) {
        this.root = root;
    }

    /** A directory that has to be there. */
    public static LocalDisk existing(Path stateDir) throws IOException {
        return new LocalDisk(stateDir.toRealPath());
    }

    /** A directory that is created, for its owner only, when it is not there. */
    public static LocalDisk at(Path stateDir) throws IOException {
        boolean made = !Files.isDirectory(stateDir);
        if (made) {
            Files.createDirectories(
                    stateDir, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        LocalDisk disk = existing(stateDir);
        if (made) {
            disk.forceDirectory("..");
        }
        return disk;
    }

    @Override
    public String where() {
        return root.toString();
    }

    @Override
    public List<Entry> list(String directory) throws IOException {
        Path dir = root.resolve(directory);
        if (!Files.isDirectory(dir)) {
            return List.of();
        }
        List<Entry> entries = new ArrayList<>();
        try (var paths = Files.newDirectoryStream(dir)) {
            for (Path path : paths) {
                addFile(entries, path);
            }
        }
        entries.sort(Comparator.comparing(Entry::name));
        return entries;
    }

    /** Another process may have deleted or renamed it since: a daemon does, beside whoever reads its directory. */
    private static void addFile(List<Entry> entries, Path path) throws IOException {
        BasicFileAttributes attributes;
        try {
            attributes = Files.readAttributes(path, BasicFileAttributes.class);
        } catch (NoSuchFileException gone) {
            return;
        }
        if (attributes.isRegularFile()) {
            String name = Objects.requireNonNull(path.getFileName()).toString();
            entries.add(new Entry(
                    name, attributes.size(), attributes.lastModifiedTime().toInstant()));
        }
    }

    @Override
    public File open(String name, Access access) throws IOException {
        Path path = root.resolve(name);
        return new LocalFile(path, FileChannel.open(path, options(access)));
    }

    private static Set<StandardOpenOption> options(Access access) {
        return switch (access) {
            case READ -> Set.of(StandardOpenOption.READ);
            case WRITE -> Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
            case CREATE ->
                Set.of(
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING);
        };
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(
                root.resolve(from),
                root.resolve(to),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(root.resolve(name));
    }

    @Override
    public void makeDirectory(String name) throws IOException {
        Files.createDirectories(root.resolve(name));
    }

    @Override
    public void forceDirectory(String name) throws IOException {
        try (FileChannel directory = FileChannel.open(root.resolve(name), StandardOpenOption.READ)) {
            directory.force(true);
        }
    }

    @Override
    public Closeable lock(String name, Instant since) throws IOException {
        Path path = root.resolve(name);
        String holder = "pid " + ProcessHandle.current().pid() + " on " + host() + " since "
                + since.truncatedTo(ChronoUnit.SECONDS);
        String other = HELD.putIfAbsent(path, holder);
        if (other != null) {
            throw new LockedException(where(), other);
        }
        FileChannel channel = null;
        boolean locked = false;
        try {
            channel = FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw new LockedException(where(), text(channel));
            }
            locked = true;
            return held(path, channel, holder);
        } finally {
            if (!locked) {
                HELD.remove(path);
                if (channel != null) {
                    channel.close();
                }
            }
        }
    }

    /** Not from the resolver, which can take its time. */
    private static String host() throws IOException {
        Path kernel = Path.of("/proc/sys/kernel/hostname");
        return Files.exists(kernel) ? Files.readString(kernel).strip() : "this host";
    }

    private static Closeable held(Path path, FileChannel channel, String holder) throws IOException {
        byte[] line = (holder + "\n").getBytes(StandardCharsets.UTF_8);
        // Longer texts of earlier holders are cut after, not before: a full disk still has the block to overwrite.
        channel.write(ByteBuffer.wrap(line), 0);
        channel.truncate(line.length);
        return () -> {
            HELD.remove(path);
            channel.close();
        };
    }

    private static String text(FileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(256);
        channel.read(buffer, 0);
        return new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8).strip();
    }

    private static final class LocalFile implements File {
        private final Path path;
        private final FileChannel channel;
        private final @Nullable Object key;

        LocalFile(Path path, FileChannel channel) throws IOException {
            this.path = path;
            this.channel = channel;
            boolean known = false;
            try {
                this.key = key(path);
                known = true;
            } finally {
                if (!known) {
                    channel.close();
                }
            }
        }

        private static @Nullable Object key(Path path) throws IOException {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        }

        @Override
        public void read(ByteBuffer into, long position) throws IOException {
            long at = position;
            while (into.hasRemaining()) {
                int n = channel.read(into, at);
                if (n < 0) {
                    return;
                }
                at += n;
            }
        }

        @Override
        public void write(ByteBuffer from, long position) throws IOException {
            long at = position;
            while (from.hasRemaining()) {
                at += channel.write(from, at);
            }
        }

        @Override
        public void force(boolean metadata) throws IOException {
            channel.force(metadata);
        }

        @Override
        public void truncate(long size) throws IOException {
            channel.truncate(size);
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public boolean linked() throws IOException {
            try {
                return Objects.equals(key, key(path));
            } catch (NoSuchFileException gone) {
                return false;
            } catch (FileSystemException e) {
                if (NOT_A_DIRECTORY.equals(e.getReason())) {
                    return false; // something else has its directory's name
                }
                throw e;
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
