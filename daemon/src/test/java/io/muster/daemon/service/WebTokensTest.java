package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.core.Rig;
import io.muster.daemon.token.Token;
import io.muster.daemon.token.TokenFile;
import io.muster.protocol.operation.Right;
import io.muster.protocol.wire.Credentials;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WebTokensTest {
    private final Stage stage = new Stage(Rig.ofFour());

    @BeforeEach
    void serve() {
        stage.backend.web().serveAt("http://127.0.0.1:8651");
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private static Rights night() {
        int roles = Credentials.USER | Credentials.LOCAL;
        return Stage.rights(1005, roles, "eve", Set.of(Right.FOLLOW, Right.HOLD), "night");
    }

    private static String request(String right, String rest) {
        return "{\"right\":\"" + right + "\",\"lifetime\":3600" + rest + "}";
    }

    private JsonNode made(Rights rights, String right) throws IOException {
        return JsonMapper.builder().build().readTree(stage.join(rights).ask("resource.web", request(right, "")));
    }

    private @Nullable Identity bearer(JsonNode made) {
        return stage.tokens.of(made.path("token").asText(), "here");
    }

    @Test
    void theBearerHasOnlyTheRequestedRights() throws IOException {
        JsonNode made = made(Stage.admin(), "read");
        assertThat(made.path("url").asText()).isEqualTo("http://127.0.0.1:8651");
        assertThat(made.path("name").asText()).startsWith("web-alice-");
        Identity bearer = bearer(made);
        assertThat(bearer).isNotNull();
        assertThat(bearer.named()).isNotNull();
        assertThat(bearer.named().rights()).containsExactlyInAnyOrder(Right.READ, Right.FOLLOW);
        Identity admin = bearer(made(Stage.admin(), "change"));
        assertThat(admin).isNotNull();
        assertThat(admin.named()).isNotNull();
        assertThat(admin.named().rights()).containsExactlyInAnyOrder(Right.READ, Right.FOLLOW, Right.CHANGE);
    }

    @Test
    void theDefaultHolderOfAPageIsTheOnlyHolderOfItsUser() throws IOException {
        assertThat(made(night(), "hold").path("holder").asText()).isEqualTo("night");
        assertThat(made(Stage.owner(), "hold").path("holder").asText()).isEqualTo("ada");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            change | ''                   | EPERM .*requires owner credentials or the right "change".*
            hold   | ,\\"holder\\":\\"ops\\" | EPERM user eve may drain and undrain only with --holder "night", not "ops".*
            hold   | ,\\"holder\\":\\"o s\\" | EPERM user eve may drain and undrain only with --holder "night", not "o s".*
            own    | ''                   | EINVAL "own" is not one of the rights read, hold and change
            read   | ,\\"lifetime\\":0     | EPROTO resource.web: /lifetime must be an integer from 1 to 2592000
            read   | ,\\"lifetime\\":1e99  | EPROTO resource.web: /lifetime must be an integer from 1 to 2592000
            """)
    void rightsThatTheUserDoesNotHaveAreRefused(String right, String rest, String refusal) throws IOException {
        String json = rest.contains("lifetime")
                ? "{\"right\":\"read\"" + rest.replace("\\", "") + "}"
                : request(right, rest.replace("\\", ""));
        assertThat(stage.join(night()).ask("resource.web", json)).matches(refusal);
        assertThat(stage.tokenFile.read()).isEmpty();
    }

    @Test
    void aHolderWithASpaceIsRefused() throws IOException {
        assertThat(stage.join(Stage.owner()).ask("resource.web", request("hold", ",\"holder\":\"o s\"")))
                .startsWith("EINVAL the holder");
        assertThat(stage.tokenFile.read()).isEmpty();
    }

    @Test
    void rightsToChangeAreGivenOnlyOnTheAdminSocket() throws IOException {
        Stage.Caller main = stage.join(Stage.admin(), false);
        assertThat(main.ask("resource.web", request("change", "")))
                .isEqualTo("EPERM only the admin socket takes changes");
        assertThat(main.ask("resource.web", request("hold", "")))
                .isEqualTo("EPERM only the admin socket takes changes");
        assertThat(main.ask("resource.web", request("read", ""))).startsWith("{\"name\":\"web-alice-");
    }

    @Test
    void aDaemonWithoutAPageRefusesTheRequest() {
        stage.backend.web().serveAt(null);
        assertThat(stage.join(Stage.owner()).ask("resource.web", request("read", "")))
                .isEqualTo("ENOENT the daemon serves no page: the configuration has no [[listen]] with https or http");
    }

    @Test
    void theOldestTokenOfAUserIsReplacedBeyondTheLimit() throws IOException {
        JsonNode other = made(Stage.owner(), "read");
        JsonNode first = made(Stage.admin(), "read");
        List<JsonNode> rest = new ArrayList<>();
        for (int i = 0; i < WebTokens.MOST_OF_USER; i++) {
            stage.rig.advance(Duration.ofSeconds(1));
            rest.add(made(Stage.admin(), "read"));
        }
        assertThat(bearer(first)).isNull();
        assertThat(rest).allMatch(each -> bearer(each) != null);
        assertThat(bearer(other)).isNotNull();
    }

    @Test
    void tokensOfOtherKindsAreKeptAndCountTowardsTheLimit() throws IOException {
        Token robot = new Token("robot", "0".repeat(64), Set.of(Right.READ), null, 1, 2);
        assertThat(stage.tokenFile.edit(none -> List.of(robot))).isTrue();
        JsonNode made = made(Stage.admin(), "read");
        assertThat(stage.tokenFile.read())
                .extracting(Token::name)
                .containsExactly("robot", made.path("name").asText());
        List<Token> full = new ArrayList<>();
        for (int i = 0; i < TokenFile.MOST; i++) {
            full.add(new Token("robot" + i, robot.digest(), robot.rights(), null, 1, 2));
        }
        assertThat(stage.tokenFile.edit(none -> full)).isTrue();
        assertThat(stage.join(Stage.admin()).ask("resource.web", request("read", "")))
                .isEqualTo("EBUSY there are 1000 tokens, which is the limit: revoke those that are not used");
    }
}
