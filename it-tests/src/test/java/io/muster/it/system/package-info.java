/**
 * Tests that need a whole daemon: a real process on a real disk. The tests kill it, limit its resources, send it malformed data and
 * overload it. Depends on every module.
 * Each test starts what it needs on its own sockets and directories, and ends it.
 */
@NullMarked
package io.muster.it.system;

import org.jspecify.annotations.NullMarked;
