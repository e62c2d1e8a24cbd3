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
import java.util.Iterator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the blocks of two pages with a shell, command by command; the lines that begin with # are the output of the commands. After an
 * intended change, {@code -Dmuster.rewrite=true} writes the new output into the page; read the difference before you commit it.
 */
class TourTest {
    private static final Path TUTORIAL = Path.of("..", "docs", "tutorial.md");
    private static final Path DAY = Path.of("..", "docs", "day.md");
    private static final String OVER_HTTP = "\n## The same over HTTP\n";
    private static final Pattern BLOCK = Pattern.compile("(?s)\n```\n(.*?)```\n");
    private static final String MARK = "=== next ===";
    /** The only warning that is permitted, because another daemon on this machine may have the default address for metrics. */
    private static final List<String> ADDRESS_IN_USE =
            List.of("there are no metrics, because the default address is in use");
    /** A brake is meant to refuse something, and a token is tried until the daemon has read it. */
    private static final List<String> ROBOT =
            List.of(" ERROR brake: the brake on robot* refuses ", " WARN token: local: refused an unknown token");

    /** The directory for the command and the files that it creates. */
    @TempDir
    private Path directory;

    @Test
    void theTutorialShowsTheOutputOfItsCommands() throws Exception {
        String page = Files.readString(TUTORIAL);
        perform(TUTORIAL, 0, page.indexOf(OVER_HTTP), ADDRESS_IN_USE);
    }

    @Test
    @Needs("curl")
    void theTutorialShowsTheOutputOfItsCommandsOverHttp() throws Exception {
        String page = Files.readString(TUTORIAL);
        perform(TUTORIAL, page.indexOf(OVER_HTTP), page.length(), ADDRESS_IN_USE);
    }

    @Test
    @Needs("curl")
    void theDaysOfAnOperatorShowTheOutputOfTheirCommands() throws Exception {
        perform(DAY, 0, Files.readString(DAY).length(), ROBOT);
    }

    /**
     * Runs the blocks of a part of the page in one shell.
     *
     * @param permitted parts of the warnings and errors that the log of the daemon may have
     */
    private void perform(Path file, int from, int to, List<String> permitted) throws Exception {
        String page = Files.readString(file);
        List<MatchResult> blocks =
                BLOCK.matcher(page).region(from, to).results().toList();
        List<String> commands = new ArrayList<>();
        blocks.forEach(block -> commands.addAll(commands(block.group(1))));
        Iterator<String> outputs = perform(commands, permitted).iterator();
        StringBuilder written = new StringBuilder();
        StringBuilder performed = new StringBuilder();
        StringBuilder rewritten = new StringBuilder();
        int copied = 0;
        for (MatchResult block : blocks) {
            String now = commands(block.group(1)).stream()
                    .map(command -> command + "\n" + outputs.next())
                    .collect(Collectors.joining());
            written.append(block.group(1));
            performed.append(now);
            rewritten.append(page, copied, block.start(1)).append(now);
            copied = block.end(1);
        }
        if (Boolean.getBoolean("muster.rewrite")) {
            Files.writeString(file, rewritten.append(page.substring(copied)));
        } else {
            assertThat(masked(performed.toString())).isEqualTo(masked(written.toString()));
        }
    }

    /** Returns the commands of a block, each with its here-document. */
    private static List<String> commands(String block) {
        List<String> commands = new ArrayList<>();
        boolean inDocument = false;
        for (String line : block.split("\n")) {
            if (inDocument) {
                commands.set(commands.size() - 1, commands.get(commands.size() - 1) + "\n" + line);
                inDocument = !line.equals("EOF");
            } else if (!line.startsWith("#")) {
                commands.add(line);
                inDocument = line.contains("<<'EOF'");
            }
        }
        return commands;
    }

    /** Returns the output of each command, behind #. */
    private List<String> perform(List<String> commands, List<String> permitted)
            throws IOException, InterruptedException {
        StringBuilder script = new StringBuilder();
        for (String command : commands) {
            script.append(command).append("\necho '").append(MARK).append("'\n");
        }
        String[] outputs = bash(script.append("wait\n").toString()).split(MARK + "\n", -1);
        assertThat(Files.readAllLines(directory.resolve("serve.log")))
                .filteredOn(line -> permitted.stream().noneMatch(line::contains))
                .noneMatch(line -> line.contains(" WARN ") || line.contains(" ERROR "));
        assertThat(outputs).as(Arrays.toString(outputs)).hasSize(commands.size() + 1);
        List<String> shown = new ArrayList<>();
        for (String each : Arrays.asList(outputs).subList(0, commands.size())) {
            shown.add(likeRoot(each).lines().map(line -> "# " + line + "\n").collect(Collectors.joining()));
        }
        return shown;
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

    /** Writes a launcher that runs the command from its class files; the log of the daemon is not part of the page. */
    private void launcher() throws IOException {
        String java = System.getProperty("java.home") + "/bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '"
                + System.getProperty("java.class.path") + "' io.muster.cli.Muster \"$@\"";
        Path launcher = directory.resolve("muster");
        Files.writeString(launcher, "#!/bin/sh\n[ \"$1\" != serve ] || exec >serve.log 2>&1\nexec " + java + "\n");
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    }

    /** Replaces the name and ids of the current user by those of root, and the directory, as on the page. */
    private String likeRoot(String output) throws IOException {
        String user = System.getProperty("user.name");
        return output.replace(directory + "/", "/tmp/")
                .replace(user + "(" + RunningDaemon.uid() + ")", "root(0)")
                .replace("\"" + user + "\",\"userid\":" + RunningDaemon.uid(), "\"root\",\"userid\":0")
                .replaceAll("\\b" + user + "( +)" + user + "\\b", "root$1root")
                .replaceAll("\\b(by|admin|ops|[0-9]+)( +)" + user + "\\b", "$1$2root")
                .replace("scheduler " + user + " pid", "scheduler root pid")
                .replace("(" + user + ", ", "(root, ");
    }

    /** Replaces everything that differs from run to run: times, ages, process ids, and the width of columns. */
    private static String masked(String shown) {
        return shown.replaceAll("\\d{4}-\\d\\d-\\d\\d[ T][\\d:.]+( UTC|Z)", "TIME")
                .replaceAll("\"timestamp\":[\\d.]+", "TIMESTAMP")
                .replaceAll("\"pid\":\\d+,\"id\":\"[0-9a-f-]+\",\"request\":\"[0-9a-f]+\"", "REQUEST")
                .replaceAll("(?<![\\w-])(\\d+[smhd])+\\b", "AGE")
                .replaceAll("pid \\d+", "pid N")
                .replaceAll("/tmp/tmp\\.\\w+", "DIR")
                .replaceAll("\\d+ bytes", "N bytes")
                .replaceAll("\\d+\\.\\d\\d%", "SHARE")
                .replaceAll("(?m)^(# +\\d+ +)\\d+\\.\\d ", "$1HOURS ")
                .replaceAll("(?m)^ +| +$", "")
                .replaceAll(" +", " ");
    }
}
