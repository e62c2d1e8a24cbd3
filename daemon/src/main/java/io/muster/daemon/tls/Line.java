package io.muster.daemon.tls;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The handshakes that wait for their turn: addresses have their turn one after the other, and of each address the handshake that has waited
 * longest. So many connections from one address delay no other address. Used on the thread {@code network}.
 */
final class Line {
    /** The number of handshakes that have had their turn and are not complete. Each takes some 100 kB. */
    static final int MOST_BEGUN = 1024;

    /** The handshakes of each address, the oldest first. The address whose turn it is comes first. */
    private final Map<String, Set<Turn>> waiting = new LinkedHashMap<>();

    private int begun;

    void add(Turn turn) {
        waiting.computeIfAbsent(turn.address(), key -> new LinkedHashSet<>()).add(turn);
    }

    /** Returns whether a handshake waits. */
    boolean waits() {
        return !waiting.isEmpty();
    }

    /** Returns whether as many handshakes have begun as may. */
    boolean isFull() {
        return begun >= MOST_BEGUN;
    }

    /** Removes the handshake whose turn it is, which begins. */
    Turn take() {
        Iterator<Map.Entry<String, Set<Turn>>> addresses = waiting.entrySet().iterator();
        Map.Entry<String, Set<Turn>> first = addresses.next();
        String address = first.getKey();
        Set<Turn> turns = first.getValue();
        Iterator<Turn> oldest = turns.iterator();
        Turn turn = oldest.next();
        oldest.remove();
        addresses.remove();
        if (!turns.isEmpty()) {
            waiting.put(address, turns); // behind the others
        }
        begun++;
        return turn;
    }

    /** Removes a handshake that is complete or was aborted. Must be called once for each. */
    void end(Turn turn) {
        if (turn.isBegun()) {
            begun--;
            return;
        }
        Set<Turn> turns = waiting.get(turn.address());
        if (turns != null) {
            turns.remove(turn);
            if (turns.isEmpty()) {
                waiting.remove(turn.address());
            }
        }
    }
}
