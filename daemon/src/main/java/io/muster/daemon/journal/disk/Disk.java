package io.muster.daemon.journal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Every operation on files that the journal makes: the state directory of one daemon. Names are relative to it and
 * separated by {@code /}. No link is followed. Tests put failing and recording disks here; nothing else in the journal touches
 * a file.
 */
public interface Disk {

    /** The directory as an operator would type it, for messages. */
    String where();

    /** The plain files of a directory, sorted by name; none when there is no such directory. */
    List<Entry> list(String directory) throws IOException;

    File open(String name, Access access) throws IOException;

    /** Atomic, and replaces what has the new name. Durable only after {@link #forceDirectory}. */
    void rename(String from, String to) throws IOException;

    /** Deleting what is not there is no error. */
    void delete(String name) throws IOException;

    /** For its owner only. A directory that exists is no error, a link to one is. */
    void makeDirectory(String name) throws IOException;

    /** Makes the creation, renaming and deletion of files in a directory ("" is the state directory) durable. */
    void forceDirectory(String name) throws IOException;

    /**
     * Keeps other processes out until the result is closed.
     *
     * @param since left in the file with our pid and host, for the message of whoever comes second
     * @throws LockedException if another process has the lock
     */
    Lock lock(String name, Instant since) throws IOException;

    /**
     * Keeps {@link #alone} from succeeding until the result is closed; several processes may share. Waits for a process that
     * is alone. Where no process was ever alone, there is no file to lock, and none is made.
     */
    Closeable share(String name) throws IOException;

    /** Keeps other processes from sharing until the result is closed. Null, at once, while one shares or is alone. */
    @Nullable
    Closeable alone(String name) throws IOException;

    /** The right to write to the directory. */
    interface Lock extends Closeable {
        /**
         * To be called before a write that must not go elsewhere: costs one stat(2).
         *
         * @throws IOException if the directory or the lock file is no longer the one that was locked, so that another process
         *     may write there, or a start will not find what is written; it says which, and what to do
         */
        void check() throws IOException;
    }

    enum Access {
        /** An existing file. */
        READ,
        /** An existing file. */
        WRITE,
        /** A new empty file, for its owner only, in place of one that exists. */
        CREATE
    }

    record Entry(String name, long size, Instant modified) {}

    /** One open file; not thread-safe. */
    interface File extends Closeable {
        /** Reads until the buffer is full or the file ends, from {@code position}. */
        void read(ByteBuffer into, long position) throws IOException;

        /** Writes all that remains in the buffer; after an exception any part of it may have been written. */
        void write(ByteBuffer from, long position) throws IOException;

        /** @param metadata false is enough after appending (the size is flushed with the bytes), as fdatasync(2) */
        void force(boolean metadata) throws IOException;

        void truncate(long size) throws IOException;

        long size() throws IOException;

        /** Whether the name it was opened by still leads to this file. */
        boolean linked() throws IOException;
    }
}
