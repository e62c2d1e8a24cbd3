/**
 * Answers to questions about the present, as people and programs read them: the state of each host, why a host is not up, why a change
 * was refused, and events as sentences. Depends on the whole state and the packages below it; the time comes in as an argument. Every
 * function is pure and every value immutable, so any thread may use them.
 */
@NullMarked
package io.muster.inventory.status;

import org.jspecify.annotations.NullMarked;
