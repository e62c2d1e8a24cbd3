package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.journal.disk.LockedException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that records every operation in order, so that {@link PowerLoss} can build the states that a power loss may leave. As on
 * a real disk, names refer to inodes.
 */
public final class MemoryDisk implements Disk {
    /** Contents by inode. */
    final List<byte[]> inodes = Collections.synchronizedList(new ArrayList<>());

    final Map<String, Integer> names = new ConcurrentSkipListMap<>();
    final Map<String, Instant> modified = new ConcurrentSkipListMap<>();
    /** All operations. The thread of the test adds marks; the thread of the journal adds the other operations. */
    final List<Op> ops = Collections.synchronizedList(new ArrayList<>());

    private final Map<String, Object> locks = new ConcurrentHashMap<>();
    public Instant now = Client.CLOCK.instant();

    interface Op {}

    record Written(int inode, long at, ByteBuffer bytes) implements Op {}

    record Truncated(int inode, long size) implements Op {}

    record Forced(int inode) implements Op {}

    record Named(String name, int inode) implements Op {}

    record Renamed(String from, String to) implements Op {}

    record Deleted(String name) implements Op {}

    record DirectoryForced(String name) implements Op {}

    /** A mark that the test puts between the operations. */
    record Mark(String text, long seq) implements Op {}

    /** Copies the current contents. The thread of the journal may write at the same time: each name of the copy has its inode. */
    public MemoryDisk copy() {
        MemoryDisk copy = new MemoryDisk();
        copy.names.putAll(names);
        synchronized (inodes) {
            inodes.forEach(bytes -> copy.inodes.add(bytes.clone()));
        }
        copy.modified.putAll(modified);
        return copy;
    }

    void mark(String text, long seq) {
        ops.add(new Mark(text, seq));
    }

    public byte[] content(String name) {
        return inodes.get(Objects.requireNonNull(names.get(name), name));
    }

    public void set(String name, byte[] content) {
        names.put(name, inode(content.clone()));
        modified.put(name, now);
    }

    private int inode(byte[] content) {
        synchronized (inodes) {
            inodes.add(content);
            return inodes.size() - 1;
        }
    }

    void write(int inode, long at, byte[] bytes) {
        byte[] old = inodes.get(inode);
        byte[] content = Arrays.copyOf(old, Math.max(old.length, (int) at + bytes.length));
        System.arraycopy(bytes, 0, content, (int) at, bytes.length);
        inodes.set(inode, content);
    }

    void truncate(int inode, long size) {
        if (size < inodes.get(inode).length) {
            inodes.set(inode, Arrays.copyOf(inodes.get(inode), (int) size));
        }
    }

    @Override
    public String where() {
        return "/state";
    }

    @Override
    public List<Entry> list(String directory) {
        String prefix = directory.isEmpty() ? "" : directory.endsWith("/") ? directory : directory + "/";
        return names.entrySet().stream()
                .filter(e -> e.getKey().startsWith(prefix) && e.getKey().indexOf('/', prefix.length()) < 0)
                .map(e -> new Entry(
                        e.getKey().substring(prefix.length()),
                        inodes.get(e.getValue()).length,
                        modified.getOrDefault(e.getKey(), Instant.EPOCH)))
                .toList();
    }

    @Override
    public File open(String name, Access access) throws IOException {
        if (access == Access.CREATE) {
            int created = inode(new byte[0]);
            names.put(name, created);
            modified.put(name, now);
            ops.add(new Named(name, created));
        }
        Integer inode = names.get(name);
        if (inode == null) {
            throw new NoSuchFileException(where() + "/" + name);
        }
        return new MemoryFile(name, inode);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Integer inode = names.get(from);
        if (inode == null) {
            throw new NoSuchFileException(where() + "/" + from);
        }
        names.put(to, inode);
        names.remove(from);
        modified.put(to, now);
        ops.add(new Renamed(from, to));
    }

    @Override
    public void delete(String name) {
        if (names.remove(name) != null) {
            ops.add(new Deleted(name));
        }
    }

    @Override
    public void makeDirectory(String name) {}

    @Override
    public void forceDirectory(String name) {
        ops.add(new DirectoryForced(name));
    }

    @Override
    public Lock lock(String name, Instant since) throws IOException {
        Object token = new Object();
        if (locks.putIfAbsent(name, token) != null) {
            throw new LockedException(where(), "pid 1 on memory since " + since);
        }
        return new Lock() {
            @Override
            public void check() throws IOException {
                if (locks.get(name) != token) {
                    throw new IOException("the lock file was removed");
                }
            }

            @Override
            public void close() {
                locks.remove(name, token);
            }
        };
    }

    /** Deletes a lock file as rm(1) does: its holder still assumes that it has the lock, and another process can get the lock too. */
    void deleteLock(String name) {
        locks.remove(name);
    }

    @Override
    public Closeable share(String name) throws IOException {
        Closeable alone = alone(name);
        if (alone == null) {
            throw new IOException("a test would wait for itself");
        }
        return alone;
    }

    @Override
    public @Nullable Closeable alone(String name) {
        Object token = new Object();
        return locks.putIfAbsent(name, token) == null ? () -> locks.remove(name, token) : null;
    }

    private final class MemoryFile implements File {
        private final String name;
        private final int inode;

        MemoryFile(String name, int inode) {
            this.name = name;
            this.inode = inode;
        }

        @Override
        public void read(ByteBuffer into, long position) {
            byte[] content = inodes.get(inode);
            int count = (int) Math.max(0, Math.min(into.remaining(), content.length - position));
            into.put(content, (int) Math.min(position, content.length), count);
        }

        @Override
        public void write(ByteBuffer from, long position) {
            byte[] bytes = new byte[from.remaining()];
            from.get(bytes);
            MemoryDisk.this.write(inode, position, bytes);
            modified.put(name, now);
            ops.add(new Written(inode, position, ByteBuffer.wrap(bytes)));
        }

        @Override
        public void force(boolean metadata) {
            ops.add(new Forced(inode));
        }

        @Override
        public void truncate(long size) {
            MemoryDisk.this.truncate(inode, size);
            ops.add(new Truncated(inode, size));
        }

        @Override
        public long size() {
            return inodes.get(inode).length;
        }

        @Override
        public boolean linked() {
            Integer linked = names.get(name);
            return linked != null && linked == inode;
        }

        @Override
        public void close() {}
    }
}
