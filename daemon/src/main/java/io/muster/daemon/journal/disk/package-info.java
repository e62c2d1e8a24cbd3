/**
 * The disk package is the only connection between the journal and the file system: it has every file operation that the
 * journal uses, and their implementation for a real directory. It also has the lock files of socket names, which are locked
 * like a state directory. It depends on the JDK only. A disk may be used from any thread, an open file by one thread at a
 * time.
 */
@NullMarked
package io.muster.daemon.journal.disk;

import org.jspecify.annotations.NullMarked;
