package io.muster.inventory.state;

import io.muster.inventory.idset.Idset;
import java.util.SortedMap;

/**
 * What a scheduler may know of the inventory: what streams are told, and the only thing that they are told from.
 *
 * @param members ranks on offer
 * @param up members that may be allocated from
 * @param lost ranks that left for good (RFC 28 {@code shrink})
 * @param properties names to ranks, as in R; may name ranks that are not members
 * @param expiration seconds since the epoch, 0 for never
 */
public record SchedulerView(
        Idset members, Idset up, Idset lost, SortedMap<String, Idset> properties, double expiration) {}
