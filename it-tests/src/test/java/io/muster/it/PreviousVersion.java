package io.muster.it;

import io.muster.it.harness.Jars;
import io.muster.it.harness.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The daemon as it was before format levels, built from its own sources. The commit must be in this repository: a shallow clone needs {@code
 * git fetch --unshallow}.
 */
final class PreviousVersion {
    /** The last commit that knows only the first format level. */
    private static final String COMMIT = "006df46";

    private static final List<String> GIT = List.of("git", "-c", "safe.directory=*");

    /** The classes of the previous version, compiled once for all tests. */
    private static byte @Nullable [] jar;

    private PreviousVersion() {}

    /** Returns the commit; prints a notice and returns nothing if the sources have no Git history. */
    static Stream<String> commits() throws InterruptedException {
        try {
            Process git = git("cat-file", "-e", COMMIT + "^{commit}").start();
            if (git.waitFor() == 0) {
                return Stream.of(COMMIT);
            }
        } catch (IOException e) {
            System.err.println("git cannot be run: " + e.getMessage());
        }
        System.err.println("no commit " + COMMIT + " in this repository: upgrades from it are not tested");
        return Stream.empty();
    }

    private static ProcessBuilder git(String... arguments) {
        List<String> command = new ArrayList<>(GIT);
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true);
    }

    /** Puts the previous version with its libraries into {@code jars}, which must not exist. */
    static void into(Path jars, Path scratch, String commit) throws IOException {
        List<Path> libraries = Jars.all().stream()
                .filter(library -> !library.getFileName().toString().startsWith("muster-"))
                .toList();
        byte[] classes = jar == null ? compile(libraries, scratch, commit) : jar;
        jar = classes;
        Files.createDirectory(jars);
        Files.write(jars.resolve("muster-previous.jar"), classes);
        for (Path library : libraries) {
            Files.copy(library, jars.resolve(library.getFileName()));
        }
    }

    private static byte[] compile(List<Path> libraries, Path scratch, String commit) throws IOException {
        Path sources = Files.createDirectories(scratch.resolve("sources"));
        Path classes = Files.createDirectories(scratch.resolve("classes"));
        Path archive = scratch.resolve("sources.tar");
        String top = Tool.run(git("rev-parse", "--show-toplevel")).trim();
        Tool.run(git(
                "-C", top, "archive", "-o", archive.toString(), commit, "inventory", "protocol", "daemon/src/main"));
        Tool.run("tar", "-xf", archive.toString(), "-C", sources.toString());
        String classPath = libraries.stream().map(Path::toString).collect(Collectors.joining(":"));
        Path list = scratch.resolve("files");
        try (Stream<Path> files = Files.walk(sources)) {
            Files.write(
                    list,
                    files.map(Path::toString)
                            .filter(file -> file.contains("/src/main/java/") && file.endsWith(".java"))
                            .toList());
        }
        Tool.run(
                Tool.jdk("javac"),
                "-J-XX:TieredStopAtLevel=1",
                "-nowarn",
                "-proc:none",
                "-encoding",
                "UTF-8",
                "--release",
                "17",
                "-cp",
                classPath,
                "-d",
                classes.toString(),
                "@" + list);
        Tool.run(
                "cp",
                "-r",
                sources.resolve("daemon/src/main/resources/META-INF").toString(),
                classes.toString());
        Path packed = scratch.resolve("previous.jar");
        Tool.run(Tool.jdk("jar"), "cf", packed.toString(), "-C", classes.toString(), ".");
        return Files.readAllBytes(packed);
    }
}
