/**
 * The strict reader of JSON documents, and how faults in them are named. Depends on the problem package only.
 * All of it may be used from any thread.
 */
@NullMarked
package io.muster.inventory.json;

import org.jspecify.annotations.NullMarked;
