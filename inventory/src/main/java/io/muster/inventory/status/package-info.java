/**
 * The status package answers questions about the present, for people and programs: the state of each host, why a host is not
 * up, why a change was refused, events as sentences, and the resource graph with the current notes and conditions of its
 * vertices. It depends on the whole state and the packages below it; the current time is always an argument. Every value is
 * immutable, so any thread may use it.
 */
@NullMarked
package io.muster.inventory.status;

import org.jspecify.annotations.NullMarked;
