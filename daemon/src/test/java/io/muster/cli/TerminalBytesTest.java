package io.muster.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.cli.Shell.Result;
import io.muster.daemon.RunningDaemon;
import io.muster.testing.Jansson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No verb prints a byte that a terminal interprets, regardless of the contents of R, reasons, files and the answers of the daemon. */
class TerminalBytesTest {
    /**
     * Characters that a state may contain: marks that change the direction of text. A line separator may occur in data that Muster does not
     * interpret.
     */
    private static final String MARK = "a\u202eb\u2066\u200f";

    /**
     * An escape character, a C1 control character, a direction mark and a line separator in JSON, with the length of {@link Liar#PLACE}.
     */
    private static final String LIE = "\\u001b\u009b\u202e\u2028";

    private static final JsonMapper MAPPER = new JsonMapper();

    @TempDir
    private Path directory;

    private static String vertex(String id, String type, String name) {
        return "{\"id\":\"" + id + "\",\"metadata\":{\"type\":\"" + type + "\",\"name\":\"" + name
                + "\",\"rank\":0,\"properties\":{\"" + MARK + "\":\"\u2028\"}}}";
    }

    private static String r() {
        return "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0\",\"children\":{\"core\":\"0\"}}],\"nodelist\":[\"n\"],"
                + "\"properties\":{\"" + MARK + "\":\"0\",\"" + Liar.PLACE
                + "\":\"0\"}},\"scheduling\":{\"x\":\"\u2028\",\"graph\":{\"nodes\":["
                + vertex("0", "cluster", MARK) + "," + vertex("1", "node", "n") + ","
                + vertex("2", "core", Liar.PLACE)
                + "],\"edges\":[{\"source\":\"0\",\"target\":\"1\"},{\"source\":\"1\",\"target\":\"2\"}]}}}";
    }

    private static void harmless(String where, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean bad = (c < ' ' && c != '\n' && c != '\t')
                    || (c >= 0x7f && c < 0xa0)
                    || (c >= 0x202a && c <= 0x202e)
                    || (c >= 0x2066 && c <= 0x2069)
                    || "\u200e\u200f\u061c\u2028\u2029".indexOf(c) >= 0;
            assertThat(bad)
                    .as("%s: U+%04x at %d of %s", where, (int) c, i, text)
                    .isFalse();
        }
    }

    private static void harmless(List<String> arguments, Result result) {
        harmless(arguments + " out", result.out());
        harmless(arguments + " err", result.err());
        if (arguments.contains("--json") || arguments.contains("jgf")) {
            result.out()
                    .lines()
                    .forEach(line -> assertThat(Jansson.fault(line.getBytes(UTF_8)))
                            .as(line)
                            .isNull());
        }
    }

    private List<List<String>> verbs() {
        List<List<String>> verbs = new ArrayList<>();
        for (String verb : List.of(
                "status",
                "list",
                "info",
                "why 0",
                "drain",
                "drain --dry-run 0 --force",
                "undrain --dry-run 0",
                "property list",
                "expiration get",
                "graph",
                "graph --format dot",
                "graph --format jgf",
                "graph --full --format jgf",
                "eventlog",
                "R get",
                "feasible node/core=1 --requires=" + MARK,
                "feasible node=7",
                "reload --dry-run R",
                "status -o {ranks}" + MARK,
                "list -o {properties}",
                "history --state-dir state",
                "journal dump --state-dir state",
                "journal dump --state-dir state --human",
                "journal verify --state-dir state",
                "report --state-dir state",
                "check R",
                "check no" + MARK,
                "why x" + MARK,
                "shape expand core=1{" + MARK + "}",
                "drain x" + MARK,
                "no" + MARK,
                "list --" + MARK)) {
            List<String> arguments = new ArrayList<>(Arrays.asList(verb.split(" ")));
            arguments.replaceAll(word -> (word.equals("R") && !verb.startsWith("R ")) || word.equals("state")
                    ? directory.resolve(word).toString()
                    : word);
            verbs.add(arguments);
            List<String> json = new ArrayList<>(arguments);
            json.add("--json");
            verbs.add(json);
        }
        return verbs;
    }

    @Test
    void noVerbPrintsControlCharacters() throws Exception {
        Files.writeString(directory.resolve("R"), r());
        try (RunningDaemon daemon = RunningDaemon.start(directory, "[resource]\npath = \"R\"\n");
                Liar liar = Liar.start(
                        Path.of(daemon.uri().substring("local://".length())), directory.resolve("liar"), LIE)) {
            Shell shell = new Shell().with("MUSTER_URI", daemon.uri());
            assertThat(shell.run("drain", "0", "bad " + MARK + " " + Liar.PLACE).err())
                    .isEmpty();
            for (List<String> arguments : verbs()) {
                harmless(arguments, shell.run(arguments.toArray(new String[0])));
                harmless(arguments, new Shell().with("MUSTER_URI", liar.uri()).run(arguments.toArray(new String[0])));
                String onTerminal = new Shell()
                        .with("MUSTER_URI", liar.uri())
                        .with("TERM", "xterm")
                        .onTerminal(80)
                        .run(arguments.toArray(new String[0]))
                        .out();
                harmless(arguments + " in colour", onTerminal.replaceAll("\u001b\\[[0-9;]*m", ""));
            }
            assertThat(liar.lies()).as("the lies were told").isGreaterThan(10);
            assertThat(shell.run("list", "--json").out()).contains("\\u202e");
        }
    }

    @Test
    void escapingDoesNotChangeTheValueOfJson() throws IOException {
        Result jgf = new Shell().typing(r()).run("graph", "--file", "-", "--format", "jgf");
        harmless(List.of("graph"), jgf);
        JsonNode graph = MAPPER.readTree(jgf.out());
        assertThat(graph.findValuesAsText("name")).contains(MARK);

        Result set = new Shell().typing(r()).run("R", "decode");
        harmless(List.of("R decode"), set);
        assertThat(MAPPER.readTree(set.out())).isEqualTo(MAPPER.readTree(r()));
    }

    @Test
    void dotOutputShowsEscapeSequences() {
        String r = r().replace("\"name\":\"n\"", "\"name\":\"n\\nx\\\"\"");
        String dot = new Shell()
                .typing(r)
                .run("graph", "--file", "-", "--format", "dot")
                .out();
        harmless("dot", dot);
        assertThat(dot).contains("a\\\\u202eb\\\\u2066\\\\u200f").contains("n\\\\nx\\\"");
    }

    @Test
    void aSurrogatePairThatIsSplitBetweenTwoWritesIsPreserved() throws IOException {
        String name = "\ud83d\ude00".repeat(9000);
        Result jgf = new Shell()
                .typing(r().replace("\"name\":\"n\"", "\"name\":\"x" + name + "\""))
                .run("graph", "-f", "-", "--format", "jgf");
        assertThat(jgf.out()).contains("x" + name);
    }
}
