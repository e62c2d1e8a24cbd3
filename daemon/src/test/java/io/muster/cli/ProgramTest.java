package io.muster.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Programs of other packages. */
class ProgramTest {
    private static final long LONG = 600;

    @Test
    void aProgramThatEndsIsReportedWithItsOutput() throws Exception {
        assertThat(Program.run(LONG, "in".getBytes(UTF_8), "cat"))
                .asString(UTF_8)
                .isEqualTo("in");
        assertThatThrownBy(() -> Program.run(LONG, "sh", "-c", "echo no; exit 3"))
                .hasMessage("sh ended with status 3: no");
    }

    @Test
    void onlyAProgramThatTookTooLongIsReportedAsLate() {
        assertThatThrownBy(() -> Program.run(1, "sleep", "86400")).hasMessage("sleep did not end within 1 s");
        assertThatThrownBy(() -> Program.run(LONG, "sh", "-c", "kill -9 $$")).hasMessage("sh ended with status 137: ");
    }
}
