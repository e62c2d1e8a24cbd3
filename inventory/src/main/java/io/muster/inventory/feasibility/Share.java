package io.muster.inventory.feasibility;

import io.muster.inventory.idset.Idset;

/**
 * A part of a witness: each of {@code ranks} holds {@code each} of {@code what}.
 *
 * @param what the vertex of the request that is placed: "slot" with its label, "node", or a resource type
 */
public record Share(String what, Idset ranks, long each) {}
