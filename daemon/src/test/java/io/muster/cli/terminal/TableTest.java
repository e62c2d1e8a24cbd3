package io.muster.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TableTest {
    private static Table hosts(String reason, String nodelist) {
        Table table = new Table(
                Column.right("state", "STATE"),
                Column.flexible("reason", "REASON"),
                Column.flexible("nodelist", "NODELIST"));
        table.row("avail", "", "node0");
        table.row("drained", reason, nodelist);
        return table;
    }

    private static Style wide(int columns) {
        return new Style(false, true, columns);
    }

    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        assertThat(hosts("bad dimm", "node[1-2]").render(true, Style.PLAIN)).isEqualTo("""
                          STATE REASON   NODELIST
                          avail          node0
                        drained bad dimm node[1-2]
                        """);
    }

    @Test
    void withoutAHeaderTheWidthOfColumnTitlesIsIgnored() {
        assertThat(hosts("x", "n").render(false, Style.PLAIN)).isEqualTo("  avail   node0\ndrained x n\n");
    }

    @Test
    void cellsAreNotCutWithoutATerminal() {
        String nodelist = "node[" + "1,3,5,7,9,".repeat(500) + "11]";
        assertThat(hosts("r".repeat(5000), nodelist).render(true, Style.PLAIN))
                .contains(nodelist)
                .contains("r".repeat(5000));
    }

    @Test
    void theLastColumnWrapsAfterAComma() {
        assertThat(hosts("x", "node[1,3,5,7,9,11]").render(false, wide(21))).isEqualTo("""
                          avail   node0
                        drained x node[1,3,5,
                                  7,9,11]
                        """);
    }

    @Test
    void aReasonIsCutWithAPlusIfTheHostsHaveTheirMinimumWidth() {
        assertThat(hosts("a reason that is long", "node[1,3,5,7]").render(false, wide(30)))
                .isEqualTo("""
                          avail             node0
                        drained a reason t+ node[1,3,
                                            5,7]
                        """);
    }

    @Test
    void allHostsAreShownOnTheNarrowestTerminal() {
        String narrow = hosts("a reason that is long", "node[1,3,5,7]").render(false, wide(5));
        assertThat(narrow.replaceAll("\\s", "")).contains("node[1,3,5,7]");
    }

    @Test
    void aNameThatIsWiderThanItsColumnIsBrokenAtTheWidth() {
        Table table = new Table(Column.flexible("nodelist", "NODELIST"));
        table.row("abcdefghijklmnop");
        assertThat(table.render(false, wide(10))).isEqualTo("abcdefghij\nklmnop\n");
    }

    @Test
    void coloursDoNotChangeTheWidthsOfColumns() {
        assertThat(hosts("x", "n").render(true, new Style(true, true, 80)))
                .isEqualTo(
                        "\033[1m  STATE REASON NODELIST\033[0m\n  avail        node0\n\033[33mdrained\033[0m x      n\n");
    }

    @Test
    void controlAndDirectionCharactersArePrintedAsQuestionMarks() {
        assertThat(hosts("a\033[2Jb\nc\u009bd\u202ee", "n").render(false, Style.PLAIN))
                .contains("a?[2Jb?c?d?e n");
    }

    @Test
    void aSurrogatePairCountsAsOneColumn() {
        assertThat(hosts("💥 dimm", "n").render(false, Style.PLAIN))
                .isEqualTo("  avail        node0\ndrained 💥 dimm n\n");
        assertThat(Printable.cut("💥💥💥", 2)).isEqualTo("💥+");
    }

    @Test
    void aRowWithAWrongNumberOfCellsIsRefused() {
        assertThatThrownBy(() -> new Table(Column.left("a", "A")).row("1", "2")).hasMessage("2 cells for 1 columns");
    }
}
