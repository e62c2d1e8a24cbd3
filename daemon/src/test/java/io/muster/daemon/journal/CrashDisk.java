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
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that outlives the processes that use it. A power loss loses any part of what was not forced: writes, of which the last
 * may be torn, and names. After a force that failed, the kernel takes the pages for written: only a further write to a page makes the
 * next force write the page, and a page that was not written is zeros on the device. Each process opens the disk with {@link #open()}, and a process that was killed cannot use it any more.
 */
public final class CrashDisk {
    private static final int PAGE = 4096;

    private final Supplier<Instant> clock;
    private Map<String, Inode> names = new TreeMap<>();
    private Map<String, Inode> durableNames = new TreeMap<>();
    private @Nullable Object lock;
    private Fault fault = (kind, name) -> -1;
    private Consumer<String> forced = what -> {};

    /** Faults of a disk that does not lose anything. */
    public interface Fault {
        /** @return how many bytes of a write are written before it fails; -1 for all */
        int before(String kind, String name) throws IOException;
    }

    private static final class Inode {
        private byte[] content = new byte[0];
        private int size;
        /** How much of the content is forced. */
        private int durableSize;
        /** The content of the device, if the forced part of the content differs from it. */
        private byte @Nullable [] saved;

        private Instant modified = Instant.EPOCH;
        /** Where the writes begin that are not forced; writes append, as the journal's do. */
        private int dirtyFrom = Integer.MAX_VALUE;
        /** Where they end; bytes that were cut off since may still be on the device after a power loss. */
        private int dirtyTo;
        /** The pages that a force failed to write, and that no force writes before they are written again. */
        private final BitSet lost = new BitSet();

        void dirty(int from) {
            if (from < durableSize && saved == null) {
                saved = Arrays.copyOf(content, durableSize);
            }
            dirtyFrom = Math.min(dirtyFrom, from);
        }

        /**
         * A force has failed: the device may have damaged a page that it could not write. Here, damage is seen only after a force that says
         * nothing of it, because nobody could prevent it before.
         */
        void lose() {
            if (dirtyFrom < size) {
                lost.set(dirtyFrom / PAGE, pages(size));
            }
        }

        /** Each page of which a part is written is written whole by the next force. */
        void written(int from, int to) {
            if (from < to) {
                lost.clear(from / PAGE, pages(to));
            }
        }

        void cut(int at) {
            lost.clear(pages(at), Math.max(pages(at), lost.length()));
        }

        void force() {
            forced(content, size);
            if (!lost.isEmpty()) {
                saved = Arrays.copyOf(content, size);
                lost(saved, new byte[0]);
            }
        }

        /** Puts the bytes of the device, or zeros, where the pages are lost. */
        void lost(byte[] all, byte[] device) {
            lost.stream()
                    .flatMap(page -> IntStream.range(page * PAGE, Math.min((page + 1) * PAGE, all.length)))
                    .forEach(at -> all[at] = at < device.length ? device[at] : 0);
        }

        private static int pages(int bytes) {
            return (bytes + PAGE - 1) / PAGE;
        }

        void forced(byte[] all, int length) {
            content = all;
            size = length;
            durableSize = length;
            saved = null;
            dirtyFrom = Integer.MAX_VALUE;
            dirtyTo = 0;
        }
    }

    public CrashDisk(Supplier<Instant> clock) {
        this.clock = clock;
    }

    /** @param listener is told what becomes durable */
    public void onForce(Consumer<String> listener) {
        forced = listener;
    }

    public void fault(Fault next) {
        fault = next;
    }

    /** The machine has lost its power. */
    public void powerLost(SplittableRandom random) {
        lock = null;
        Map<String, Inode> left = new TreeMap<>(durableNames);
        names.forEach((name, inode) -> {
            if (!durableNames.containsKey(name) && random.nextBoolean()) {
                left.put(name, inode);
            }
        });
        durableNames.forEach((name, inode) -> {
            Inode now = names.get(name);
            if (now == null && random.nextBoolean()) {
                left.remove(name);
            } else if (now != null && now != inode && random.nextBoolean()) {
                left.put(name, now);
            }
        });
        left.values().forEach(inode -> tear(inode, random));
        names = left;
        durableNames = new TreeMap<>(left);
    }

    /** Keeps the beginning of what was written since the last force, perhaps with a hole: of old bytes, or of zeros where nothing was. */
    private static void tear(Inode inode, SplittableRandom random) {
        if (inode.dirtyFrom == Integer.MAX_VALUE && inode.saved == null) {
            return;
        }
        byte[] old = inode.saved == null ? Arrays.copyOf(inode.content, inode.durableSize) : inode.saved;
        byte[] kept = old;
        if (inode.dirtyTo > inode.dirtyFrom && random.nextInt(3) > 0) {
            int until = inode.dirtyFrom + random.nextInt(inode.dirtyTo - inode.dirtyFrom + 1);
            kept = Arrays.copyOf(inode.content, Math.max(until, Math.min(inode.durableSize, inode.size)));
            if (random.nextInt(4) == 0 && until > inode.dirtyFrom) {
                kept = Arrays.copyOf(inode.content, Math.max(inode.dirtyTo, inode.size));
                for (int i = inode.dirtyFrom + random.nextInt(until - inode.dirtyFrom); i < until; i++) {
                    kept[i] = i < old.length ? old[i] : 0;
                }
            }
        }
        inode.lost(kept, old);
        inode.lost.clear();
        inode.forced(kept, kept.length);
    }

    /** A copy of everything on the disk, as a backup has it. */
    public static final class Image {
        private final Map<String, byte[]> files = new TreeMap<>();
    }

    public Image image() {
        Image image = new Image();
        names.forEach((name, inode) -> image.files.put(name, Arrays.copyOf(inode.content, inode.size)));
        return image;
    }

    /** Replaces everything on the disk. No process may use the disk. */
    public void restore(Image image) {
        names = new TreeMap<>();
        image.files.forEach((name, content) -> {
            Inode inode = new Inode();
            inode.forced(content.clone(), content.length);
            inode.modified = clock.get();
            names.put(name, inode);
        });
        durableNames = new TreeMap<>(names);
    }

    public boolean isEmpty() {
        return names.isEmpty();
    }

    /** Returns the disk for one process. */
    public Handle open() {
        return new Handle();
    }

    /** The disk of one process. */
    public final class Handle implements Disk {
        private boolean ended;
        private @Nullable Object held;

        CrashDisk owner() {
            return CrashDisk.this;
        }

        /** Called when the process has ended: it writes nothing more, its lock ends, and everything that it wrote is there. */
        public void end() {
            ended = true;
            lock = lock == held ? null : lock;
            held = null;
        }

        private int before(String kind, String name) throws IOException {
            if (ended) {
                throw new IOException("the process has ended");
            }
            return fault.before(kind, name);
        }

        @Override
        public String where() {
            return "/state";
        }

        @Override
        public List<Entry> list(String directory) throws IOException {
            before("list", directory);
            String prefix = directory.isEmpty() ? "" : directory.endsWith("/") ? directory : directory + "/";
            List<Entry> found = new ArrayList<>();
            names.forEach((name, inode) -> {
                if (name.startsWith(prefix) && name.indexOf('/', prefix.length()) < 0) {
                    found.add(new Entry(name.substring(prefix.length()), inode.size, inode.modified));
                }
            });
            return found;
        }

        @Override
        public File open(String name, Access access) throws IOException {
            before(access == Access.CREATE ? "create" : "open", name);
            if (access == Access.CREATE) {
                names.put(name, new Inode());
            }
            Inode inode = names.get(name);
            if (inode == null) {
                throw new NoSuchFileException(where() + "/" + name);
            }
            inode.modified = access == Access.READ ? inode.modified : clock.get();
            return new OpenFile(this, name, inode);
        }

        @Override
        public void rename(String from, String to) throws IOException {
            before("rename", to);
            Inode inode = names.remove(from);
            if (inode == null) {
                throw new NoSuchFileException(where() + "/" + from);
            }
            names.put(to, inode);
        }

        @Override
        public void delete(String name) throws IOException {
            before("delete", name);
            names.remove(name);
        }

        @Override
        public void makeDirectory(String name) throws IOException {
            before("makeDirectory", name);
        }

        @Override
        public void forceDirectory(String name) throws IOException {
            before("forceDirectory", name);
            String prefix = name.isEmpty() ? "" : name + "/";
            durableNames.keySet().removeIf(each -> isIn(each, prefix) && !names.containsKey(each));
            names.forEach((each, inode) -> {
                if (isIn(each, prefix)) {
                    durableNames.put(each, inode);
                }
            });
            forced.accept("the names of directory '" + name + "'");
        }

        private static boolean isIn(String name, String prefix) {
            return name.startsWith(prefix) && name.indexOf('/', prefix.length()) < 0;
        }

        @Override
        public Lock lock(String name, Instant since) throws IOException {
            if (lock != null) {
                throw new LockedException(where(), "pid 1 on memory since " + since);
            }
            Object token = new Object();
            lock = token;
            held = token;
            return new Lock() {
                @Override
                public void check() throws IOException {
                    if (lock != token || ended) {
                        throw new IOException("the lock file was removed");
                    }
                }

                @Override
                public void close() {
                    lock = lock == token ? null : lock;
                }
            };
        }

        @Override
        public Closeable share(String name) {
            return () -> {};
        }

        @Override
        public @Nullable Closeable alone(String name) {
            return () -> {};
        }
    }

    private record OpenFile(Handle disk, String name, Inode inode, CrashDisk owner) implements Disk.File {
        OpenFile(Handle disk, String name, Inode inode) {
            this(disk, name, inode, disk.owner());
        }

        @Override
        public void read(ByteBuffer into, long position) throws IOException {
            disk.before("read", name);
            int count = (int) Math.max(0, Math.min(into.remaining(), inode.size - position));
            if (count > 0) {
                into.put(inode.content, (int) position, count);
            }
        }

        @Override
        public void write(ByteBuffer from, long position) throws IOException {
            int part = disk.before("write", name);
            int length = part < 0 ? from.remaining() : Math.min(part, from.remaining());
            int end = (int) position + length;
            inode.dirty((int) position);
            inode.dirtyTo = Math.max(inode.dirtyTo, end);
            inode.written((int) position, end);
            if (end > inode.content.length) {
                inode.content = Arrays.copyOf(inode.content, Math.max(end, 2 * inode.content.length));
            }
            from.get(inode.content, (int) position, length);
            inode.size = Math.max(inode.size, end);
            inode.modified = owner.clock.get();
            if (part >= 0) {
                throw new IOException("No space left on device");
            }
        }

        @Override
        public void force(boolean metadata) throws IOException {
            try {
                disk.before("force", name);
            } catch (IOException failed) {
                if (!disk.ended) { // else the process has not asked for it
                    inode.lose();
                }
                throw failed;
            }
            inode.force();
            owner.forced.accept(name + ", " + inode.size + " bytes");
        }

        @Override
        public void truncate(long size) throws IOException {
            disk.before("truncate", name);
            if (size < inode.size) {
                inode.dirty((int) size);
                inode.cut((int) size);
                inode.size = (int) size;
            }
        }

        @Override
        public long size() {
            return inode.size;
        }

        @Override
        public boolean linked() {
            return owner.names.get(name) == inode;
        }

        @Override
        public void close() {}
    }
}
