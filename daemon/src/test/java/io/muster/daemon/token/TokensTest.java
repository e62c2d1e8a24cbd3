package io.muster.daemon.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.daemon.access.Identity;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.protocol.operation.Right;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokensTest {
    private static final String FROM = "10.0.0.7";

    @TempDir
    private Path directory;

    private final List<String> refusals = new ArrayList<>();
    private double now = 1000;
    private long nanos;
    private final AccountBook accounts = new AccountBook(1 << 20, () -> nanos);
    private @Nullable TokenFile file;
    private @Nullable Tokens tokens;

    @BeforeEach
    void open() throws IOException {
        file = new TokenFile(LocalDisk.existing(directory));
        tokens = fresh();
    }

    private Tokens fresh() {
        Tokens made = new Tokens(file(), () -> now, () -> nanos, accounts, refusals::add);
        made.look();
        return made;
    }

    private TokenFile file() {
        return Objects.requireNonNull(file);
    }

    private Tokens tokens() {
        return Objects.requireNonNull(tokens);
    }

    /** Adds a token and returns its text. */
    private String create(String name, Set<Right> rights, @Nullable String holder, double expires) throws IOException {
        String text = Token.newText();
        boolean done = file().edit(before -> {
            List<Token> all = new ArrayList<>(before);
            all.add(new Token(name, Token.digest(text), rights, holder, now, expires));
            return all;
        });
        assertThat(done).isTrue();
        return text;
    }

    @Test
    void aTokenIdentifiesItsSenderAndItsRights() throws IOException {
        String text = create("grafana", Set.of(Right.READ, Right.HOLD), "alerts", 0);
        assertThat(tokens().of(text, FROM)).as("before the daemon has looked").isNull();
        tokens().look();
        Identity who = Objects.requireNonNull(tokens().of(text, FROM));
        assertThat(who.who()).isEqualTo("token:grafana");
        Identity.Named named = Objects.requireNonNull(who.named());
        assertThat(named.rights()).containsExactlyInAnyOrder(Right.READ, Right.HOLD);
        assertThat(named.scope().holders()).containsExactly("alerts");
    }

    @Test
    void theTextOfATokenHas256BitsAndIsNotStored() throws IOException {
        String text = create("grafana", Set.of(Right.READ), null, 0);
        assertThat(text).matches("muster_[A-Za-z0-9_-]{43}").isNotEqualTo(Token.newText());
        tokens().look();
        assertThat(tokens().of(text, FROM)).isNotNull();
        tokens().writeUses();
        for (String name : List.of("tokens", "tokens.used")) {
            Path each = directory.resolve(name);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                    .isEqualTo("rw-------");
            assertThat(each).content().contains(Token.digest(text)).doesNotContain(text.substring(7));
        }
    }

    @Test
    void anExpiredTokenIsRefused() throws IOException {
        String text = create("grafana", Set.of(Right.READ), null, 1060);
        tokens().look();
        now = 1059.5;
        assertThat(tokens().of(text, FROM)).isNotNull();
        now = 1060;
        assertThat(tokens().of(text, FROM)).isNull();
        assertThat(refusals).containsExactly("expired");
    }

    @Test
    void aRevokedTokenIsRefusedAfterTheFileIsReadAgain() throws IOException {
        String text = create("grafana", Set.of(Right.READ), null, 0);
        String other = create("other", Set.of(Right.READ), null, 0);
        tokens().look();
        file().edit(all -> all.subList(1, 2));
        tokens().look();
        assertThat(tokens().of(text, FROM)).isNull();
        assertThat(tokens().of(other, FROM)).isNotNull();
        assertThat(refusals).containsExactly("unknown");
    }

    @Test
    void noTokenIsAcceptedFromAnInvalidFile() throws IOException {
        String text = create("grafana", Set.of(Right.READ), null, 0);
        tokens().look();
        byte[] good = Files.readAllBytes(directory.resolve("tokens"));
        Files.writeString(directory.resolve("tokens"), "{}");
        tokens().look();
        assertThat(tokens().of(text, FROM)).isNull();
        Files.write(directory.resolve("tokens"), good);
        tokens().look();
        assertThat(tokens().of(text, FROM)).isNotNull();
        Files.delete(directory.resolve("tokens"));
        tokens().look();
        assertThat(tokens().of(text, FROM)).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"version":1                                          | is not JSON
            []                                                    | must be an object
            {"version":2,"tokens":[]}                             | /version: must be an integer from 1 to 1
            {"version":1}                                         | /tokens: must be an array
            {"version":1,"tokens":[1]}                            | /tokens/0: must be an object
            {"version":1,"tokens":[{"name":"a b"}]}               | /tokens/0/name: token "a b": letters, digits and ._:@- only
            {"version":1,"tokens":[{"name":"a","sha256":"12"}]}   | /tokens/0/sha256: must be a SHA-256 in 64 hexadecimal digits
            """)
    void anInvalidFileIsRefusedWithTheLocation(String text, String sentence) throws IOException {
        Files.writeString(directory.resolve("tokens"), text);
        assertThatThrownBy(() -> file().read())
                .hasMessageContaining(sentence)
                .hasMessageContaining(directory + "/tokens");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "rights":[]                        | rights: must be an array of at least one right
            "rights":["own"]                   | rights: may have read, follow, hold, alerts, report-check, work, action, change, not own
            "rights":["acquire"]               | rights: may have read, follow, hold, alerts, report-check, work, action, change, not acquire
            "rights":["hold"]                  | holder: is missing
            "rights":["hold"],"holder":"a b"   | holder: holder "a b": letters
            "rights":["read"],"holder":"a"     | holder: has no effect without the right hold
            "rights":["read"]                  | created: must be a number of seconds
            """)
    void invalidRightsOfATokenAreRefusedWithTheLocation(String rights, String sentence) throws IOException {
        String digest = Token.digest("x");
        Files.writeString(
                directory.resolve("tokens"),
                "{\"version\":1,\"tokens\":[{\"name\":\"a\",\"sha256\":\"" + digest + "\"," + rights + "}]}");
        assertThatThrownBy(() -> file().read()).hasMessageContaining("/tokens/0/" + sentence);
    }

    @Test
    void twoTokensWithTheSameNameAreRefused() throws IOException {
        create("a", Set.of(Right.READ), null, 0);
        create("a", Set.of(Right.READ), null, 0);
        assertThatThrownBy(() -> file().read()).hasMessageContaining("/tokens/1/name: is the name of an earlier token");
    }

    @Test
    void theLastUseIsWrittenEveryMinuteAndSurvivesARestart() throws IOException {
        String text = create("grafana", Set.of(Right.READ), null, 0);
        tokens().look();
        now = 1005;
        assertThat(tokens().of(text, FROM)).isNotNull();
        tokens().look();
        assertThat(file().used()).isEmpty();
        nanos += TimeUnit.MINUTES.toNanos(1);
        tokens().look();
        assertThat(file().used()).containsOnly(java.util.Map.entry(Token.digest(text), 1005.0));

        Tokens next = fresh();
        String other = create("other", Set.of(Right.READ), null, 0);
        next.look();
        now = 1010;
        assertThat(next.of(other, FROM)).isNotNull();
        next.writeUses();
        assertThat(file().used()).containsEntry(Token.digest(text), 1005.0).containsEntry(Token.digest(other), 1010.0);
    }

    @Test
    void onlyOneProcessAtATimeChangesTheFile() throws IOException {
        try (Closeable other = LocalDisk.existing(directory).alone("tokens.lock")) {
            assertThat(other).isNotNull();
            assertThat(file().edit(all -> all)).isFalse();
        }
        assertThat(file().edit(all -> all)).isTrue();
    }

    @Test
    void wrongTokensAreCountedPerSourceForAMinute() throws IOException {
        String text = create("grafana", Set.of(Right.READ), null, 0);
        tokens().look();
        for (int i = 0; i < Account.A_MINUTE; i++) {
            assertThat(tokens().of("guess" + i, FROM)).isNull();
        }
        assertThat(tokens().isGuessing(FROM)).isFalse();
        assertThat(tokens().of("one more", FROM)).isNull();
        assertThat(tokens().isGuessing(FROM)).isTrue();
        assertThat(tokens().isGuessing("10.0.0.8")).isFalse();
        assertThat(tokens().of(text, FROM))
                .as("a right token, whatever others send")
                .isNotNull();
        nanos += TimeUnit.MINUTES.toNanos(1);
        assertThat(tokens().isGuessing(FROM)).isFalse();
        assertThat(refusals).hasSize(Account.A_MINUTE + 1).containsOnly("unknown");
    }
}
