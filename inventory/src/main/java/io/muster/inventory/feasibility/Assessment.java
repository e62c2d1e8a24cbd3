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
 * @param remarks further facts for the user, such as the inventory's expiration
 */
public record Assessment(Verdict verdict, String sentence, long mostSlots, Idset hosts, List<String> remarks) {
    public Assessment {
        remarks = List.copyOf(remarks);
    }

    static Assessment of(Verdict verdict, String sentence) {
        return new Assessment(verdict, sentence, -1, Idset.EMPTY, List.of());
    }

    /** Returns the answer to a request that could not be read. */
    public static Assessment invalid(String sentence) {
        return of(Verdict.INVALID, sentence);
    }

    Assessment with(Verdict other, String otherSentence) {
        return new Assessment(other, otherSentence, mostSlots, hosts, remarks);
    }

    Assessment remarking(String remark) {
        List<String> more = new ArrayList<>(remarks);
        more.add(remark);
        return new Assessment(verdict, sentence, mostSlots, hosts, more);
    }
}
