package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.it.harness.Jars;
import io.muster.it.harness.Tool;
import io.muster.testing.Needs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The launcher {@code muster} as it is installed, and the class-data archives that it makes and uses. */
@Timeout(900)
class LauncherTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int NOBODY = 65534;
    private static final int SOMEBODY = 65533;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private Path launcher;
    private Path jars;
    private Path above;
    private Path cache;
    private Path tmp;

    @BeforeEach
    void install() throws IOException {
        Path bin = Files.createDirectories(directory.resolve("prefix/bin"));
        jars = Files.createDirectories(directory.resolve("prefix/share/muster"));
        launcher = Files.copy(Path.of("..", "muster"), bin.resolve("muster"));
        Files.copy(Path.of("..", "config", "launcher", "archives.sh"), jars.resolve("archives.sh"));
        above = Files.createDirectory(directory.resolve("above"));
        cache = Files.createDirectory(above.resolve("cache"));
        tmp = Files.createDirectory(directory.resolve("tmp"));
        for (Path path : List.of(directory, above, cache)) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    private void installJars() throws IOException {
        for (Path jar : Jars.all()) {
            Files.copy(jar, jars.resolve(jar.getFileName()));
        }
        Files.copy(Jars.clientClassPath(), jars.resolve("client.classpath"));
    }

    private ProcessBuilder command(List<String> wrapper, Path javaHome, String... arguments) {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(List.of("env", "--default-signal=INT,HUP,TERM", "sh", launcher.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", javaHome.toString());
        builder.environment().put("MUSTER_CACHE", cache.toString());
        builder.environment().put("XDG_CACHE_HOME", directory.resolve("home").toString());
        builder.environment().put("TMPDIR", tmp.toString());
        return builder.redirectOutput(directory.resolve("output").toFile());
    }

    // ---- the class path

    /** Runs a command without archives, and returns its exit status and its output. */
    private String said(String... arguments) throws IOException, InterruptedException {
        ProcessBuilder builder = command(List.of(), Path.of(System.getProperty("java.home")), arguments);
        builder.environment().put("MUSTER_CACHE", "off");
        Process process = builder.start();
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return process.exitValue() + " " + Files.readString(directory.resolve("output"), StandardCharsets.UTF_8);
    }

    @Test
    void theVerbsFindTheirLibraries() throws Exception {
        installJars();
        Path config = Files.writeString(
                directory.resolve("muster.toml"), "[[resource.config]]\nhosts = \"a[0-3]\"\ncores = \"0\"\n");
        assertThat(said("check", config.toString())).startsWith("0 ok: 4 nodes");
        assertThat(said("shape", "expand", "node=2")).startsWith("0 ").contains("type: node");
        assertThat(Files.readString(Jars.clientClassPath()).split(":"))
                .allSatisfy(entry ->
                        assertThat(jars.resolve(Path.of(entry).getFileName())).exists())
                .noneSatisfy(entry -> assertThat(entry).containsAnyOf("netty", "logback", "micrometer"));
    }

    @Test
    void theLauncherFailsWithoutTheListOfLibraries() throws Exception {
        fakeJava();
        Files.delete(jars.resolve("client.classpath"));
        assertThat(said("version")).startsWith("1 ").contains("client.classpath: build or install Muster again");
    }

    /** In {@code $(...)}, standard output is a pipe, so stty cannot read the size of the terminal from it. */
    @Test
    void theLauncherPassesTheSizeOfTheTerminalToTheVerbs() throws Exception {
        Path home = fakeJava();
        Files.writeString(home.resolve("bin/java"), "#!/bin/sh\necho \"size $COLUMNS $LINES\"\n");
        String line = "stty cols 132 rows 43; unset COLUMNS LINES; sh " + launcher + " version; COLUMNS=7 sh "
                + launcher + " version";
        ProcessBuilder builder = command(List.of(), home, "version");
        Process process = builder.command("script", "-qec", line, "/dev/null").start();
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(directory.resolve("output"))
                .content()
                .contains("size 132 43")
                .contains("size 7 43");
    }

    @Test
    void theClientVerbsGetTheListedLibrariesInTheirOrder() throws Exception {
        fakeJava();
        assertThat(run())
                .contains(" -cp " + jars + "/muster-daemon-0.1.jar:" + jars + "/library-1.jar:" + jars
                        + "/another-2.jar io.muster.cli.Muster version");
    }

    @Test
    void benchNeedsASourceTree() throws Exception {
        installJars();
        assertThat(said("bench")).startsWith("1 muster bench: the measurements are not installed");
        launcher = Path.of("..", "muster");
        assertThat(said("bench", "--uri", "/nowhere/sock", "--dir", directory.toString()))
                .startsWith("7 ")
                .contains("/nowhere/sock");
    }

    // ---- signals

    @ParameterizedTest
    @CsvSource({"INT, -, 130", "TERM, '', 143", "HUP, '', 129", "HUP, -, 129"})
    void aSignalDuringTheTrainingEndsItAndLeavesNoFilesAndNoProcesses(String signal, String group, int status)
            throws Exception {
        installJars();
        // In a group of its own, as a shell starts it: Ctrl-C is for all of the group.
        Process process = command(List.of("setsid"), Path.of(System.getProperty("java.home")), "version")
                .start();
        await().atMost(PATIENCE).until(() -> trainingServes() || !process.isAlive());
        assertThat(cache.resolve("lock")).exists();
        Tool.run("bash", "-c", "kill -" + signal + " -- " + group + process.pid());
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(directory.resolve("output")))
                .isEqualTo(status);
        assertThat(cache).isEmptyDirectory();
        assertThat(tmp).isEmptyDirectory();
        assertThat(ProcessHandle.allProcesses()
                        .map(left -> left.info().commandLine().orElse(""))
                        .filter(line -> line.contains(tmp.toString())))
                .isEmpty();
    }

    private boolean trainingServes() throws IOException {
        try (Stream<Path> files = Files.walk(tmp)) {
            return files.anyMatch(file -> file.endsWith("sock"));
        } catch (UncheckedIOException changed) {
            return false; // the training has renamed or removed a file meanwhile
        }
    }

    // ---- owners and permissions of archives

    /** Creates a script that replaces the JVM and prints its arguments. A training with it fails. */
    private Path fakeJava() throws IOException {
        Path home = Files.createDirectories(directory.resolve("jdk"));
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho \"$*\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
        Files.writeString(jars.resolve("muster-daemon-0.1.jar"), "");
        Files.writeString(jars.resolve("muster-daemon-0.1-tests.jar"), "");
        Files.writeString(jars.resolve("client.classpath"), "lib/library-1.jar:lib/another-2.jar");
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
        return home;
    }

    private String run(String... wrapper) throws IOException, InterruptedException {
        Process process =
                command(List.of(wrapper), directory.resolve("jdk"), "version").start();
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return Files.readString(directory.resolve("output"), StandardCharsets.UTF_8);
    }

    /** An archive for what is installed here, found by the mark that a training leaves when it fails. */
    private Path archive() throws IOException, InterruptedException {
        fakeJava();
        assertThat(run()).doesNotContain("SharedArchiveFile");
        try (Stream<Path> files = Files.list(cache)) {
            Path failed = files.findFirst().orElseThrow();
            String key = failed.getFileName().toString().substring("failed-".length());
            return Files.writeString(cache.resolve("client-" + key + ".jsa"), "whatever");
        }
    }

    private boolean isUsed(Path archive, String... wrapper) throws IOException, InterruptedException {
        return run(wrapper).contains("-XX:SharedArchiveFile=" + archive + " ");
    }

    /** Such a file is made from Java 25 on. */
    @Test
    void aCacheWithAProfileIsUsedBeforeAnArchive() throws Exception {
        Path archive = archive();
        Path withProfile = Path.of(archive.toString().replace(".jsa", ".aot"));
        Files.writeString(withProfile, "whatever");
        assertThat(run()).contains(" -Xlog:aot=off:stderr -XX:AOTCache=" + withProfile + " ");
        assertThat(isUsed(archive)).isFalse();
    }

    @Test
    void anArchiveThatOthersMayWriteIsNotUsed() throws Exception {
        Path archive = archive();
        assertThat(isUsed(archive)).isTrue();
        for (Path path : List.of(archive, cache, above)) {
            var before = Files.getPosixFilePermissions(path);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xrwx"));
            assertThat(isUsed(archive)).as("writable for others: %s", path).isFalse();
            Files.setPosixFilePermissions(path, before);
            assertThat(isUsed(archive)).isTrue();
        }
    }

    @Test
    @Needs("root")
    void anArchiveOfAnotherUserIsNotUsed() throws Exception {
        Path archive = archive();
        String[] nobody = {"setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"};
        Files.setPosixFilePermissions(tmp, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(isUsed(archive, nobody)).as("root's, by nobody").isTrue();
        for (Path path : List.of(archive, cache, above)) {
            Files.setAttribute(path, "unix:uid", NOBODY);
            assertThat(isUsed(archive)).as("nobody's, by root: %s", path).isFalse();
            assertThat(isUsed(archive, nobody))
                    .as("nobody's, by nobody: %s", path)
                    .isTrue();
            Files.setAttribute(path, "unix:uid", SOMEBODY);
            assertThat(isUsed(archive, nobody))
                    .as("somebody's, by nobody: %s", path)
                    .isFalse();
            Files.setAttribute(path, "unix:uid", 0);
        }
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxr-x"));
        Files.setAttribute(cache, "unix:gid", SOMEBODY);
        assertThat(isUsed(archive)).as("writable for another group").isFalse();
    }

    @Test
    @Needs("root")
    void rootHasItsArchivesBelowItsOwnHomeOnly() throws Exception {
        String line = ". " + jars.resolve("archives.sh") + "; set_user_cache; echo \"$user_cache\" ~root; "
                + "unset HOME XDG_CACHE_HOME; set_user_cache; echo \"$user_cache\"";
        for (String variable : List.of("HOME", "XDG_CACHE_HOME")) {
            Process shell = new ProcessBuilder("env", variable + "=" + directory, "sh", "-c", line).start();
            String[] said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split("\\s+");
            assertThat(said[0])
                    .as(variable)
                    .isEqualTo(said[1] + "/.cache/muster")
                    .isEqualTo(said[2]);
        }
    }

    @Test
    void noArchiveIsCreatedInADirectoryThatOthersMayWrite() throws Exception {
        fakeJava();
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));
        Set<Path> before = failures();
        run();
        assertThat(cache).isEmptyDirectory();
        Set<Path> after = failures();
        after.removeAll(before);
        assertThat(after).isNotEmpty();
        for (Path each : after) {
            Files.delete(each);
        }
    }

    /** Returns the marks of failed attempts in the user's cache, which is below the home of the account if the user is root. */
    private Set<Path> failures() throws IOException {
        boolean isRoot = Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        Path users = isRoot ? Path.of(System.getenv("HOME"), ".cache") : directory.resolve("home");
        if (!Files.isDirectory(users.resolve("muster"))) {
            return new HashSet<>();
        }
        try (Stream<Path> files = Files.list(users.resolve("muster"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("failed-"))
                    .collect(Collectors.toCollection(HashSet::new));
        }
    }

    private void runWith(String name, String value, String word) throws IOException, InterruptedException {
        ProcessBuilder builder = command(List.of(), directory.resolve("jdk"), word);
        builder.environment().put(name, value);
        Process process = builder.start();
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"NOTIFY_SOCKET, /nowhere/notify", "MUSTER_BUILD, no"})
    void onlyMakeCacheMakesArchivesWithTheVariable(String name, String value) throws Exception {
        fakeJava();
        runWith(name, value, "version");
        assertThat(cache).isEmptyDirectory();
        runWith(name, value, "--make-cache");
        assertThat(cache).isDirectoryContaining("glob:**failed-*");
    }
}
