package io.muster.daemon.journal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An open file of a {@link LocalDisk}. */
final class LocalFile implements Disk.File {
    private final Path path;
    private final FileChannel channel;
    private final @Nullable Object key;

    LocalFile(Path path, FileChannel channel) throws IOException {
        this.path = path;
        this.channel = channel;
        boolean known = false;
        try {
            this.key = LockFile.key(path);
            known = true;
        } finally {
            if (!known) {
                channel.close();
            }
        }
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
        return Objects.equals(key, LockFile.key(path));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
