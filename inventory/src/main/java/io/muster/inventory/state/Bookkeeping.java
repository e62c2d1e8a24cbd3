package io.muster.inventory.state;

import io.muster.inventory.json.Extras;
import io.muster.inventory.level.Level;

/**
 * What the state says of its own history.
 *
 * @param level the level in which the state directory is written
 * @param extras what another version wrote of the state
 */
record Bookkeeping(Level level, ChangeIds ids, Extras extras) {
    static Bookkeeping at(Level level) {
        return new Bookkeeping(level, ChangeIds.NONE, Extras.NONE);
    }

    Bookkeeping with(Level other) {
        return new Bookkeeping(other, ids, extras);
    }

    Bookkeeping with(ChangeIds.Given given) {
        return new Bookkeeping(level, ids.with(given), extras);
    }
}
