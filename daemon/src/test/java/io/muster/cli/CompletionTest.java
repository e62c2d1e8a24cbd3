package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Completions, requested as the shells request them. */
class CompletionTest {
    private static final String IN_BASH = """
            ask() {
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMPREPLY=()
                _complete_muster muster "${@: -1}" "" 2>/dev/null
                echo "$* -> ${COMPREPLY[*]}"
            }
            """;

    /** zsh's compgen returns all candidates here: zsh selects the matching ones later. */
    private static final String IN_ZSH = """
            ask() {
                local -a words COMP_WORDS COMPREPLY
                words=("$@") CURRENT=$# COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
                print -r -- "$* -> $(compgen -F _complete_muster -- "${@[-1]}" 2>/dev/null | tr '\\n' ' ')"
            }
            """;

    @TempDir
    private Path directory;

    /** bash, and zsh if it is installed; .ci/run requires it. */
    static Stream<String> shells() {
        boolean zsh = Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(place -> Files.isExecutable(Path.of(place, "zsh")));
        return zsh ? Stream.of("bash", "zsh") : Stream.of("bash");
    }

    /** The output of a shell that reads no user's start-up files. */
    private List<String> ask(String shell, List<String> lines) throws IOException, InterruptedException {
        Path completion = directory.resolve("completion");
        Files.writeString(completion, new Shell().run("completion", shell).out());
        Path script = directory.resolve("script");
        String ask = shell.equals("zsh") ? IN_ZSH : IN_BASH;
        Files.writeString(script, "source " + completion + "\n" + ask + String.join("\n", lines) + "\n");
        Path output = directory.resolve("output");
        int exit = new ProcessBuilder(shell, shell.equals("zsh") ? "-f" : "--norc", script.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        List<String> said = Files.readAllLines(output, StandardCharsets.UTF_8);
        assertThat(exit).as(String.join("\n", said)).isZero();
        return said;
    }

    @ParameterizedTest
    @MethodSource("shells")
    void everyVerbIsCompletedAndSoAreItsOptions(String shell) throws Exception {
        List<List<String>> verbs = HelpTest.verbs().toList();
        List<String> questions = new ArrayList<>();
        for (List<String> words : verbs) {
            questions.add("ask muster " + String.join(" ", words));
            questions.add("ask muster " + String.join(" ", words) + " --");
        }
        List<String> answers = ask(shell, questions);
        assertThat(answers).hasSize(questions.size());
        for (int i = 0; i < verbs.size(); i++) {
            String typed = "muster " + String.join(" ", verbs.get(i));
            String last = verbs.get(i).get(verbs.get(i).size() - 1);
            assertThat(answers.get(2 * i)).startsWith(typed + " -> ");
            assertThat((answers.get(2 * i) + " ").split(" -> ")[1]).containsPattern("(^| )" + last + " ");
            assertThat(answers.get(2 * i + 1)).startsWith(typed + " -- -> ").containsPattern(" --help( |$)");
        }
    }

    @Test
    void onlyWhatFitsIsOffered() throws Exception {
        assertThat(ask("bash", List.of("ask muster undr", "ask muster drain --dry", "ask muster R set")))
                .containsExactly(
                        "muster undr -> undrain", "muster drain --dry -> --dry-run", "muster R set -> set-property");
    }

    @Test
    void otherShellsAreNotThere() {
        assertThat(new Shell().run("completion", "fish"))
                .isEqualTo(new Shell.Result(2, "", "muster completion: fish: there are bash and zsh\n"));
    }
}
