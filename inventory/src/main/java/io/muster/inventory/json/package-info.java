/**
 * The json package reads JSON documents strictly and without loss, and writes them, reads the members of JSON objects, makes JSON
 * pointers that name the places of faults, and checks that other programs can read a document. It depends on the problem package only.
 * Any thread may use its classes.
 */
@NullMarked
package io.muster.inventory.json;

import org.jspecify.annotations.NullMarked;
