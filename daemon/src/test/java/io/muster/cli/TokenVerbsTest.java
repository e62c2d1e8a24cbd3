package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import io.muster.daemon.token.Token;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The verbs for tokens, which need no daemon. */
class TokenVerbsTest {
    @TempDir
    private Path directory;

    @BeforeEach
    void makeAStateDirectory() throws IOException {
        Files.createDirectory(directory.resolve("journal"));
    }

    private Result token(String verb, String... arguments) {
        String[] line = new String[arguments.length + 4];
        line[0] = "token";
        line[1] = verb;
        line[2] = "--state-dir";
        line[3] = directory.toString();
        System.arraycopy(arguments, 0, line, 4, arguments.length);
        return new Shell().run(line);
    }

    private String created(String... arguments) {
        Result result = token("create", arguments);
        assertThat(result.err()).isEqualTo("muster: tokens of the daemon with the state directory " + directory + "\n");
        assertThat(result.exit()).isZero();
        return result.out().strip();
    }

    private void refused(int exit, String sentence, String verb, String... arguments) {
        Result result = token(verb, arguments);
        assertThat(result.exit()).as(result.err()).isEqualTo(exit);
        assertThat(result.err()).contains(sentence);
        assertThat(result.out()).isEmpty();
    }

    @Test
    void aTokenIsPrintedOnceAndListedWithoutItsText() throws IOException {
        String text = created("grafana");
        assertThat(text).matches("muster_[A-Za-z0-9_-]{43}");
        created("alerts", "--rights=hold,read", "--holder=am", "--for=inf");
        Result list = token("list");
        assertThat(list.out().lines())
                .satisfiesExactly(
                        head -> assertThat(head).matches("NAME +RIGHTS +HOLDER CREATED +EXPIRES +LAST USE"),
                        first -> assertThat(first).matches("grafana read +\\S+ \\S+ .* never"),
                        second -> assertThat(second).matches("alerts +read,hold am +.* never +never"));
        assertThat(list.out()).doesNotContain(text);
        Path file = directory.resolve("tokens");
        assertThat(file).content().contains(Token.digest(text)).doesNotContain(text.substring(7));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aRevokedTokenIsRemovedAndItsNameCanBeUsedAgain() {
        String first = created("grafana");
        created("other");
        refused(Exit.CONFLICT, "there is a token grafana already", "create", "grafana");
        refused(Exit.NO_TARGET, "there is no token nobody", "revoke", "other", "nobody");
        assertThat(token("list").out()).contains("other");
        assertThat(token("revoke", "grafana").out()).isEqualTo("revoked grafana\n");
        assertThat(token("list").out()).contains("other").doesNotContain("grafana");
        assertThat(created("grafana")).isNotEqualTo(first);
    }

    @Test
    void invalidNamesRightsHoldersAndDurationsAreRefused() {
        refused(Exit.USAGE, "NAME: token \"a b\": letters, digits and ._:@- only", "create", "a b");
        refused(Exit.USAGE, "a token cannot have the right \"acquire\"", "create", "a", "--rights=acquire");
        refused(Exit.USAGE, "--holder: is missing", "create", "a", "--rights=hold");
        refused(Exit.USAGE, "--holder: has no effect without the right hold", "create", "a", "--holder=x");
        refused(Exit.USAGE, "\"soon\" is not a duration", "create", "a", "--for=soon");
        refused(Exit.USAGE, "\"0\" is not a duration", "create", "a", "--for=0");
        assertThat(token("list").out()).hasLineCount(1);
    }

    @Test
    void tokensAreNotBackedUpAndDoNotAffectVerify() throws Exception {
        Path home = Files.createDirectory(directory.resolve("home"));
        Path copy = directory.resolve("copy");
        try (RunningDaemon daemon = RunningDaemon.start(home, "")) {
            String state = "--state-dir=" + daemon.stateDir();
            assertThat(new Shell().run("token", "create", state, "grafana").exit())
                    .isZero();
            assertThat(new Shell().run("backup", state, copy.toString()).exit()).isZero();
            assertThat(new Shell().run("journal", "verify", state).exit()).isZero();
            Path inside = daemon.stateDir().resolve("copy");
            assertThat(new Shell().run("backup", state, inside.toString()).err())
                    .isEqualTo("muster backup: " + inside + " is in the state directory\n  name a directory outside "
                            + daemon.stateDir() + "\n");
            assertThat(inside).doesNotExist();
        }
        assertThat(copy.resolve("journal")).exists();
        assertThat(copy.resolve("tokens")).doesNotExist();
    }

    @Test
    void anInvalidTokenFileIsNamedAndNotChanged() throws IOException {
        Files.writeString(directory.resolve("tokens"), "{\"version\":1}");
        refused(Exit.ERROR, directory + "/tokens", "list");
        refused(Exit.ERROR, "until then, the daemon accepts no token", "create", "a");
        assertThat(directory.resolve("tokens")).hasContent("{\"version\":1}");
    }
}
