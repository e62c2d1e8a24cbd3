package io.muster.inventory.hostlist;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muster.inventory.problem.MalformedException;

class HostlistFuzzTest {
    /** Lists longer than this are only read, not written and searched, so that the fuzzer can try more texts. */
    private static final int SMALL = 10_000;

    /**
     * Any text is either refused with a position inside the text, or read into a list that is written and read again unchanged.
     */
    @FuzzTest
    void anyTextIsReadOrRefused(FuzzedDataProvider data) {
        String text = data.consumeRemainingAsString();
        Hostlist list;
        try {
            list = Hostlist.parse(text);
        } catch (MalformedException e) {
            check(e.position() >= 0 && e.position() <= text.length(), text);
            return;
        }
        if (list.size() > SMALL) {
            return;
        }
        check(Hostlist.parse(list.toString()).equals(list), text);
        check(Hostlist.of(list.expand()).equals(list), text);
        check(list.missing(list).isEmpty(), text);
        check(list.sort().size() == list.size(), text);
        if (!list.isEmpty()) {
            check(list.nth(list.indexOf(list.nth(list.size() - 1))).equals(list.nth(list.size() - 1)), text);
        }
    }

    private static void check(boolean holds, String text) {
        if (!holds) {
            throw new AssertionError("hostlist \"" + text + '"');
        }
    }
}
