package io.muster.daemon.journal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;

/**
 * Every operation on files that this package makes: the state directory of one daemon. Names are relative to it and
 * separated by {@code /}. Tests put failing and recording disks here; nothing else in the package touches a file.
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

    void makeDirectory(String name) throws IOException;

    /** Makes the creation, renaming and deletion of files in a directory ("" is the state directory) durable. */
    void forceDirectory(String name) throws IOException;

    /**
     * Keeps other processes out until the result is closed.
     *
     * @param since left in the file with our pid and host, for the message of whoever comes second
     * @throws LockedException if somebody else has it
     */
    Closeable lock(String name, Instant since) throws IOException;

    enum Access {
        /** An existing file. */
        READ,
        /** An existing file. */
        WRITE,
        /** A new empty file; one that exists is emptied. */
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
