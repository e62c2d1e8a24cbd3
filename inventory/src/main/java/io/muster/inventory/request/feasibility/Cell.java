package io.muster.inventory.request.feasibility;

import io.muster.inventory.idset.Idset;

/** The ranks whose nodes are of one kind. */
record Cell(Kind kind, Idset ranks) {}
