package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.terminal.Console;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/** Every verb has complete help. */
class HelpTest {
    private static final Path WRITTEN_DOWN = Path.of("src/test/resources/help.txt");

    /** A word of a shell command, which may contain single quotes, or a character that ends a command. */
    private static final Pattern SHELL_WORD = Pattern.compile("(?:'[^']*'|[^\\s'|;&<>()])+|[|;&<>()]");

    private static CommandLine all() {
        return Muster.parser(console());
    }

    private static Console console() {
        return new Shell().console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
    }

    /** Returns every verb as it is typed, including the members of families of verbs. */
    static Stream<List<String>> verbs() {
        List<List<String>> found = new ArrayList<>();
        all().getSubcommands().forEach((name, verb) -> {
            found.add(List.of(name));
            verb.getSubcommands().keySet().forEach(member -> found.add(List.of(name, member)));
        });
        return found.stream();
    }

    private static CommandLine find(List<String> words) {
        CommandLine verb = all();
        for (String word : words) {
            verb = Objects.requireNonNull(verb.getSubcommands().get(word));
        }
        return verb;
    }

    @ParameterizedTest
    @MethodSource("verbs")
    void everyVerbHasHelp(List<String> words) {
        List<String> arguments = new ArrayList<>(words);
        arguments.add("--help");
        Shell.Result help = new Shell().run(arguments.toArray(new String[0]));

        assertThat(help.exit()).isZero();
        assertThat(help.err()).isEmpty();
        assertThat(help.out())
                .startsWith("Usage: muster " + String.join(" ", words))
                .contains("--help");
        assertThat(help.out().lines()).allMatch(line -> line.length() <= 80);
    }

    @ParameterizedTest
    @MethodSource("verbs")
    void helpBreaksNoWord(List<String> words) {
        String[] arguments = Stream.concat(words.stream(), Stream.of("--help")).toArray(String[]::new);
        List<String> whole = List.of(new Shell()
                .with("NO_COLOR", "1")
                .onTerminal(3000)
                .run(arguments)
                .out()
                .split("\\s+"));
        for (int width : new int[] {55, 60, 80, 132}) {
            assertThat(new Shell()
                            .with("NO_COLOR", "1")
                            .onTerminal(width)
                            .run(arguments)
                            .out()
                            .split("\\s+"))
                    .containsExactlyElementsOf(whole);
        }
    }

    @ParameterizedTest
    @MethodSource("verbs")
    void everyVerbAndEachOptionHasADescription(List<String> words) {
        CommandLine.Model.CommandSpec spec = find(words).getCommandSpec();

        assertThat(spec.usageMessage().description()).isNotEmpty();
        for (ArgSpec argument : spec.args()) {
            assertThat(argument.description()).as(argument.toString()).isNotEmpty();
            if (argument.arity().max() > 0) {
                assertThat(argument.paramLabel()).matches("[A-Z][A-Z:=|,.\\[\\]]*");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("verbs")
    void theHelpOfEveryVerbEndsWithExamplesThatParse(List<String> words) {
        CommandLine verb = find(words);
        String[] examples = verb.getCommandSpec().usageMessage().footer();

        if (verb.getSubcommands().isEmpty()) {
            assertThat(examples).hasSizeBetween(2, 3);
        }
        for (String example : examples) {
            List<List<String>> lines = musterLines(example);
            assertThat(example).startsWith("  ");
            assertThat(lines)
                    .as(example)
                    .anyMatch(line -> line.size() >= words.size()
                            && line.subList(0, words.size()).equals(words));
            for (List<String> line : lines) {
                String[] arguments = line.toArray(new String[0]);
                Muster.parser(console(), arguments).parseArgs(arguments);
            }
        }
    }

    /** Returns the arguments of each {@code muster} command in a shell line whose only quotes are single quotes. */
    private static List<List<String>> musterLines(String example) {
        List<List<String>> lines = new ArrayList<>();
        boolean isMuster = false;
        boolean isFirst = true;
        for (MatchResult token : SHELL_WORD.matcher(example).results().toList()) {
            if (token.group().matches("[|;&<>()]")) {
                isFirst = true;
            } else if (isFirst) {
                isFirst = false;
                isMuster = token.group().equals("muster");
                if (isMuster) {
                    lines.add(new ArrayList<>());
                }
            } else if (isMuster) {
                lines.get(lines.size() - 1).add(token.group().replace("'", ""));
            }
        }
        return lines;
    }

    @Test
    void aManPageIsGeneratedForEveryVerb(@TempDir Path directory) throws IOException {
        CommandLine manual = new CommandLine(new Manual());
        assertThat(manual.getSubcommands().keySet())
                .containsExactlyElementsOf(all().getSubcommands().keySet());

        int exit = ManPageGenerator.generateManPage(
                directory.toFile(), null, new boolean[0], true, manual.getCommandSpec());
        assertThat(exit).isZero();
        assertThat(verbs())
                .allSatisfy(words -> assertThat(directory.resolve("muster-" + String.join("-", words) + ".adoc"))
                        .content()
                        .contains("*muster " + String.join(" ", words) + "*")
                        .contains(find(words).getSubcommands().isEmpty() ? "Examples:\n" : "== Commands"));
    }

    @Test
    void helpAndVersionWorkAsVerbsAndAsOptions() {
        assertThat(new Shell().run("help")).isEqualTo(new Shell().run("--help"));
        assertThat(new Shell().run("help", "R", "encode")).isEqualTo(new Shell().run("R", "encode", "--help"));
        assertThat(new Shell().run("--version")).isEqualTo(new Shell().run("version"));
        assertThat(new Shell().run("-V", "--json")).isEqualTo(new Shell().run("version", "--json"));
    }

    @Test
    void theMainHelpListsEachVerbAndEachExitStatus() {
        String help = new Shell().run("--help").out();

        assertThat(all().getSubcommands().keySet())
                .allSatisfy(verb -> assertThat(help).containsPattern("(?m)^  " + verb + "\\b"));
        for (int status : new int[] {0, 1, 2, 4, 5, 6, 7, 8, 9, 124, 141}) {
            assertThat(help).containsPattern("(?m)^  " + status + " ");
        }
    }

    /** After an intended change, {@code -Dmuster.rewrite=true} writes the new help and the new hashes into the file. */
    @Test
    void helpManPagesAndCompletionsMatchTheStoredFile(@TempDir Path directory) throws Exception {
        StringBuilder help = new StringBuilder(new Shell().run("--help").out());
        verbs().map(words -> "help " + String.join(" ", words))
                .forEach(line -> help.append('\n')
                        .append(new Shell().run(line.split(" ")).out()));
        MessageDigest pages = MessageDigest.getInstance("SHA-256");
        ManPageGenerator.generateManPage(
                directory.toFile(), null, new boolean[0], true, new CommandLine(new Manual()).getCommandSpec());
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                pages.update(Files.readAllBytes(file));
            }
        }
        byte[] completion = new Shell().run("completion", "bash").out().getBytes(StandardCharsets.UTF_8);
        help.append("\nSHA-256 of the sources of all man pages: ")
                .append(HexFormat.of().formatHex(pages.digest()));
        help.append("\nSHA-256 of the completion: ")
                .append(HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(completion)))
                .append('\n');

        if (Boolean.getBoolean("muster.rewrite")) {
            Files.writeString(WRITTEN_DOWN, help);
        }
        assertThat(help.toString()).isEqualTo(Files.readString(WRITTEN_DOWN));
    }
}
