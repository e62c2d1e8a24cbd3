package io.muster.daemon.service;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Work that waits because it takes long. Users take turns, so that a user with much work delays only that user's own work. The
 * accounts of the users limit how much waits.
 */
final class FairQueue<U, W> {
    private final Map<U, Set<W>> waiting = new LinkedHashMap<>();

    /** Adds work of a user after the user's other work, unless it waits already. */
    void add(U user, W work) {
        waiting.computeIfAbsent(user, each -> new LinkedHashSet<>()).add(work);
    }

    /** Removes work whose client has gone; returns whether it waited. */
    boolean remove(U user, W work) {
        Set<W> ofUser = waiting.get(user);
        if (ofUser == null || !ofUser.remove(work)) {
            return false;
        }
        if (ofUser.isEmpty()) {
            waiting.remove(user);
        }
        return true;
    }

    /**
     * Removes and returns the oldest work of the next user, who goes to the end of the queue; null if there is none.
     *
     * @param may whether the work of a user may begin now; users whose work may not keep their places
     */
    @Nullable
    W next(Predicate<U> may) {
        Map.Entry<U, Set<W>> first = waiting.entrySet().stream()
                .filter(each -> may.test(each.getKey()))
                .findFirst()
                .orElse(null);
        if (first == null) {
            return null;
        }
        U user = first.getKey();
        Set<W> ofUser = first.getValue();
        W work = ofUser.iterator().next();
        waiting.remove(user);
        ofUser.remove(work);
        if (!ofUser.isEmpty()) {
            waiting.put(user, ofUser);
        }
        return work;
    }

    /** Returns how much work of a user waits. */
    int of(U user) {
        return waiting.getOrDefault(user, Set.of()).size();
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    List<W> removeAll() {
        List<W> all = new ArrayList<>();
        waiting.values().forEach(all::addAll);
        waiting.clear();
        return all;
    }
}
