/**
 * The journal package implements the ledger with files in the state directory. The directory has every change that was
 * responded to, even after a crash, a power loss or a failed write. It depends on the JDK, Jackson and the problem, json and
 * level packages, and does not use the inventory: to the journal, an event is a line of text.
 * {@link io.muster.daemon.journal.Journal} may be used from any thread and does its work on a thread of its own,
 * {@code journal}; everything else may be used only by the thread that created it.
 *
 * <h2>Files</h2>
 *
 * <pre>
 * state-dir/
 *   lock                          held by the running daemon: "pid 4711 on host7 since 2026-01-31T12:00:00Z"
 *   snapshot.json                 the state as of one seq
 *   snapshot.prev.json            the previous snapshot, for `muster journal repair`
 *   snapshot.2026-01.json         the first snapshot of a month, for the history after it
 *   journal/
 *     0000000000000001.log        a segment, named by the seq of its first event
 *     0000000000000001.log.hosts  an index of the segment for questions about the past; costs only time if it is missing
 *     0000000000000001.log.sums   what happened to hosts in the segment, for questions about availability; as above
 *     0000000000004711.log        ... the last one is in use, the others end where the next one begins
 *   quarantine/                   copies of everything that was ever cut off or replaced
 *   retention                     empty; locked while history is deleted or copied
 *   unfinished                    a copy to this directory has not finished, so no daemon starts here
 *   *.tmp                         files not finished yet; deleted at start
 * </pre>
 *
 * <h2>A segment</h2>
 *
 * <pre>
 * 34a44178 {"timestamp":1700000000.000000,"name":"journal-segment","context":{"version":1,"first":1,"needs":"0.1.0"}}
 * c86b6a6e {"seq":1,"durable":0,"timestamp":1700000001.123456,"name":"drain","context":{"idset":"3",...}}
 * 8748fae2 {"seq":2,"durable":1,"more":1,"timestamp":1700000002.5,"name":"exclude","context":{...}}
 * 9645f6e6 {"seq":3,"durable":1,"timestamp":1700000002.5,"name":"undrain","context":{...}}
 * |        |                                                                               |
 * |        RFC 18 event with the journal's three keys put first                            newline
 * CRC32C of the JSON, eight lower-case hex digits, one space
 * </pre>
 *
 * {@code version} is the {@link io.muster.inventory.level.Level} of the lines up to an event {@code upgrade}, which raises it. {@code
 * needs} names the first version of Muster that reads the level. A new segment has the level of the newest snapshot.
 *
 * {@code cut -c10- | jq} and {@code grep '"name":"drain"'} are debugging tools. The journal's keys:
 * <ul>
 *   <li>{@code seq} counts events from 1, without a gap, over all segments. The head line has none.
 *   <li>{@code durable} is the last seq that was known to be on disk when the line was written. All lines of one write
 *       share this value, and the first seq of a write is one more. This key distinguishes a torn tail from damage, see below.
 *   <li>{@code more} is the number of lines of the same command that follow; absent means none. A command is recovered whole or not
 *       at all, and never spans two writes or two segments.
 * </ul>
 *
 * <h2>A snapshot</h2>
 *
 * <pre>
 * {"crc32c":"b97985f8",                                    of all bytes after this line
 * "version":1,"needs":"0.1.0","seq":4711,"timestamp":1700000003.000000,
 * "state":{...}}
 * </pre>
 *
 * A snapshot is written to a temporary file, forced and renamed, and the directory is forced; then a new segment, with its
 * head, is created in the same way. Replay starts with the event after {@code seq}. Segments before that are history: they
 * are never read at start, and deleted by age and total size once the previous snapshot does not need them. The first
 * snapshot of each month is kept too, until the events after it are deleted: where earlier events are deleted, history
 * begins with that snapshot's state. A start does not read it.
 *
 * <h2>What a start does</h2>
 *
 * <ol>
 *   <li>Locks the directory, deletes unfinished files, reads the snapshot, finds the segment with the event after it.
 *   <li>Continues to read from there. Every line must have its checksum and the next seq, every group its end.
 *   <li>A first bad line in the last segment is a <em>torn tail</em> if the rest of the file is what a power loss leaves of
 *       writes that were never forced: bytes missing at the end or zero, and no intact line further on whose
 *       {@code durable} covers the bad one. The start cuts off the tail from the start of its command, warns, and keeps a copy in
 *       quarantine. No change in a torn tail was ever responded to.
 *   <li>Anything else is damage. The daemon refuses to start and changes nothing: cutting there would take back changes that
 *       were responded to. One flipped bit in the last line is damage too, since a crash does not flip bits.
 *   <li>Lines that no other line calls durable are written again in place and forced before the journal opens. An
 *       earlier daemon may have stopped after a failed fsync, after which the kernel shows pages that are on no disk.
 * </ol>
 *
 * A daemon also refuses to start from a damaged snapshot, although the previous one and its segments are kept: it cannot know
 * whether the journal reaches as far as the damaged snapshot did. The operator decides, with {@code muster journal repair},
 * which goes back to the previous snapshot and replays the journal.
 *
 * <h2>When the disk fails</h2>
 *
 * <p>A change is responded to after its force and never before. If a write or force fails, the journal refuses its change and
 * every change that was decided on top of it ({@link io.muster.daemon.ledger.Outcome}). A refused change must not come back
 * at a restart, so the journal at once cuts the file back to where the last force left it, and forces the cut.
 * <ul>
 *   <li><em>The write failed</em> (disk full, quota): cutting back needs no room, so no reserve is kept for it. The journal
 *       is {@code READ_ONLY}: it tries the next batch, which succeeds when there is room again. A probe tries without waiting.
 *   <li><em>The force failed.</em> Linux reports it once and may mark the pages clean, so forcing again proves nothing, and
 *       neither would a restart, which reads the same page cache. Before the end of the last successful force, however, only the
 *       block in which it ended is in doubt. After cutting back, that block is written again (dirty once
 *       more), forced, and the whole segment read and checked. Only if all of that works is the journal
 *       {@code READ_ONLY} as above. A start writes the block again too: the last process may have ended before it could.
 *   <li><em>Cutting back failed.</em> {@code UNCERTAIN}: every batch and probe first tries again to cut back. Until that
 *       works nothing is written, and a restart may find the refused change. If the disk accepts writes and the condition stays
 *       (the file system was remounted, the directory replaced), only a restart helps, and {@code status()} says why.
 *   <li><em>A snapshot failed</em>: the previous one stays in use, the journal continues, and no history is deleted.
 *   <li><em>No new segment can be begun</em>: the journal continues in the old one, with a warning.
 *   <li><em>The directory or the lock was removed</em> or replaced while the daemon runs: the journal notices before it writes a group
 *       or a snapshot, and every two seconds. Nothing is written then.
 *   <li><em>A bug</em>: {@code BROKEN}, everything is refused until a restart.
 * </ul>
 *
 * <p>A command that was not responded to when the machine or the daemon died may or may not be in the journal afterwards:
 * its outcome is unknown, and its sender has to query the inventory.
 */
@NullMarked
package io.muster.daemon.journal;

import org.jspecify.annotations.NullMarked;
