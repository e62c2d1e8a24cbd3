package io.muster.daemon.journal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** This process's part of a lock that several processes may share: see {@link Disk#share} and {@link Disk#alone}. */
final class SharedLock implements Closeable {
    /** The semaphore of each shared lock: file locks exclude other processes, but not other threads of this process. */
    private static final Map<Path, Semaphore> SHARED = new ConcurrentHashMap<>();

    private final Semaphore inProcess;
    private @Nullable FileChannel channel;

    private SharedLock(Semaphore inProcess) {
        this.inProcess = inProcess;
    }

    static Closeable share(Path path, LockFile.Opener file) throws IOException {
        Semaphore inProcess = inProcess(path);
        inProcess.acquireUninterruptibly();
        SharedLock lock = new SharedLock(inProcess);
        try {
            lock.channel = file.open();
            lock.channel.lock(0, Long.MAX_VALUE, true);
        } catch (NoSuchFileException none) {
            return lock;
        } catch (IOException e) {
            lock.close();
            throw e;
        }
        return lock;
    }

    static @Nullable Closeable alone(Path path, LockFile.Opener file) throws IOException {
        Semaphore inProcess = inProcess(path);
        if (!inProcess.tryAcquire()) {
            return null;
        }
        SharedLock lock = new SharedLock(inProcess);
        boolean alone = false;
        try {
            lock.channel = file.open();
            alone = lock.channel.tryLock() != null;
            return alone ? lock : null;
        } finally {
            if (!alone) {
                lock.close();
            }
        }
    }

    private static Semaphore inProcess(Path path) {
        return SHARED.computeIfAbsent(path, key -> new Semaphore(1));
    }

    @Override
    public void close() throws IOException {
        try {
            if (channel != null) {
                channel.close();
            }
        } finally {
            inProcess.release(); // last: the next thread must not find this thread's lock
        }
    }
}
