package io.muster.inventory.state;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.SortedTree;

/**
 * The part of the inventory that a scheduler may know. The responses and updates that schedulers are sent are computed from
 * this view alone.
 *
 * @param members ranks offered to schedulers
 * @param up members whose resources may be allocated
 * @param lost ranks that left for good (RFC 28 {@code shrink})
 * @param properties ranks by name of the property, as in R; may contain ranks that are not members
 * @param expiration seconds since the epoch, 0 for never
 */
public record SchedulerView(
        Idset members, Idset up, Idset lost, SortedTree<String, Idset> properties, double expiration) {}
