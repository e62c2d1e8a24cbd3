package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The directory for bytes that a start or a repair takes out of use. Broken data is moved or copied to it and never just
 * deleted.
 */
final class Quarantine {
    static final String DIRECTORY = "quarantine";

    private Quarantine() {}

    /**
     * Copies a file from an offset to its end.
     *
     * @return the name of the copy
     */
    static String copy(Disk disk, String name, long from) throws IOException {
        String copy = free(disk, plain(name) + ".from-byte-" + from);
        try (Disk.File source = disk.open(name, Disk.Access.READ);
                Disk.File target = disk.open(copy, Disk.Access.CREATE)) {
            ByteBuffer block = ByteBuffer.allocate(1 << 16);
            for (long at = from; at < source.size(); at += block.limit()) {
                source.read(block.clear(), at);
                target.write(block.flip(), at - from);
            }
            target.force(true);
        }
        disk.forceDirectory(DIRECTORY);
        return copy;
    }

    /**
     * Moves a file.
     *
     * @return the new name
     */
    static String move(Disk disk, String name) throws IOException {
        String moved = free(disk, plain(name));
        disk.rename(name, moved);
        disk.forceDirectory(DIRECTORY);
        return moved;
    }

    private static String plain(String name) {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    private static String free(Disk disk, String name) throws IOException {
        disk.makeDirectory(DIRECTORY);
        List<String> taken = disk.list(DIRECTORY).stream().map(Disk.Entry::name).toList();
        int n = 1;
        while (taken.contains(name + "." + n + ".broken")) {
            n++;
        }
        return DIRECTORY + "/" + name + "." + n + ".broken";
    }
}
