/**
 * The strict reader of JSON documents, the reader of the members of JSON objects, and the pointers that name the places of
 * faults. Depends on the problem package only. All of it may be used from any thread.
 */
@NullMarked
package io.muster.inventory.json;

import org.jspecify.annotations.NullMarked;
