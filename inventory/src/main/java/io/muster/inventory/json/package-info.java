/**
 * The strict reader of JSON documents, the reader of the members of JSON objects, the pointers that name the places of faults, and the
 * check that other programs can read a document. Depends on the problem package only. Everything here may be used on any thread.
 */
@NullMarked
package io.muster.inventory.json;

import org.jspecify.annotations.NullMarked;
