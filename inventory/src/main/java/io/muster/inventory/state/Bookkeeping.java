package io.muster.inventory.state;

import io.muster.inventory.axis.Acquisition;
import io.muster.inventory.axis.Boot;
import io.muster.inventory.axis.Holds;
import io.muster.inventory.axis.Notes;
import io.muster.inventory.idset.SortedTree;
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
 * @param boots the boot id that each host of R has reported last, by host
 * @param extras members that another version wrote and this version does not know
 */
record Bookkeeping(
        Level level,
        ChangeIds ids,
        SortedMap<String, Acquisition> acquisitions,
        Notes notes,
        Holds plans,
        long attempts,
        SortedTree<String, Boot> boots,
        Extras extras) {
    static Bookkeeping at(Level level) {
        return new Bookkeeping(
                level, ChangeIds.NONE, new TreeMap<>(), Notes.NONE, Holds.NO_PLANS, 0, SortedTree.empty(), Extras.NONE);
    }

    Bookkeeping with(Level other) {
        return new Bookkeeping(other, ids, acquisitions, notes, plans, attempts, boots, extras);
    }

    Bookkeeping with(ChangeIds.Given given) {
        return new Bookkeeping(level, ids.with(given), acquisitions, notes, plans, attempts, boots, extras);
    }

    Bookkeeping with(Notes next) {
        return new Bookkeeping(level, ids, acquisitions, next, plans, attempts, boots, extras);
    }

    Bookkeeping with(Holds next) {
        return new Bookkeeping(level, ids, acquisitions, notes, next, attempts, boots, extras);
    }

    Bookkeeping withAttempt(long number) {
        return new Bookkeeping(level, ids, acquisitions, notes, plans, Math.max(attempts, number), boots, extras);
    }

    Bookkeeping with(Acquisition acquisition) {
        SortedMap<String, Acquisition> next = new TreeMap<>(acquisitions);
        next.put(acquisition.owner(), acquisition);
        return new Bookkeeping(level, ids, Collections.unmodifiableSortedMap(next), notes, plans, attempts, boots, extras);
    }

    Bookkeeping withoutAcquisition(String owner) {
        SortedMap<String, Acquisition> next = new TreeMap<>(acquisitions);
        next.remove(owner);
        return new Bookkeeping(level, ids, Collections.unmodifiableSortedMap(next), notes, plans, attempts, boots, extras);
    }

    Bookkeeping with(SortedTree<String, Boot> next) {
        return new Bookkeeping(level, ids, acquisitions, notes, plans, attempts, next, extras);
    }
}
