package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConfigTreeTest {
    @TempDir
    private Path dir;

    @Test
    void filesOfADirectoryAreMergedInTheOrderOfTheirNames() {
        Configs.write(dir, "10-resource.toml", "[resource]", "exclude = \"0\"", "history = \"1d\"");
        Configs.write(dir, "20-muster.toml", "[muster]", "batch = \"1s\"", "[resource]", "exclude = \"host7\"");
        Configs.write(dir, "old.toml.rpmsave", "nonsense");
        Effective effective = Config.load(dir, Configs.ADA).effective();
        assertThat(effective.of(Key.RESOURCE_EXCLUDE))
                .isEqualTo(new Effective.Setting(Key.RESOURCE_EXCLUDE, "host7", dir + "/20-muster.toml:4"));
        assertThat(effective.of(Key.RESOURCE_HISTORY).source()).isEqualTo(dir + "/10-resource.toml:3");
        assertThat(effective.of(Key.BATCH).value()).isEqualTo("1s");
    }

    @Test
    void problemsOfAllFilesAreReportedTogether() {
        Configs.write(dir, "a.toml", "[resource]", "path =");
        Configs.write(dir, "b.toml", "[muster]", "batch = \"x\"");
        Configs.write(dir, "c.toml", "a = 1", "a = 2");
        Configs.write(dir, "d.toml", "[[x]]", "[x.y]", "[ledger]", "[[x]]", "[x.y]", "[ledger]");
        assertThat(Configs.problemsOf(dir, dir))
                .containsExactlyInAnyOrder(
                        "a.toml:2: not TOML: Newline not permitted here",
                        "b.toml:2: muster.batch: duration \"x\": expected a number, not negative, and a unit at position 0",
                        "c.toml:2: a: is set twice, first on line 1",
                        "d.toml:6: [ledger]: is written twice, first on line 3");
    }

    @Test
    void theOutputOfFluxConfigGetIsReadAsJson() {
        Path file =
                Configs.write(dir, "flux.json", "{\"resource\": {\"exclude\": \"0\"}, \"muster\": {\"batch\": \"x\"}}");
        assertThat(Configs.problemsOf(dir, file))
                .containsExactly(
                        "flux.json: muster.batch: duration \"x\": expected a number, not negative, and a unit at position 0");
    }

    @Test
    void relativePathsAreRelativeToTheFileThatContainsThem() {
        Configs.write(dir.resolve("conf.d"), "a.toml", "[muster]", "state-dir = \"../state\"");
        Config config = Config.load(dir.resolve("conf.d"), Configs.ADA);
        assertThat(config.storage().stateDir()).isEqualTo(dir.resolve("state"));
    }

    @Test
    void aFileThatCannotBeReadIsReported() throws IOException {
        assertThat(Configs.problemsOf(dir, dir.resolve("none.toml")))
                .containsExactly("none.toml: cannot be read: no such file");
        Path latin = Files.write(dir.resolve("latin.toml"), "a = \"ä\"".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(Configs.problemsOf(dir, latin)).containsExactly("latin.toml: is not UTF-8 text");
        Path array = Configs.write(dir, "array.json", "[1]");
        assertThat(Configs.problemsOf(dir, array)).containsExactly("array.json: is not an object");
        Path marked = Configs.write(dir, "marked.toml", "\uFEFF[muster]");
        assertThat(Configs.problemsOf(dir, marked))
                .containsExactly("marked.toml:1: begins with a byte order mark: save the file as UTF-8 without one");
    }

    @Test
    void anEmptyFileAndAnEmptyDirectoryGiveTheDefaults() {
        Effective defaults = Config.load(null, Configs.ADA).effective();
        assertThat(Configs.load(dir, "").effective()).isEqualTo(defaults);
        assertThat(Config.load(dir.resolve("."), Configs.ADA).effective()).isEqualTo(defaults);
    }
}
