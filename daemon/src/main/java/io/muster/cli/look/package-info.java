/**
 * Verbs that ask about the inventory and change nothing. Depends on terminal and ask. Runs on the main thread.
 */
@NullMarked
package io.muster.cli.look;

import org.jspecify.annotations.NullMarked;
