package io.muster.inventory.idset;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muster.inventory.problem.MalformedException;

class IdsetFuzzTest {
    /**
     * Any text is either refused with a position inside the text, or read into a set that is written and read again unchanged.
     */
    @FuzzTest
    void anyTextIsReadOrRefused(FuzzedDataProvider data) {
        String text = data.consumeRemainingAsString();
        Idset set;
        try {
            set = Idset.parse(text);
        } catch (MalformedException e) {
            check(e.position() >= 0 && e.position() <= text.length(), text);
            return;
        }
        check(Idset.parse(set.toString()).equals(set), text);
        check(set.toString().length() <= text.length(), text);
    }

    private static void check(boolean holds, String text) {
        if (!holds) {
            throw new AssertionError("idset \"" + text + '"');
        }
    }
}
