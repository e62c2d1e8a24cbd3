package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.config.Key;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The source of muster.toml(5). */
class ConfigPageTest {
    private static final Path EXAMPLE = Path.of("../config/muster.toml");

    @Test
    void theManualPageHasEveryKeyAndTheWholeExample(@TempDir Path directory) throws Exception {
        Path page = directory.resolve("muster.toml.adoc");
        ConfigPage.main(new String[] {EXAMPLE.toString(), page.toString()});
        assertThat(Key.values()).allSatisfy(key -> assertThat(page).content().contains("*+" + key + "+*::\n"));
        assertThat(page).content().contains("\n....\n" + Files.readString(EXAMPLE) + "....\n");
        assertThat(page)
                .content()
                .contains(
                        "*+muster.state-dir+*::\n  +++Directory of journal and snapshot+++. A change takes effect at the next"
                                + " start.\n");
    }
}
