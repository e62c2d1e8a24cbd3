package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLibraryTest {
    @TempDir
    Path directory;

    private final Path missing = Path.of("/nonexistent/tmp");
    private final Path unfit = Path.of("/proc");

    @Test
    void theFirstUsableDirectoryIsChosenAndNotChanged() throws IOException {
        assertThat(NativeLibrary.choose(List.of(missing, unfit, directory, Path.of("/never/asked"))))
                .isEqualTo(directory);
        try (var left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aMissingDirectoryIsRepresentedByItsNearestExistingParent() {
        assertThat(NativeLibrary.nearest(directory)).isEqualTo(directory);
        assertThat(NativeLibrary.nearest(directory.resolve("state/muster"))).isEqualTo(directory);
    }

    @Test
    void ifNoDirectoryIsUsableEachIsNamedWithItsFault() {
        assertThatThrownBy(() -> NativeLibrary.choose(List.of(missing, unfit)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("Netty's native library cannot be unpacked"
                        + " (/nonexistent/tmp: there is no such directory; /proc: ")
                .hasMessageEndingWith(
                        "): make room, or name a directory with -Dio.netty.native.workdir=DIR in MUSTER_JAVA_OPTS");
    }
}
