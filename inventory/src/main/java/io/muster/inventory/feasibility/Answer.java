package io.muster.inventory.feasibility;

import io.muster.inventory.idset.Idset;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a question to {@link Feasibility}.
 *
 * @param sentence the reason for the verdict or, if it is YES, how much would fit; never empty
 * @param mostSlots largest number of slots that would fit if the outermost count were open; -1 if unknown or if there is no
 *     slot
 * @param hosts the ranks that can hold at least one of the requested items
 * @param witness one way to place the request if the verdict is YES; empty if several kinds share nodes and only a count
 *     proved that they fit
 * @param remarks further facts for the user, such as the inventory's expiration
 */
public record Answer(
        Verdict verdict, String sentence, long mostSlots, Idset hosts, List<Share> witness, List<String> remarks) {
    public Answer {
        witness = List.copyOf(witness);
        remarks = List.copyOf(remarks);
    }

    static Answer of(Verdict verdict, String sentence) {
        return new Answer(verdict, sentence, -1, Idset.EMPTY, List.of(), List.of());
    }

    /** Returns the answer to a request that could not be read. */
    public static Answer invalid(String sentence) {
        return of(Verdict.INVALID, sentence);
    }

    Answer with(Verdict other, String otherSentence) {
        return new Answer(other, otherSentence, mostSlots, hosts, witness, remarks);
    }

    Answer remarking(String remark) {
        List<String> more = new ArrayList<>(remarks);
        more.add(remark);
        return new Answer(verdict, sentence, mostSlots, hosts, witness, more);
    }
}
