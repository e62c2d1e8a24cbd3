package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import java.nio.file.Path;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConfigTableTest {
    @TempDir
    private Path dir;

    private final Problems problems = new Problems();

    /** Returns the table {@code [resource.verify.x]} of a configuration with these lines. */
    private ConfigTable x(String... lines) {
        ConfigTree document = ConfigTree.read(Configs.write(dir, "muster.toml", lines), problems);
        return new ConfigTable(document, problems)
                .section("resource")
                .table("verify")
                .table("x");
    }

    private List<String> said() {
        return problems.errors().stream()
                .map(Problem::toString)
                .map(problem -> problem.replace(dir + "/", ""))
                .toList();
    }

    @Test
    void valuesOfANestedTableAreTyped() {
        ConfigTable x = x(
                "[resource.verify.x]",
                "text = 'a'",
                "integer = 7",
                "flag = true",
                "duration = '5m'",
                "size = '4KiB'",
                "list = ['a', 'b']",
                "share = 0.5");
        assertThat(x.text("text", "")).isEqualTo("a");
        assertThat(x.integer("integer", 0, 0, 9)).isEqualTo(7);
        assertThat(x.flag("flag", false)).isTrue();
        assertThat(x.duration("duration", Fsd.ZERO)).isEqualTo(new Fsd(300));
        assertThat(x.size("size", new ByteSize(0), new ByteSize(0), new ByteSize(8192)))
                .isEqualTo(new ByteSize(4096));
        assertThat(x.texts("list")).containsExactly("a", "b");
        assertThat(x.share("share", 0)).isEqualTo(0.5);
        assertThat(said()).isEmpty();
    }

    @Test
    void absentKeysHaveTheirFallbackAndAbsentTablesAreEmpty() {
        ConfigTable x = x("[resource]");
        assertThat(x.integer("integer", 3, 0, 9)).isEqualTo(3);
        assertThat(x.table("none").text("text", "fallback")).isEqualTo("fallback");
        assertThat(x.tables("none")).isEmpty();
        assertThat(x.names()).isEmpty();
        assertThat(said()).isEmpty();
    }

    @Test
    void wrongValuesInAnArrayOfTablesAreReportedWithTheirLines() {
        List<ConfigTable> list = x(
                        "[[resource.verify.x.list]]",
                        "flag = true",
                        "[[resource.verify.x.list]]",
                        "",
                        "flag = 1",
                        "inner = 2",
                        "flagg = true",
                        "wrong = 3")
                .tables("list");
        assertThat(list).hasSize(2);
        list.forEach(table -> {
            table.flag("flag", false);
            table.table("inner");
            table.refuseUnknown(List.of("flag", "inner"));
        });
        list.get(1).problem("user", "is missing");
        assertThat(said())
                .containsExactly(
                        "muster.toml:5: resource.verify.x.list[1].flag: expected true or false",
                        "muster.toml:6: resource.verify.x.list[1].inner: expected a table",
                        "muster.toml:7: resource.verify.x.list[1].flagg: unknown key; did you mean flag?",
                        "muster.toml:8: resource.verify.x.list[1].wrong: unknown key",
                        "muster.toml:3: resource.verify.x.list[1].user: is missing");
    }

    @Test
    void anElementThatIsNotATableIsReportedAndTheOthersKeepTheirIndexes() {
        List<ConfigTable> list =
                x("[resource.verify.x]", "list = [", "  1, {flag = 1}]").tables("list");
        list.forEach(table -> table.flag("flag", false));
        assertThat(said())
                .containsExactly(
                        "muster.toml:2: resource.verify.x.list[0]: must be a table, not a number",
                        "muster.toml:2: resource.verify.x.list[1].flag: expected true or false");
    }

    @Test
    void aValueThatIsNotAnArrayOfTablesIsReported() {
        assertThat(x("[resource.verify.x]", "list = 'a'").tables("list")).isEmpty();
        assertThat(said())
                .containsExactly("muster.toml:2: resource.verify.x.list: must be an array of tables, not a string");
    }

    @Test
    void onlyTheFirstProblemOfAKeyIsRelayed() {
        Problems found = new Problems();
        found.add("any/b/0", "is wrong");
        found.add("any/b/0", "is very wrong");
        found.add("any/b", "is wrong too");
        x("[resource.verify.x]", "", "a = {b = [1]}").relay("a", found);
        assertThat(said())
                .containsExactly(
                        "muster.toml:3: resource.verify.x.a.b[0]: is wrong",
                        "muster.toml:3: resource.verify.x.a.b: is wrong too");
    }

    @Test
    void readingAnUndocumentedKeyOfASectionThrows() {
        ConfigTable muster = new ConfigTable(new ConfigTree(), problems).section("muster");
        assertThatThrownBy(() -> muster.flag("secret", false)).isInstanceOf(NoSuchElementException.class);
    }
}
