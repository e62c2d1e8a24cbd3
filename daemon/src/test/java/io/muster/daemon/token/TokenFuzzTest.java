package io.muster.daemon.token;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.inventory.problem.InvalidException;
import java.util.List;

/** Each file is either refused with a location, or has tokens that are written and read again unchanged. */
class TokenFuzzTest {
    @FuzzTest(maxDuration = "30s")
    void filesAreRefusedOrReadUnchanged(byte[] text) throws Exception {
        TokenFile file = new TokenFile(new MemoryDisk());
        List<Token> tokens;
        try {
            tokens = file.parse(text);
        } catch (InvalidException e) {
            assertThat(e.problems()).isNotEmpty();
            return;
        }
        assertThat(file.edit(none -> tokens)).isTrue();
        assertThat(file.read()).isEqualTo(tokens);
    }
}
