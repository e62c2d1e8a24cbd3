package io.muster.inventory.status;

import io.muster.inventory.idset.Idset;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What a scheduler believes about the resources, as the reporter beside it has read it from the scheduler.
 *
 * @param known the ranks that it knows
 * @param down the ranks of {@code known} that are down as a whole
 * @param parts the ranks on which a part is down, by names such as {@code gpu3}, without the ranks that are down as a whole; null if the
 *     scheduler knows no parts that are down
 * @param properties the ranks by property
 */
public record Belief(
        Idset known, Idset down, @Nullable SortedMap<String, Idset> parts, SortedMap<String, Idset> properties) {}
