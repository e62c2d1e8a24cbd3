package io.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SshServerTest {
    @ParameterizedTest
    @CsvSource({
        "ssh://mgmt1, ssh mgmt1 muster relay --stdio",
        "ssh://mgmt1/, ssh mgmt1 muster relay --stdio",
        "ssh://my_alias/run/m.sock, ssh my_alias muster relay --stdio '/run/m.sock'",
        "ssh://ops@mgmt1:2222/run/m.sock, ssh -p 2222 ops@mgmt1 muster relay --stdio '/run/m.sock'",
        "ssh://[fe80::1]:22, ssh -p 22 fe80::1 muster relay --stdio",
        "ssh://mgmt1/a b;c, ssh mgmt1 muster relay --stdio '/a b;c'"
    })
    void theUriDeterminesTheCommandOfSsh(String uri, String command) {
        assertThat(String.join(" ", SshServer.parse(uri).command(Map.of(), true)))
                .isEqualTo(command.replace("''", "'"));
    }

    @ParameterizedTest
    @CsvSource({"/usr/bin/ssh -q -F none, /opt/muster/bin/muster"})
    void theEnvironmentReplacesTheWordsSshAndMuster(String ssh, String remote) {
        assertThat(SshServer.parse("ssh://a/it's").command(Map.of("MUSTER_SSH", ssh, "MUSTER_SSH_RCMD", remote), false))
                .containsExactly("/usr/bin/ssh", "-q", "-F", "none", "a", remote, "relay", "--stdio", "'/it'\\''s'");
    }

    @Test
    void sshRunsInBatchModeWithoutATerminal() {
        assertThat(SshServer.parse("ssh://a").command(Map.of(), false))
                .containsExactly("ssh", "-o", "BatchMode=yes", "a", "muster", "relay", "--stdio");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ssh://",
                "ssh:///run/m.sock",
                "ssh://-oProxyCommand=x",
                "ssh://-l@host",
                "ssh://user:word@host",
                "ssh://a b",
                "ssh://host:port",
                "ssh://host:123456",
                "ssh://[host]",
                "ssh://host/a\nb"
            })
    void malformedAddressesAreRefused(String uri) {
        assertThatThrownBy(() -> SshServer.parse(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("address \"" + uri + "\": expected ssh://[USER@]HOST[:PORT][/PATH]");
    }
}
