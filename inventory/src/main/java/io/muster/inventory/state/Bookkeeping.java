package io.muster.inventory.state;

import io.muster.inventory.axis.Acquisition;
import io.muster.inventory.json.Extras;
import io.muster.inventory.level.Level;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The part of the state that is about no rank.
 *
 * @param level the level in which the state directory is written
 * @param acquisitions the acquisitions that have an owner, by owner
 * @param extras what another version wrote of the state
 */
record Bookkeeping(Level level, ChangeIds ids, SortedMap<String, Acquisition> acquisitions, Extras extras) {
    Bookkeeping {
        acquisitions = Collections.unmodifiableSortedMap(acquisitions);
    }

    static Bookkeeping at(Level level) {
        return new Bookkeeping(level, ChangeIds.NONE, new TreeMap<>(), Extras.NONE);
    }

    Bookkeeping with(Level other) {
        return new Bookkeeping(other, ids, acquisitions, extras);
    }

    Bookkeeping with(ChangeIds.Given given) {
        return new Bookkeeping(level, ids.with(given), acquisitions, extras);
    }

    Bookkeeping with(Acquisition acquisition) {
        SortedMap<String, Acquisition> next = new TreeMap<>(acquisitions);
        next.put(acquisition.owner(), acquisition);
        return new Bookkeeping(level, ids, next, extras);
    }

    Bookkeeping withoutAcquisition(String owner) {
        SortedMap<String, Acquisition> next = new TreeMap<>(acquisitions);
        next.remove(owner);
        return new Bookkeeping(level, ids, next, extras);
    }
}
