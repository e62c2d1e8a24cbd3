package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.RunningDaemon;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the tour in the README with a shell; the lines of the tour that begin with # are the output of the commands. After an intended
 * change, {@code -Dmuster.rewrite=true} writes the new output into the README; read the difference before you commit it.
 */
class TourTest {
    private static final Path README = Path.of("..", "README.md");
    private static final String FENCE = "```\n";
    private static final String MARK = "=== next ===";
    /** The only warning that is permitted, because another daemon on this machine may have the default address for metrics. */
    private static final String ADDRESS_IN_USE = "there are no metrics, because the default address is in use";

    /** The directory for the command and the files that it creates. */
    @TempDir
    private Path directory;

    @Test
    void theReadmeShowsTheOutputOfItsCommands() throws Exception {
        perform("\n## A tour\n");
    }

    @Test
    @Needs("curl")
    void theReadmeShowsTheOutputOfItsCommandsOverHttp() throws Exception {
        perform("\nThe same over HTTP");
    }

    private void perform(String place) throws Exception {
        String readme = Files.readString(README);
        int from = readme.indexOf(FENCE, readme.indexOf(place)) + FENCE.length();
        int end = readme.indexOf(FENCE, from);
        String written = readme.substring(from, end);
        String performed = perform(commands(written));

        if (Boolean.getBoolean("muster.rewrite")) {
            Files.writeString(README, readme.substring(0, from) + performed + readme.substring(end));
        } else {
            assertThat(masked(performed)).isEqualTo(masked(written));
        }
    }

    /** Returns the commands of the tour, each with its here-document. */
    private static List<String> commands(String tour) {
        List<String> commands = new ArrayList<>();
        boolean inDocument = false;
        for (String line : tour.split("\n")) {
            if (inDocument) {
                commands.set(commands.size() - 1, commands.get(commands.size() - 1) + "\n" + line);
                inDocument = !line.equals("EOF");
            } else if (!line.startsWith("#")) {
                commands.add(line);
                inDocument = line.contains("<<'EOF'");
            }
        }
        assertThat(commands).hasSizeGreaterThan(5);
        return commands;
    }

    private String perform(List<String> commands) throws IOException, InterruptedException {
        StringBuilder script = new StringBuilder();
        for (String command : commands) {
            script.append(command).append("\necho '").append(MARK).append("'\n");
        }
        String[] outputs = bash(script.append("wait\n").toString()).split(MARK + "\n", -1);
        assertThat(Files.readAllLines(directory.resolve("serve.log")))
                .filteredOn(line -> !line.contains(ADDRESS_IN_USE))
                .noneMatch(line -> line.contains(" WARN ") || line.contains(" ERROR "));
        assertThat(outputs).as(Arrays.toString(outputs)).hasSize(commands.size() + 1);
        StringBuilder tour = new StringBuilder();
        for (int i = 0; i < commands.size(); i++) {
            tour.append(commands.get(i)).append('\n');
            likeRoot(outputs[i])
                    .lines()
                    .forEach(line -> tour.append("# ").append(line).append('\n'));
        }
        return tour.toString();
    }

    private String bash(String script) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        launcher();
        // If nohup started the build, the shell and the daemon would ignore SIGHUP too, and the daemon warns about it.
        ProcessBuilder builder = new ProcessBuilder("env", "--default-signal=HUP", "bash", "-c", script);
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("TMPDIR", directory.toString());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().remove("COLUMNS");
        builder.directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    /** Writes a launcher that runs the command from its class files; the log of the daemon is not part of the tour. */
    private void launcher() throws IOException {
        String java = System.getProperty("java.home") + "/bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '"
                + System.getProperty("java.class.path") + "' io.muster.cli.Muster \"$@\"";
        Path launcher = directory.resolve("muster");
        Files.writeString(launcher, "#!/bin/sh\n[ \"$1\" != serve ] || exec >serve.log 2>&1\nexec " + java + "\n");
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    }

    /** Replaces the name and ids of the current user by those of root, as in the README. */
    private static String likeRoot(String output) throws IOException {
        String user = System.getProperty("user.name");
        return output.replace(user + "(" + RunningDaemon.uid() + ")", "root(0)")
                .replace("\"" + user + "\",\"userid\":" + RunningDaemon.uid(), "\"root\",\"userid\":0")
                .replaceAll("\\b" + user + "( +)" + user + "\\b", "root$1root")
                .replaceAll("\\b(by|admin|ops|[0-9]+)( +)" + user + "\\b", "$1$2root")
                .replace("(" + user + ", ", "(root, ");
    }

    /** Replaces everything in the tour that differs from run to run: times, ages, process ids, and the width of columns. */
    private static String masked(String tour) {
        return tour.replaceAll("\\d{4}-\\d\\d-\\d\\d[ T][\\d:.]+( UTC|Z)", "TIME")
                .replaceAll("\"timestamp\":[\\d.]+", "TIMESTAMP")
                .replaceAll("\"pid\":\\d+,\"id\":\"[0-9a-f-]+\",\"request\":\"[0-9a-f]+\"", "REQUEST")
                .replaceAll("(?<![\\w-])(\\d+[smhd])+\\b", "AGE")
                .replaceAll("pid \\d+", "pid N")
                .replaceAll("(?m)^ +| +$", "")
                .replaceAll(" +", " ");
    }
}
