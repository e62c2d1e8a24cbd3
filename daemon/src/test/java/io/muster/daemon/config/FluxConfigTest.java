package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.idset.Idset;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Configuration files of a Flux broker are accepted unchanged. */
final class FluxConfigTest {
    @TempDir
    private Path dir;

    @Test
    void aSystemInstanceConfigurationLoadsWithNotes() {
        Config config = Configs.load(
                dir,
                "[systemd]",
                "enable = true",
                "[exec]",
                "imp = \"/usr/libexec/flux/flux-imp\"",
                "[access]",
                "allow-guest-user = true",
                "allow-root-owner = true",
                "private-mode = true",
                "roles.admin.groups = [ \"flux\" ]",
                "[bootstrap]",
                "curve_cert = \"/etc/flux/system/curve.cert\"",
                "hosts = [ { host = \"test[1-16]\" } ]",
                "[tbon]",
                "tcp_user_timeout = \"2m\"",
                "[resource]",
                "config = [ { hosts = \"test[1-16]\", cores = \"0-7\" } ]",
                "exclude = \"test[1-2]\"",
                "norestrict = true",
                "[resource.verify]",
                "gpu = \"ignore\"",
                "[queues.debug]",
                "requires = [\"debug\"]");
        assertThat(config.resources().excluded()).isEqualTo(Idset.range(0, 1));
        assertThat(config.access().guests()).isTrue();
        assertThat(Configs.notes(dir, config))
                .containsExactlyInAnyOrder(
                        "muster.toml:1: [systemd]: not a table of Muster's; ignored",
                        "muster.toml:3: [exec]: not a table of Muster's; ignored",
                        "muster.toml:8: access.private-mode: only a Flux broker uses this (visibility of jobs); ignored",
                        "muster.toml:9: access.roles: the admin role gives no right over resources; add a [[grant]] with who = [\"role:admin\"] if it should",
                        "muster.toml:10: [bootstrap]: not a table of Muster's; ignored",
                        "muster.toml:13: [tbon]: not a table of Muster's; ignored",
                        "muster.toml:18: resource.norestrict: only a Flux broker uses this (hwloc restriction); ignored",
                        "muster.toml:19: resource.verify: only a Flux broker uses this (hwloc verification); ignored");
    }

    @Test
    void configEntriesAreReadAsDescribedInTheManualOfFlux() {
        Config config = Configs.load(
                dir,
                "[resource]",
                "path = \"/ignored\"",
                "[[resource.config]]",
                "hosts = \"test[1-100]\"",
                "cores = \"0-7\"",
                "[[resource.config]]",
                "hosts = \"test[1,2]\"",
                "gpus = \"0-1\"",
                "[[resource.config]]",
                "hosts = \"test[1-89]\"",
                "properties = [\"batch\"]");
        assertThat(Configs.notes(dir, config))
                .containsExactly("muster.toml:2: resource.path: ignored, since there are [[resource.config]] entries");
        JsonNode execution = config.resources().set().toJson().get("execution");
        assertThat(execution.get("R_lite"))
                .hasToString("[{\"rank\":\"0-1\",\"children\":{\"core\":\"0-7\",\"gpu\":\"0-1\"}},"
                        + "{\"rank\":\"2-99\",\"children\":{\"core\":\"0-7\"}}]");
        assertThat(execution.get("nodelist")).hasToString("[\"test[1-100]\"]");
        assertThat(execution.get("properties")).hasToString("{\"batch\":\"0-88\"}");
        assertThat(config.resources().origin()).isEqualTo("resource.config");
    }
}
