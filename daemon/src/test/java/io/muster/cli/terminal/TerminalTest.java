package io.muster.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TerminalTest {
    private static Style style(boolean terminal, Map<String, String> environment) {
        return Terminal.of(environment, terminal, terminal, terminal).style();
    }

    @Test
    void colourIsUsedOnATerminalUnlessItIsDisabled() {
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
    void theHeightComesFromLinesAndIsZeroIfUnknown() {
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
    void theWidthComesFromColumnsAndIsZeroWithoutATerminal() {
        assertThat(style(true, Map.of("COLUMNS", "132")).width()).isEqualTo(132);
        assertThat(style(true, Map.of()).width()).isEqualTo(80);
        assertThat(style(true, Map.of("COLUMNS", "wide")).width()).isEqualTo(80);
        assertThat(style(true, Map.of("COLUMNS", "-1")).width()).isEqualTo(80);
        assertThat(style(false, Map.of("COLUMNS", "40")).width()).isZero();
    }

    @Test
    void checkMarksAreUsedOnlyInUtf8Locales() {
        assertThat(style(true, Map.of("LANG", "de_DE.UTF-8")).mark(true)).isEqualTo("✔");
        assertThat(style(true, Map.of("LANG", "de_DE.UTF-8", "LC_ALL", "C")).mark(true))
                .isEqualTo("y");
        assertThat(style(true, Map.of("LC_ALL", "", "LC_CTYPE", "C.utf8")).mark(false))
                .isEqualTo("✗");
        assertThat(style(true, Map.of()).mark(false)).isEqualTo("n");
    }

    @Test
    void theProgressBarShowsTheShareOfTheWorkThatIsDone() {
        assertThat(Progress.bar("reading", 50, 200)).isEqualTo("reading [#######.......................] 25%");
        assertThat(Progress.bar("reading", 0, 0)).endsWith("] 100%");
        assertThat(Progress.bar("reading", 300, 200)).endsWith("] 100%");
    }

    /** Shows the progress of three steps that take four seconds each. */
    private static String progress(boolean terminal) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                err,
                Map.of(),
                Terminal.of(Map.of(), terminal, terminal, terminal),
                InstantSource.system());
        AtomicLong seconds = new AtomicLong();
        try (Progress progress =
                new Progress(console, "work", 3, () -> TimeUnit.SECONDS.toNanos(seconds.getAndAdd(4)))) {
            progress.at(1);
            progress.at(2, "things done");
            progress.at(12_000, "things");
        }
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void progressIsPrintedOnlyOnATerminal() {
        assertThat(progress(true))
                .isEqualTo(Stream.of(
                                "work [#########.....................] 33%",
                                "work: 2 things done, 8 s", "work: 12,000 things, 12 s", "")
                        .map(line -> "\r\033[?7l" + line + "\033[K\033[?7h")
                        .collect(Collectors.joining()));
        assertThat(progress(false)).isEmpty();
    }
}
