package io.muster.daemon.journal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state directory of one daemon, with every file operation that the journal uses. Names are relative to the directory,
 * and {@code /} separates their parts. Links are never followed. Tests use disks that fail or that record the operations;
 * nothing else in the journal uses a file.
 */
public interface Disk {

    /** Returns the path of the directory, for messages. */
    String where();

    /**
     * Returns the files of a directory, sorted by name; none if the directory does not exist. Links and pipes are listed too, and refused
     * when they are opened: a segment that was replaced by a link is not a missing segment.
     */
    List<Entry> list(String directory) throws IOException;

    File open(String name, Access access) throws IOException;

    /**
     * Renames a file atomically and replaces any file with the new name. The new name is durable only after {@link
     * #forceDirectory}.
     */
    void rename(String from, String to) throws IOException;

    /** Deletes a file, if it exists. */
    void delete(String name) throws IOException;

    /** Creates a directory for its owner only. An existing directory is no error, a link to one is. */
    void makeDirectory(String name) throws IOException;

    /** Makes the creation, renaming and deletion of files in a directory ("" is the state directory) durable. */
    void forceDirectory(String name) throws IOException;

    /**
     * Locks the directory: keeps other processes out until the result is closed.
     *
     * @param since time to write into the lock file, with the pid and host, for the error message of the next process that
     *     tries
     * @throws LockedException if another process has the lock
     */
    Lock lock(String name, Instant since) throws IOException;

    /**
     * Takes a lock that several processes may share, and that keeps {@link #alone} from succeeding until the result is
     * closed. Waits while a process is alone. If no process was ever alone, there is no file to lock, and none is created.
     */
    Closeable share(String name) throws IOException;

    /**
     * Takes the lock of {@link #share} for this process alone, until the result is closed. Returns null, at once, while
     * another process shares the lock or is alone.
     */
    @Nullable
    Closeable alone(String name) throws IOException;

    /** The lock of a state directory, without which a process must not write there. */
    interface Lock extends Closeable {
        /**
         * Checks the lock before a write that must not go elsewhere; costs one stat(2).
         *
         * @throws IOException if the directory or the lock file is no longer the one that was locked, so that another process may write
         *     there, or a start will not find what is written; the message says which, and what to do
         */
        void check() throws IOException;
    }

    enum Access {
        /** Opens an existing file for reading. */
        READ,
        /** Reads and writes an existing file. */
        WRITE,
        /** Creates an empty file, for its owner only, and replaces an existing one. */
        CREATE
    }

    record Entry(String name, long size, Instant modified) {}

    /** One open file; not thread-safe. */
    interface File extends Closeable {
        /** Reads from {@code position} until the buffer is full or the file ends. */
        void read(ByteBuffer into, long position) throws IOException;

        /** Writes all remaining bytes of the buffer. After an exception, any part of them may have been written. */
        void write(ByteBuffer from, long position) throws IOException;

        /**
         * Makes the contents of the file durable.
         *
         * @param metadata whether to flush all attributes too; false is enough after appending, because fdatasync(2) flushes
         *     the size with the bytes
         */
        void force(boolean metadata) throws IOException;

        void truncate(long size) throws IOException;

        long size() throws IOException;

        /** Returns whether the name by which the file was opened still leads to this file. */
        boolean linked() throws IOException;
    }
}
