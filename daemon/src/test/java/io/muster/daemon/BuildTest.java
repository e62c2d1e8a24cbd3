package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The revision of a build, from the script that the build runs. */
class BuildTest {
    @TempDir
    private Path tree;

    private String revision() throws IOException, InterruptedException {
        return run(tree.resolve(".ci/revision").toString());
    }

    private String git(String... words) throws IOException, InterruptedException {
        return run(Stream.concat(Stream.of("git", "-c", "user.name=a", "-c", "user.email=a@b"), Stream.of(words))
                .toArray(String[]::new));
    }

    private String run(String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(tree.toFile());
        builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.strip();
    }

    @Test
    void aGitWorkTreeHasARevisionAndAnUnpackedArchiveHasNone() throws Exception {
        Files.createDirectory(tree.resolve(".ci"));
        Files.copy(Path.of("../.ci/revision"), tree.resolve(".ci/revision"));
        assertThat(run("chmod", "+x", ".ci/revision")).isEmpty();
        assertThat(revision()).isEmpty();

        git("init", "-q");
        git("add", ".");
        git("commit", "-q", "-m", "first");
        String commit = git("rev-parse", "HEAD");
        assertThat(revision()).isEqualTo(commit).hasSize(40);
        Files.writeString(tree.resolve(".ci/revision"), "\n", StandardOpenOption.APPEND);
        assertThat(revision()).isEqualTo(commit + "-dirty");

        Files.createDirectories(tree.resolve("unpacked/.ci"));
        Files.copy(tree.resolve(".ci/revision"), tree.resolve("unpacked/.ci/revision"));
        assertThat(run("sh", "unpacked/.ci/revision")).isEmpty();
    }

    @Test
    void theBuildRunsTheRevisionScriptAndTheRevisionMayBeUnknown() throws Exception {
        assertThat(Files.readString(Path.of("pom.xml"))).contains("<executable>${project.basedir}/../.ci/revision<");
        assertThat(Build.revision()).matches("unknown|[0-9a-f]{40}(-dirty)?");
        assertThat(Build.build())
                .isEqualTo(
                        Build.revision().equals("unknown")
                                ? Build.version()
                                : Build.version() + " (" + Build.revision() + ")");
    }
}
