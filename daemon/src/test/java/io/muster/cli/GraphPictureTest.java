package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.RunningDaemon;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The picture in {@code docs/graph.md} is the output of {@code muster graph} for this machine; {@code -Dmuster.rewrite=true} writes it again. */
class GraphPictureTest {
    private static final Path SVG = Path.of("../docs/graph.svg");

    private static final String MACHINE = """
            [[resource.config]]
            hosts = "login[1-4],fluke[1-132]"
            cores = "0-63"
            [[resource.config]]
            hosts = "fluke[1-124]"
            gpus = "0-3"
            properties = ["batch"]
            [[resource.config]]
            hosts = "fluke[125-132]"
            gpus = "0-7"
            properties = ["batch"]
            """;

    private static String drawn(Path directory) throws Exception {
        try (RunningDaemon daemon = RunningDaemon.start(directory, MACHINE)) {
            Shell shell = new Shell().with("MUSTER_URI", daemon.uri());
            assertThat(shell.run("exclude", "login[1-4]").exit()).isZero();
            assertThat(shell.run("drain", "fluke132", "bad dimm").exit()).isZero();
            assertThat(shell.run("offline", "fluke[101-104]", "power").exit()).isZero();
            return shell.run("graph", "--format", "svg").out();
        }
    }

    @Test
    void thePictureOfTheReadmeIsTheOutputOfMusterGraph(@TempDir Path directory) throws Exception {
        String svg = drawn(directory);
        if (Boolean.getBoolean("muster.rewrite")) {
            Files.writeString(SVG, svg);
        }
        assertThat(Files.readString(SVG)).isEqualTo(svg);
    }
}
