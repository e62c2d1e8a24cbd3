package io.muster.inventory.state;

import io.muster.inventory.axis.Acquisition;
import io.muster.inventory.axis.Notes;
import io.muster.inventory.json.Extras;
import io.muster.inventory.level.Level;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The part of the state that schedulers are not sent.
 *
 * @param level the level in which the state directory is written
 * @param acquisitions the acquisitions that have an owner, by owner
 * @param notes the notes on vertices of the resource graph
 * @param extras members that another version wrote and this version does not know
 */
record Bookkeeping(
        Level level, ChangeIds ids, SortedMap<String, Acquisition> acquisitions, Notes notes, Extras extras) {
    Bookkeeping {
        acquisitions = Collections.unmodifiableSortedMap(acquisitions);
    }

    static Bookkeeping at(Level level) {
        return new Bookkeeping(level, ChangeIds.NONE, new TreeMap<>(), Notes.NONE, Extras.NONE);
    }

    Bookkeeping with(Level other) {
        return new Bookkeeping(other, ids, acquisitions, notes, extras);
    }

    Bookkeeping with(ChangeIds.Given given) {
        return new Bookkeeping(level, ids.with(given), acquisitions, notes, extras);
    }

    Bookkeeping with(Notes next) {
        return new Bookkeeping(level, ids, acquisitions, next, extras);
    }

    Bookkeeping with(Acquisition acquisition) {
        SortedMap<String, Acquisition> next = new TreeMap<>(acquisitions);
        next.put(acquisition.owner(), acquisition);
        return new Bookkeeping(level, ids, next, notes, extras);
    }

    Bookkeeping withoutAcquisition(String owner) {
        SortedMap<String, Acquisition> next = new TreeMap<>(acquisitions);
        next.remove(owner);
        return new Bookkeeping(level, ids, next, notes, extras);
    }
}
