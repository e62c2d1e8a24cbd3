package io.muster.inventory.request.feasibility;

import io.muster.inventory.idset.Idset;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@link Feasibility} found.
 *
 * @param sentence the reason, or for YES how much would fit; never empty
 * @param mostSlots how many slots would fit at most if the outermost count were open, -1 if not known or there is none
 * @param hosts the ranks that hold at least one of what is asked
 * @param witness one way to place it, when the verdict is YES; empty when several kinds share nodes and only a count proved it
 * @param remarks what else the asker should know, such as the inventory's expiration
 */
public record Answer(
        Verdict verdict, String sentence, long mostSlots, Idset hosts, List<Placement> witness, List<String> remarks) {
    public Answer {
        witness = List.copyOf(witness);
        remarks = List.copyOf(remarks);
    }

    static Answer of(Verdict verdict, String sentence) {
        return new Answer(verdict, sentence, -1, Idset.EMPTY, List.of(), List.of());
    }

    /** For a request that could not be read. */
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
