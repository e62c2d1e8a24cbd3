package io.muster.inventory.state;

import io.muster.inventory.axis.Acquisition;
import io.muster.inventory.axis.Holds;
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
 * @param plans the planned holds, which have not begun
 * @param attempts the highest number of an attempt that was given to a hold
 * @param extras members that another version wrote and this version does not know
 */
record Bookkeeping(
        Level level,
        ChangeIds ids,
        SortedMap<String, Acquisition> acquisitions,
        Notes notes,
        Holds plans,
        long attempts,
        Extras extras) {
    Bookkeeping {
        acquisitions = Collections.unmodifiableSortedMap(acquisitions);
    }

    static Bookkeeping at(Level level) {
        return new Bookkeeping(level, ChangeIds.NONE, new TreeMap<>(), Notes.NONE, Holds.NO_PLANS, 0, Extras.NONE);
    }

    Bookkeeping with(Level other) {
        return new Bookkeeping(other, ids, acquisitions, notes, plans, attempts, extras);
    }

    Bookkeeping with(ChangeIds.Given given) {
        return new Bookkeeping(level, ids.with(given), acquisitions, notes, plans, attempts, extras);
    }

    Bookkeeping with(Notes next) {
        return new Bookkeeping(level, ids, acquisitions, next, plans, attempts, extras);
    }

    Bookkeeping with(Holds next) {
        return new Bookkeeping(level, ids, acquisitions, notes, next, attempts, extras);
    }

    Bookkeeping withAttempt(long number) {
        return new Bookkeeping(level, ids, acquisitions, notes, plans, Math.max(attempts, number), extras);
    }

    Bookkeeping with(Acquisition acquisition) {
        SortedMap<String, Acquisition> next = new TreeMap<>(acquisitions);
        next.put(acquisition.owner(), acquisition);
        return new Bookkeeping(level, ids, next, notes, plans, attempts, extras);
    }

    Bookkeeping withoutAcquisition(String owner) {
        SortedMap<String, Acquisition> next = new TreeMap<>(acquisitions);
        next.remove(owner);
        return new Bookkeeping(level, ids, next, notes, plans, attempts, extras);
    }
}
