package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.RunningDaemon;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Completions, requested as the shells request them. */
class CompletionTest {
    private static final String IN_BASH = """
            ask() {
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMPREPLY=()
                _muster_complete muster "${@: -1}" "" 2>/dev/null
                echo "$* -> ${COMPREPLY[*]}"
            }
            """;

    /** The compgen of zsh returns all candidates here: zsh selects the matching ones later. */
    private static final String IN_ZSH = """
            ask() {
                local -a words COMP_WORDS COMPREPLY
                words=("$@") CURRENT=$# COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
                print -r -- "$* -> $(compgen -F _muster_complete -- "${@[-1]}" 2>/dev/null | tr '\\n' ' ')"
            }
            """;

    @TempDir
    private Path directory;

    /** Returns the output of a shell that reads no start-up files of the user. */
    private List<String> ask(String shell, List<String> lines) throws IOException, InterruptedException {
        Path completion = directory.resolve("completion");
        Files.writeString(completion, new Shell().run("completion", shell).out());
        Path script = directory.resolve("script");
        String ask = shell.equals("zsh") ? IN_ZSH : IN_BASH;
        Files.writeString(script, "source " + completion + "\n" + ask + String.join("\n", lines) + "\n");
        return output(shell, shell.equals("zsh") ? "-f" : "--norc", script.toString());
    }

