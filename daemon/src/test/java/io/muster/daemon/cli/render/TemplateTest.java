package io.muster.daemon.cli.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TemplateTest {
    private static String render(String format, String cell) {
        Table table = new Table(Column.left("reason", "REASON"));
        table.row(cell);
        return Template.parse(format).render(table, false);
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
                "<{reason:>3}>|<bad dimm>"
            })
    void fieldsStandAsInPython(String format, String line) {
        assertThat(render(format, "bad dimm")).isEqualTo(line + "\n");
    }

    @Test
    void headersHaveTheFieldsForm() {
        Table table = new Table(Column.left("state", "STATE"), Column.left("nodelist", "NODELIST"));
        table.row("avail", "node0");
        Template template = Template.parse("{state:>8} {nodelist}");
        assertThat(template.fields()).containsExactly("state", "nodelist");
        assertThat(template.render(table, true)).isEqualTo("   STATE NODELIST\n   avail node0\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{state|this brace is not closed", "state}|this brace was not opened", "{}|a field needs a name",
                "{state:x}|expected {name}", "{state:>99999}|that is too wide", "{state:>1.2.3}|expected {name}"
            })
    void whatIsNoFormatSaysWhere(String format, String reason) {
        assertThatThrownBy(() -> Template.parse(format))
                .hasMessageContaining(reason)
                .hasMessageContaining("at position");
    }
}
