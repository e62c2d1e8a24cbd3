package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.RunningDaemon;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands in {@code docs/rfc-sentences.md}, in the order of the document. Each command prints the output that the document shows.
 */
@Timeout(300)
class RfcSentencesTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (.*) \\| (.*) \\| (.*) \\|$");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern FIGURE = Pattern.compile("(?:Figure (\\d)|No figure): .*");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(<<<)|([^ ]+)");

    /** The key of a configuration with one host, for rows without a figure. */
    private static final String NONE = "none";

    @TempDir
    private static Path directory;

    /** The daemons by the figures that they have as their configuration. */
    private static final Map<String, RunningDaemon> daemons = new HashMap<>();

    @AfterAll
    static void stopDaemons() {
        daemons.values().forEach(RunningDaemon::close);
    }

    private static String uri(String figure) throws Exception {
        RunningDaemon running = daemons.get(figure);
        if (running == null) {
            String text = figure.equals(NONE)
                    ? "[[resource.config]]\nhosts = \"n0\"\ncores = \"0\"\n"
                    : Files.readString(Path.of("../config/examples/rfc4-figure" + figure + ".toml"));
            running = RunningDaemon.start(Files.createDirectory(directory.resolve(figure)), text);
            daemons.put(figure, running);
        }
        return running.uri();
    }

    private record Row(String sentence, String shown, List<String> printed) {
        List<String> commands() {
            return code(shown);
        }
    }

    private static List<String> code(String cell) {
        return CODE.matcher(cell).results().map(code -> code.group(1)).toList();
    }

    /** Returns the rows of the section with this heading. */
    private static List<Row> section(String heading) throws IOException {
        String page = Files.readString(Path.of("../docs/rfc-sentences.md"));
        String section =
                page.split("\n## " + Pattern.quote(heading) + "\n", 2)[1].split("\n## ", 2)[0];
        List<Row> rows = new ArrayList<>();
        for (MatchResult row : ROW.matcher(section).results().toList()) {
            if (!row.group(1).equals("sentence") && !row.group(1).startsWith("--")) {
                rows.add(new Row(row.group(1), row.group(2), code(row.group(3))));
            }
        }
        return rows;
    }

    /** Runs a command as a shell does: removes quotes, and passes the word after {@code <<<} as standard input. */
    private static String run(String uri, String command) throws IOException {
        if (command.startsWith("resource.")) {
            String[] request = command.split(" ", 2);
            try (FluxClient client = FluxClient.connect(uri, Options.DEFAULT)) {
                return client.rpc(request[0], (ObjectNode) new JsonMapper().readTree(request[1]))
                        .toString();
            }
        }
        List<String> words = new ArrayList<>();
        for (Matcher word = WORD.matcher(command); word.find(); ) {
            words.add(word.group(1) == null ? word.group() : word.group(1));
        }
        int input = words.indexOf("<<<");
        Shell shell = new Shell().with("MUSTER_URI", uri).with("LC_ALL", "C");
        if (input > 0) {
            shell.typing(words.get(input + 1));
            Files.writeString(directory.resolve("R.json"), words.get(input + 1));
        }
        int end = input > 0 ? input : words.size();
        words.replaceAll(word -> word.equals("R.json") ? directory.resolve(word).toString() : word);
        Shell.Result result = shell.run(words.subList(1, end).toArray(new String[0]));
        return result.out() + result.err();
    }

    /** Returns whether a line is printed. For JSON, and if the document has an ellipsis, a part of a line is enough. */
    private static boolean isPrinted(String printed, String expected) {
        String part = expected.replaceAll("^\\.\\.\\. | \\.\\.\\.$", "");
        return printed.lines()
                .map(line -> line.replaceFirst("^[ |`-]*", ""))
                .anyMatch(line ->
                        line.equals(part) || ((!part.equals(expected) || line.startsWith("{")) && line.contains(part)));
    }

    private static void check(String heading, int sentences) throws Exception {
        List<String> wrong = new ArrayList<>();
        List<Row> rows = section(heading);
        for (Row row : rows) {
            Matcher figure = FIGURE.matcher(row.shown());
            String uri = uri(!figure.matches() ? "6" : figure.group(1) == null ? NONE : figure.group(1));
            StringBuilder printed = new StringBuilder();
            for (String command : row.printed().isEmpty() ? List.<String>of() : row.commands()) {
                assertThat(command).matches("(muster|resource\\.[a-z]+) .*");
                printed.append(run(uri, command));
            }
            assertThat(row.printed().isEmpty())
                    .as(row.sentence())
                    .isEqualTo(!row.shown().contains("`muster ") && !row.shown().contains("`resource."));
            for (String expected : row.printed()) {
                if (!isPrinted(printed.toString(), expected)) {
                    wrong.add(row.sentence() + "\n  " + row.shown() + "\n  printed: " + printed + "\n  and not: "
                            + expected);
                }
            }
        }
        assertThat(String.join("\n", wrong)).isEmpty();
        assertThat(rows).hasSize(sentences);
    }

    @Test
    void everySentenceOfRfc4IsShownOrTheExceptionIsExplained() throws Exception {
        check("RFC 4: sentences with SHALL, MUST or MAY", 41);
    }

    @Test
    void everyFunctionOfRfc4IsShown() throws Exception {
        check("RFC 4: functions", 21);
    }

    @Test
    void everySentenceOfRfc20IsShownOrTheExceptionIsExplained() throws Exception {
        check("RFC 20: sentences with SHALL, MUST or MAY", 45);
    }
}