    private List<String> output(String... command) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        ProcessBuilder process = new ProcessBuilder(command).redirectErrorStream(true);
        process.environment().merge("PATH", directory.toString(), (path, first) -> first + ":" + path);
        process.environment().remove("MUSTER_URI");
        process.environment()
                .put(
                        "XDG_RUNTIME_DIR",
                        Files.createDirectories(directory.resolve("runtime")).toString());
        int exit = process.redirectOutput(output.toFile()).start().waitFor();
        List<String> said = Files.readAllLines(output, StandardCharsets.UTF_8);
        assertThat(exit).as(String.join("\n", said)).isZero();
        return said;
    }

    @Test
    void everyVerbAndItsOptionsAreCompletedInBash() throws Exception {
        everyVerbAndItsOptionsAreCompleted("bash");
    }

    @Test
    @Needs("zsh")
    void everyVerbAndItsOptionsAreCompletedInZsh() throws Exception {
        everyVerbAndItsOptionsAreCompleted("zsh");
    }

    private void everyVerbAndItsOptionsAreCompleted(String shell) throws Exception {
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
    void onlyVerbsAndOptionsWithTheTypedPrefixAreOffered() throws Exception {
        assertThat(ask("bash", List.of("ask muster undr", "ask muster drain --dry", "ask muster R set")))
                .containsExactly(
                        "muster undr -> undrain", "muster drain --dry -> --dry-run", "muster R set -> set-property");
    }

    @Test
    void anUnsupportedShellIsRefused() {
        assertThat(new Shell().run("completion", "tcsh"))
                .isEqualTo(new Shell.Result(2, "", "muster completion: tcsh is not one of bash, zsh and fish\n"));
    }

    /** Puts a command first in PATH that prints words as Muster does and records its arguments. */
    private void daemonSays(String words) throws IOException {
        Path command = directory.resolve("muster");
        Files.writeString(command, "#!/bin/sh\necho \"$*\" >>" + directory + "/asked\n" + words);
        Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwx------"));
    }

    private List<String> asked() throws IOException {
        Path log = directory.resolve("asked");
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    private static final String WORDS = """
            printf '%s\\n' 'target n1' 'target n2' 'target all' 'target @batch' 'property batch' 'state drained' 'state available' \\
                'holder admin' 'holder ops' 'format-status nnodes' 'format-list ncores' 'format-property-list nnodes'
            """;

    @Test
    void hostsPropertiesStatesAndHoldersAreCompletedInBashFromOneRequestToTheDaemon() throws Exception {
        wordsAreCompletedFromOneRequestToTheDaemon("bash");
    }

    @Test
    @Needs("zsh")
    void hostsPropertiesStatesAndHoldersAreCompletedInZshFromOneRequestToTheDaemon() throws Exception {
        wordsAreCompletedFromOneRequestToTheDaemon("zsh");
    }

    private void wordsAreCompletedFromOneRequestToTheDaemon(String shell) throws Exception {
        daemonSays(WORDS);
        List<String> said = ask(
                shell,
                List.of(
                        "ask muster drain n",
                        "ask muster drain n1,n",
                        "ask muster drain --holder o",
                        "ask muster drain --holder=o",
                        "ask muster drain --for 5m n",
                        "ask muster status -s drai",
                        "ask muster list -s available,drai",
                        "ask muster why n1 n",
                        "ask muster property remove b",
                        "ask muster property remove batch @",
                        "ask muster undrain n1 n",
                        "ask muster status -o state,n",
                        "ask muster list --format=n",
                        "ask muster property list -o n",
                        "ask muster drain --uri /else n"));
        assertThat(said.stream().map(String::strip))
                .containsExactly(
                        "muster drain n -> n1 n2",
                        "muster drain n1,n -> n1,n1 n1,n2",
                        "muster drain --holder o -> ops",
                        "muster drain --holder=o -> --holder=ops",
                        "muster drain --for 5m n -> n1 n2",
                        "muster status -s drai -> drained",
                        "muster list -s available,drai -> available,drained",
                        "muster why n1 n -> n1 n2",
                        "muster property remove b -> batch",
                        "muster property remove batch @ -> @batch",
                        "muster undrain n1 n ->",
                        "muster status -o state,n -> state,nnodes",
                        "muster list --format=n -> --format=ncores",
                        "muster property list -o n -> nnodes",
                        "muster drain --uri /else n ->");
        assertThat(asked()).containsExactly("completion words --timeout 1s");
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(directory.resolve("runtime/muster-completion"))))
                .isEqualTo("rwx------");
    }

    @Test
    void bashDoesNotExpandBracketsOfAHostlistToFileNames() throws Exception {
        theShellDoesNotExpandBracketsOfAHostlist("bash");
    }

    @Test
    @Needs("zsh")
    void zshDoesNotExpandBracketsOfAHostlistToFileNames() throws Exception {
        theShellDoesNotExpandBracketsOfAHostlist("zsh");
    }

    private void theShellDoesNotExpandBracketsOfAHostlist(String shell) throws Exception {
        daemonSays(WORDS);
        Files.createFile(directory.resolve("n1,n2"));
        assertThat(ask(shell, List.of("cd " + directory, "ask muster drain 'n[1-3],n'")))
                .singleElement()
                .asString()
                .startsWith("muster drain n[1-3],n -> n[1-3],n1 n[1-3],n2");
    }

    @Test
    void bashReplacesOnlyTheTextAfterTheLastWordBreakCharacter() throws Exception {
        daemonSays(WORDS);
        assertThat(ask(
                        "bash",
                        List.of(
                                "COMP_LINE='muster drain @ba' COMPREPLY=() && _muster_complete muster ba @",
                                "echo ${COMPREPLY[*]}",
                                "COMP_LINE='muster drain --holder=' COMPREPLY=() && _muster_complete muster '' =",
                                "echo ${COMPREPLY[*]}")))
                .containsExactly("batch", "admin ops");
    }

    @Test
    void wordsOfADaemonThatIsDownComeFromTheCacheAndItIsAskedOnlyOnce() throws Exception {
        daemonSays("exit 7\n");
        assertThat(ask("bash", List.of("ask muster drain n", "ask muster drain n")))
                .containsExactly("muster drain n -> ", "muster drain n -> ");
        assertThat(asked()).hasSize(1);
        Path cache;
        try (Stream<Path> files = Files.list(directory.resolve("runtime/muster-completion"))) {
            cache = files.findFirst().orElseThrow();
        }
        Files.writeString(cache, "target n7\n");
        Files.setLastModifiedTime(cache, FileTime.from(Instant.EPOCH));
        assertThat(ask("bash", List.of("ask muster drain n", "ask muster drain n")))
                .containsExactly("muster drain n -> n7", "muster drain n -> n7");
        assertThat(asked()).hasSize(2);
    }

    @Test
    @Needs("fish")
    void fishCompletesTheSameWords() throws Exception {
        daemonSays(WORDS);
        Path completion = directory.resolve("completion");
        Files.writeString(completion, new Shell().run("completion", "fish").out());
        Path script = directory.resolve("script");
        Files.writeString(script, "source " + completion + """

                for line in 'muster drain n' 'muster drain --holder=o' 'muster drain @' 'muster undr' 'muster drain --dry'
                    echo $line '->' (complete -C $line)
                end
                """);
        assertThat(output("fish", "--no-config", script.toString()))
                .containsExactly(
                        "muster drain n -> n1 n2",
                        "muster drain --holder=o -> --holder=ops",
                        "muster drain @ -> @batch",
                        "muster undr -> undrain",
                        "muster drain --dry -> --dry-run");
        assertThat(asked()).hasSize(1);
    }

    @Test
    void namesWithShellMetacharactersAreNotOffered() throws Exception {
        try (RunningDaemon daemon = RunningDaemon.start(Files.createDirectory(directory.resolve("daemon")), """
                [[resource.config]]
                hosts = "n[1-2]"
                cores = "0"
                properties = ["batch", "$HOME"]
                """)) {
            Shell shell = new Shell().with("MUSTER_URI", daemon.uri());
            assertThat(shell.run("drain", "--holder", "ops", "n1", "bad", "dimm")
                            .err())
                    .isEmpty();
            String words = shell.run("completion", "words", "--timeout", "10s").out();
            assertThat(words)
                    .contains("\nformat-drain long\n", "\nformat-drain holder\n", "\nformat-property-list property\n");
            assertThat(words.replaceAll("format-.*\n", "")).isEqualTo("""
                            target n1
                            target n2
                            drained n1
                            target all
                            target @batch
                            property batch
                            mark up
                            mark down
                            mark degraded
                            mark failing
                            mark unknown
                            mark none
                            state available
                            state allocated
                            state offline
                            state unknown
                            state torpid
                            state excluded
                            state lost
                            state draining
                            state drained
                            state all
                            state online
                            holder admin
                            holder ops
                            """);
        }
    }
}
