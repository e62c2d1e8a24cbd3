/**
 * The only interface between the journal and the file system: every file operation that the journal makes, and their implementation for a
 * real directory. The package also contains the names of sockets, which are locked like a state directory. Depends on the JDK only. A
 * disk may be used from any thread, an open file by one thread at a time.
 */
@NullMarked
package io.muster.daemon.journal.disk;

import org.jspecify.annotations.NullMarked;
