package io.muster.inventory.request.feasibility;

import io.muster.inventory.request.Resource;

/**
 * Something that single hosts are asked to hold.
 *
 * @param need how many in all: its own count times those of what is around it
 */
record Wanted(Resource item, long need) {}
