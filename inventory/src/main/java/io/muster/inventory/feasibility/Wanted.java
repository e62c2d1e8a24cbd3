package io.muster.inventory.feasibility;

import io.muster.inventory.request.Resource;

/**
 * A requested item that must fit into single hosts.
 *
 * @param need number of copies in total: the count of the item times the counts of the vertices around it
 */
record Wanted(Resource item, long need) {}
