package io.muster.cli.change;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Makes random ids of changes. The command does not use {@link UUID#randomUUID}, which takes 40 ms in a new JVM. */
final class RandomId {
    private static final Path RANDOM = Path.of("/dev/urandom");
    private static final long VERSION = 0xF000L;
    private static final long VARIANT = 0xC000_0000_0000_0000L;

    private RandomId() {}

    static UUID next() throws IOException {
        try (DataInputStream random = new DataInputStream(Files.newInputStream(RANDOM))) {
            return new UUID((random.readLong() & ~VERSION) | 0x4000L, (random.readLong() & ~VARIANT) | Long.MIN_VALUE);
        }
    }
}
