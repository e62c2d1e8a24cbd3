package io.muster.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The free space of the state directory. A thread other than the core thread measures it, because a disk may not answer. */
final class DiskSpace {
    private final Path directory;
    private volatile double free = Double.NaN;

    DiskSpace(Path directory) {
        this.directory = directory;
    }

    void measure() {
        try {
            free = (double) Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            free = Double.NaN;
        }
    }

    /** Returns how many bytes the daemon can still write; NaN if that is not known. Any thread may call this. */
    double free() {
        return free;
    }
}
