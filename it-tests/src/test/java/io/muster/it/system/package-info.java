/**
 * What only a whole daemon can show: a real process on a real disk, killed, starved, lied to and overrun. Depends on every
 * module. Each test starts what it needs on sockets and directories of its own, and ends it.
 */
@NullMarked
package io.muster.it.system;

import org.jspecify.annotations.NullMarked;
