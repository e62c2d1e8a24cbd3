package io.muster.inventory.feasibility;

import io.muster.inventory.request.Resource;

/**
 * A requested item that single hosts must hold.
 *
 * @param need total number: the item's count times the counts of the vertices around it
 */
record Wanted(Resource item, long need) {}
