/**
 * The history package answers questions about the past: when hosts were drained, excluded or offline, why, and for how long
 * in total. It depends on the whole state and the packages below the state; the current time is always an argument. Values
 * are immutable and any thread may read them; a chronicle and totals belong to the thread that adds to them.
 */
@NullMarked
package io.muster.inventory.history;

import org.jspecify.annotations.NullMarked;
