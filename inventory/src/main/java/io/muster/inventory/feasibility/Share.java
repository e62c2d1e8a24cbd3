package io.muster.inventory.feasibility;

import io.muster.inventory.idset.Idset;

/**
 * A part of a placement: each of {@code ranks} holds {@code each} copies of {@code what}.
 *
 * @param what the vertex of the request that is placed: "slot" with its label, "node", or a resource type
 */
record Share(String what, Idset ranks, long each) {}
