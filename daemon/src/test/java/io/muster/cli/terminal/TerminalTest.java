package io.muster.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalTest {
    private static Style style(boolean terminal, Map<String, String> environment) {
        return Terminal.of(environment, terminal, terminal, terminal).style();
    }

    @Test
    void colourIsForTerminalsThatWereNotToldOtherwise() {
        assertThat(style(true, Map.of()).color()).isTrue();
        assertThat(style(false, Map.of()).color()).isFalse();
        assertThat(style(true, Map.of("NO_COLOR", "1")).color()).isFalse();
        assertThat(style(true, Map.of("NO_COLOR", "")).color()).isTrue();
        assertThat(style(true, Map.of("TERM", "dumb")).color()).isFalse();
        assertThat(Terminal.of(Map.of(), false, false, false)
                        .withColor("always")
                        .style()
                        .color())
                .isTrue();
        assertThat(Terminal.of(Map.of(), true, true, true)
                        .withColor("never")
                        .style()
                        .color())
                .isFalse();
    }

    @Test
    void heightIsThatOfTheTerminalIfItIsKnown() {
        assertThat(Terminal.of(Map.of("LINES", "24"), true, true, true).height())
                .isEqualTo(24);
        assertThat(Terminal.of(Map.of("LINES", "24"), true, false, true).height())
                .isZero();
        assertThat(Terminal.of(Map.of("LINES", "tall"), true, true, true).height())
                .isZero();
        assertThat(Terminal.of(Map.of("LINES", "24"), true, true, true)
                        .withColor("never")
                        .height())
                .isEqualTo(24);
    }

    @Test
    void widthIsThatOfTheTerminalAndNoneElsewhere() {
        assertThat(style(true, Map.of("COLUMNS", "132")).width()).isEqualTo(132);
        assertThat(style(true, Map.of()).width()).isEqualTo(80);
        assertThat(style(true, Map.of("COLUMNS", "wide")).width()).isEqualTo(80);
        assertThat(style(true, Map.of("COLUMNS", "-1")).width()).isEqualTo(80);
        assertThat(style(false, Map.of("COLUMNS", "40")).width()).isZero();
    }

    @Test
    void marksAreForThoseWhoCanSeeThem() {
        assertThat(style(true, Map.of("LANG", "de_DE.UTF-8")).mark(true)).isEqualTo("✔");
        assertThat(style(true, Map.of("LANG", "de_DE.UTF-8", "LC_ALL", "C")).mark(true))
                .isEqualTo("y");
        assertThat(style(true, Map.of("LC_ALL", "", "LC_CTYPE", "C.utf8")).mark(false))
                .isEqualTo("✗");
        assertThat(style(true, Map.of()).mark(false)).isEqualTo("n");
    }

    @Test
    void aBarIsAsLongAsTheWorkThatIsDone() {
        assertThat(Progress.bar("reading", 50, 200)).isEqualTo("reading [#######.......................] 25%");
        assertThat(Progress.bar("reading", 0, 0)).endsWith("] 100%");
        assertThat(Progress.bar("reading", 300, 200)).endsWith("] 100%");
    }
}
