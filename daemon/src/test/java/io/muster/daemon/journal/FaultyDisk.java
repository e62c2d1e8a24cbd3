package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lets a test fail, shorten or delay any operation of another disk. */
public final class FaultyDisk implements Disk {
    private final Disk disk;
    private volatile Fault fault;

    public enum Kind {
        /** Creates a file. */
        OPEN,
        OPEN_EXISTING,
        LIST,
        MAKE_DIRECTORY,
        READ,
        WRITE,
        FORCE,
        TRUNCATE,
        RENAME,
        DELETE,
        FORCE_DIRECTORY
    }

    public interface Fault {
        /**
         * Called before every operation that can fail; may throw or block.
         *
         * @return the number of bytes to write before the write fails with ENOSPC; -1 for no failure
         */
        int before(Kind kind, String name) throws IOException;
    }

    public static final Fault NONE = (kind, name) -> -1;

    public FaultyDisk(Disk disk) {
        this(disk, NONE);
    }

    public FaultyDisk(Disk disk, Fault fault) {
        this.disk = disk;
        this.fault = fault;
    }

    public void fault(Fault next) {
        fault = next;
    }

    public static IOException full() {
        return new IOException("No space left on device");
    }

    public static IOException broken() {
        return new IOException("Input/output error");
    }

    @Override
    public String where() {
        return disk.where();
    }

    @Override
    public List<Entry> list(String directory) throws IOException {
        fault.before(Kind.LIST, directory);
        return disk.list(directory);
    }

    @Override
    public File open(String name, Access access) throws IOException {
        fault.before(access == Access.CREATE ? Kind.OPEN : Kind.OPEN_EXISTING, name);
        return new FaultyFile(name, disk.open(name, access));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        fault.before(Kind.RENAME, to);
        disk.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        fault.before(Kind.DELETE, name);
        disk.delete(name);
    }

    @Override
    public void makeDirectory(String name) throws IOException {
        fault.before(Kind.MAKE_DIRECTORY, name);
        disk.makeDirectory(name);
    }

    @Override
    public void forceDirectory(String name) throws IOException {
        fault.before(Kind.FORCE_DIRECTORY, name);
        disk.forceDirectory(name);
    }

    @Override
    public Lock lock(String name, Instant since) throws IOException {
        return disk.lock(name, since);
    }

    @Override
    public Closeable share(String name) throws IOException {
        return disk.share(name);
    }

    @Override
    public @Nullable Closeable alone(String name) throws IOException {
        return disk.alone(name);
    }

    private final class FaultyFile implements File {
        private final String name;
        private final File file;

        FaultyFile(String name, File file) {
            this.name = name;
            this.file = file;
        }

        @Override
        public void read(ByteBuffer into, long position) throws IOException {
            fault.before(Kind.READ, name);
            file.read(into, position);
        }

        @Override
        public void write(ByteBuffer from, long position) throws IOException {
            int part = fault.before(Kind.WRITE, name);
            if (part >= 0) {
                file.write(from.slice().limit(Math.min(part, from.remaining())), position);
                throw full();
            }
            file.write(from, position);
        }

        @Override
        public void force(boolean metadata) throws IOException {
            fault.before(Kind.FORCE, name);
            file.force(metadata);
        }

        @Override
        public void truncate(long size) throws IOException {
            fault.before(Kind.TRUNCATE, name);
            file.truncate(size);
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public boolean linked() throws IOException {
            return file.linked();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
