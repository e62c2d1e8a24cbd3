package io.muster.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TemplateTest {
    private static final Zone BERLIN = new Zone(Console.ofProcess(), ZoneId.of("Europe/Berlin"));

    private static String render(String format, String cell) {
        Table table = new Table(Column.left("reason", "REASON"));
        table.row(cell);
        return Template.parse(format).render(table, false, Style.PLAIN, BERLIN);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "{reason}|bad dimm",
                "<{reason:>10}>|<  bad dimm>",
                "<{reason:<10}>|<bad dimm  >",
                "<{reason:^10}>|< bad dimm >",
                "<{reason:10}>|<bad dimm  >",
                "{reason:<3.3}|bad",
                "{reason:<5.5+}|bad +",
                "{{{reason}}}|{bad dimm}",
                "<{reason:>3}>|<bad dimm>",
                "<{reason:*^12s}>|<**bad dimm**>",
                "<{reason!s:<10h}>|<bad dimm  >"
            })
    void fieldsAreFormattedAsInPython(String format, String line) {
        assertThat(render(format, "bad dimm")).isEqualTo(line + "\n");
    }

    @Test
    void headersAreFormattedLikeTheirFields() {
        Table table = new Table(Column.left("state", "STATE"), Column.left("nodelist", "NODELIST"));
        table.row("avail", "node0");
        Template template = Template.parse("{state:>8} {nodelist}");
        assertThat(template.fields()).containsExactly("state", "nodelist");
        assertThat(template.render(table, true, Style.PLAIN, BERLIN)).isEqualTo("   STATE NODELIST\n   avail node0\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {"<{reason:5}>|<   12>", "<{reason:<5}>|<12   >", "<{reason:05d}>|<00012>", "<{reason:h}>|<12>"})
    void numbersAreAlignedToTheRightByDefault(String format, String line) {
        assertThat(render(format, "12")).isEqualTo(line + "\n");
    }

    @Test
    void anEmptyFieldWithTheHFlagIsPrintedAsAHyphen() {
        assertThat(render("<{reason:>4h}>", "")).isEqualTo("<   ->\n");
        assertThat(render("<{reason:>4}>", "")).isEqualTo("<    >\n");
    }

    @Test
    void anEmptyLineIsOmitted() {
        assertThat(render("{reason:>4}", "")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "<{reason!d:%b%d %R::<12}>|<Nov21 11:01 >",
                "<{reason!d:%H:%M::>7}>|<  11:01>",
                "{reason!d}|2026-11-21T11:01:05",
                "{reason!D:>21}|  2026-11-21T11:01:05",
                "{reason!d:%Y-%m-%d %T %z %j %e%% %s %Q}|2026-11-21 11:01:05 +0100 325 21% 1795255265 %Q"
            })
    void timesAreFormattedAsByStrftime(String format, String line) {
        assertThat(render(format, "2026-11-21T10:01:05Z")).isEqualTo(line + "\n");
        assertThat(render(format + ".", "-")).doesNotContain("2026");
    }

    private static Table holds() {
        Table table = new Table(
                Column.left("state", "STATE"), Column.left("reason", "REASON"), Column.right("nnodes", "NNODES"));
        table.row("drained", "bad dimm", "9");
        table.row("avail", "", "10");
        return table;
    }

    private static String render(String format, boolean header) {
        return Template.parse(format).render(holds(), header, Style.PLAIN, BERLIN);
    }

    @Test
    void prefixesWidenFieldsOrOmitEmptyColumns() {
        assertThat(render("+:{state:>3.3} ?:{reason:<3}|{nnodes}", true))
                .isEqualTo("  STATE REASON|NNODES\ndrained bad dimm|9\n  avail    |10\n");
        assertThat(render("+:{state:>3.3}|", false)).isEqualTo("drained|\n  avail|\n");
        Table avail = new Table(Column.left("state", "STATE"), Column.left("reason", "REASON"));
        avail.row("avail", "");
        avail.row("down", "-");
        for (String mark : new String[] {"?:", "?+:"}) {
            assertThat(Template.parse("{state} " + mark + "{reason:>8}|").render(avail, true, Style.PLAIN, BERLIN))
                    .isEqualTo("STATE|\navail|\ndown|\n");
        }
    }

    @Test
    void linesAreSortedByTheColumnsOfTheSortPrefix() {
        Table table = new Table(Column.left("state", "STATE"), Column.right("nnodes", "NNODES"));
        assertThat(Template.parse("sort:-nnodes,state {state}").fields()).containsExactly("state", "nnodes", "state");
        assertThat(Template.parse("sort:,{state}").fields()).containsExactly("state");
        for (String[] row : new String[][] {{"a", "9"}, {"b", "10"}, {"c", ""}, {"d", "2m5s"}}) {
            table.row(row);
        }
        Table sorted = new Table(Column.left("state", "STATE"), Column.right("nnodes", "NNODES"));
        table.rows().forEach(row -> sorted.row(row.toArray(new String[0])));
        assertThat(Template.parse("sort:nnodes {state}").render(sorted, false, Style.PLAIN, BERLIN))
                .isEqualTo("c\na\nb\nd\n");
        assertThat(Template.parse("sort:-nnodes {state}").render(sorted, false, Style.PLAIN, BERLIN))
                .isEqualTo("d\nb\na\nc\n");
    }

    @Test
    void colourFieldsColourTheStateOnly() {
        Table table = new Table(Column.left("state", "STATE"), Column.left("reason", "REASON"));
        table.row("drained", "down");
        assertThat(Template.parse("{color_up}{state:>8}{color_off} {reason}")
                        .render(table, false, new Style(true, true, 0), BERLIN))
                .isEqualTo("\033[33m drained\033[0m down\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{state|this brace is not closed", "state}|this brace was not opened", "{}|a field needs a name",
                "{state:x}|expected {name}", "{state:>99999}|the width has more than 4 digits",
                        "{state:>1.2.3}|expected {name}",
                "{state!F}|expected the conversion !d or !D"
            })
    void anInvalidFormatIsRefusedWithThePosition(String format, String reason) {
        assertThatThrownBy(() -> Template.parse(format))
                .hasMessageContaining(reason)
                .hasMessageContaining("at position");
    }
}
