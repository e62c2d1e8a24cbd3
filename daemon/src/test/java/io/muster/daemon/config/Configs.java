package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Reads configurations given as text, as the daemon reads them. */
public final class Configs {
    /** An ordinary user without XDG variables on a host of four cores. */
    static final Environment ADA = new Environment(Map.of(), 1000, Path.of("/home/ada"), "host7", 4);

    private Configs() {}

    static Config load(Path directory, String... lines) {
        return Config.load(write(directory, "muster.toml", lines), ADA);
    }

    /** Returns all problems of a configuration that is refused, with paths relative to the directory. */
    static List<String> problems(Path directory, String... lines) {
        return problemsOf(directory, write(directory, "muster.toml", lines));
    }

    static List<String> problemsOf(Path directory, Path file) {
        InvalidException e = catchThrowableOfType(InvalidException.class, () -> Config.load(file, ADA));
        assertThat(e).as("the configuration was accepted").isNotNull();
        return shown(directory, e.problems());
    }

    static List<String> notes(Path directory, Config config) {
        return shown(directory, config.notes());
    }

    public static Path write(Path directory, String name, String... lines) {
        try {
            Files.createDirectories(directory);
            return Files.writeString(directory.resolve(name), String.join("\n", lines) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> shown(Path directory, List<Problem> problems) {
        return problems.stream()
                .map(problem -> problem.toString().replace(directory + "/", ""))
                .toList();
    }
}
