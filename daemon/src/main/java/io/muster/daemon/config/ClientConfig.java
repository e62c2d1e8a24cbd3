package io.muster.daemon.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problems;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The file {@code client.toml} of a user, which the command reads for {@code tls://}. Relative paths are relative to it.
 *
 * @param certificate file with the user's certificate
 * @param key file with the private key of the certificate
 * @param ca file with the certificate of the CA that has issued the daemon's certificate
 */
public record ClientConfig(Path certificate, Path key, Path ca) {
    private static final List<String> KEYS = List.of("certificate", "key", "ca");

    /** @throws InvalidException with every problem found, each with its line */
    public static ClientConfig read(Path file) {
        Problems problems = new Problems();
        ConfigTree document = ConfigTree.read(file, problems);
        Map<String, Path> paths = new HashMap<>();
        for (String key : KEYS) {
            JsonNode value = document.tree().path(key);
            List<String> place = List.of(key);
            if (value.isTextual() && !value.textValue().isEmpty()) {
                Path directory = Objects.requireNonNull(document.directory(place));
                paths.put(key, directory.resolve(value.textValue()));
            } else {
                problems.add(
                        value.isMissingNode() ? file.toString() : document.place(place),
                        key + (value.isMissingNode() ? ": is missing" : ": expected the path of a file in PEM"));
            }
        }
        document.tree().fieldNames().forEachRemaining(name -> {
            if (!KEYS.contains(name)) {
                problems.add(document.place(List.of(name)), name + ": unknown key" + Key.suggestion(name, KEYS));
            }
        });
        problems.throwIfAny("client.toml");
        return new ClientConfig(path(paths, "certificate"), path(paths, "key"), path(paths, "ca"));
    }

    private static Path path(Map<String, Path> paths, String key) {
        return Objects.requireNonNull(paths.get(key));
    }
}
