package io.muster.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The daemon's jars from the build, which runs before the tests of this module. */
public final class Jars {
    private Jars() {}

    /** The build's list of the jars that the client verbs need; the launcher reads it. */
    public static Path clientClassPath() {
        return all().get(1).resolveSibling("client.classpath");
    }

    /** {@link #all} as the class path of a JVM. */
    public static String classPath() {
        return all().stream().map(Path::toString).collect(Collectors.joining(":"));
    }

    /** The daemon's own jar and the jars that it needs. */
    public static List<Path> all() {
        Path target = Path.of("..", "daemon", "target").toAbsolutePath().normalize();
        Path daemon = target.resolve("muster-daemon-0.1.0.jar");
        assertThat(daemon)
                .as("the packaged daemon; mvn package -pl daemon -am makes it")
                .exists();
        try (Stream<Path> libraries = Files.list(target.resolve("lib"))) {
            return Stream.concat(
                            Stream.of(daemon),
                            libraries
                                    .filter(file -> file.toString().endsWith(".jar"))
                                    .sorted())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
