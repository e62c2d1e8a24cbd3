package io.muster.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Skips a class or a method whose {@link Needs} names something that this machine lacks. */
final class NeedsCondition implements ExecutionCondition {
    private static final Set<String> WORDS = words();
    private static final Map<String, Boolean> FOUND = new ConcurrentHashMap<>();

    /** Returns the first word of each line of the file {@code needs}. */
    private static Set<String> words() {
        try (InputStream file = Objects.requireNonNull(NeedsCondition.class.getResourceAsStream("needs"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" ", 2)[0])
                    .collect(Collectors.toUnmodifiableSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Optional<Needs> needs =
                context.getElement().flatMap(element -> AnnotationSupport.findAnnotation(element, Needs.class));
        return evaluate(needs.map(Needs::value).orElse(new String[0]));
    }

    static ConditionEvaluationResult evaluate(String... words) {
        String missing =
                Stream.of(words).filter(word -> !isThere(word)).sorted().collect(Collectors.joining(" "));
        return missing.isEmpty()
                ? ConditionEvaluationResult.enabled("everything that the test needs is there")
                : ConditionEvaluationResult.disabled("needs " + missing);
    }

    private static boolean isThere(String word) {
        if (!WORDS.contains(word)) {
            throw new ExtensionConfigurationException("@Needs(\"" + word + "\"): the file needs has no such line");
        }
        return FOUND.computeIfAbsent(word, NeedsCondition::look);
    }

    private static boolean look(String word) {
        return switch (word) {
            case "root" -> isRoot();
            case "mount" -> isRoot() && succeeds("unshare", "--mount", "--net", "true");
            case "docker" -> succeeds("docker", "info");
            case "strace" -> mayTrace();
            default -> isInstalled(word);
        };
    }

    private static boolean isInstalled(String program) {
        return Stream.of((System.getenv("PATH") + ":/usr/sbin").split(":", -1))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    private static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean succeeds(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException noSuchCommand) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns whether strace exists and may trace a process that it has not started. */
    private static boolean mayTrace() {
        try {
            Process traced = new ProcessBuilder("sleep", "60").start();
            Process strace;
            try {
                strace = new ProcessBuilder("strace", "--attach=" + traced.pid())
                        .redirectErrorStream(true)
                        .start();
            } catch (IOException noSuchCommand) {
                traced.destroyForcibly();
                return false;
            }
            try (BufferedReader said =
                    new BufferedReader(new InputStreamReader(strace.getInputStream(), StandardCharsets.UTF_8))) {
                String line = said.readLine();
                return line != null && line.endsWith(" attached");
            } finally {
                strace.destroyForcibly();
                traced.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
