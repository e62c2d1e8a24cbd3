/**
 * The etcd package implements the ledger on an etcd cluster, which several daemons share: one of them leads and writes, the
 * others follow. The package depends on the ledger and journal packages, because each daemon keeps a complete copy in the
 * files of a journal, on the protocol's tls package for keys, and on the JDK and Jackson. {@code EtcdLedger} may be used from any thread; its threads
 * {@code ledger}, {@code lease} and {@code upload} wait for etcd, and each object that it uses belongs to one of these
 * threads.
 *
 * <h2>Keys</h2>
 *
 * <pre>
 * PREFIX/
 *   id                    the ledger's id, written once; the last key that an import writes
 *   leader                who leads, with the lease of the leader; its mod revision is the term
 *   head                  {"seq":4711,"txn":"1f-12-9ac3"}: the last event, and the id of the transaction that wrote it
 *   log/0000000000004699  the lines of one transaction, as the file journal writes them, after a head that names the transaction before
 *   part/TXN/0000         pieces of lines over 1 MiB; they count only if a key below log names them
 *   snapshot              which snapshots count: the current one and the one before; the terms of all events up to the current one
 *   snapshot/TXN/0000     the pieces of a snapshot
 *   clock                 the time of the leader, written by the leader every 15 seconds
 *   member/ID             a daemon: its host, URIs, version and format level; with a lease
 * </pre>
 *
 * <h2>What keeps it safe</h2>
 *
 * <ul>
 *   <li>Every write but that of {@code member/} is a transaction on the condition that {@code leader} was last written in
 *       the writer's own term. No daemon writes {@code leader} while it exists, and revisions only grow, so a former leader
 *       can write nothing.
 *   <li>A write of the log also requires that {@code head} is as the writer's last transaction left it. So a transaction can be sent again
 *       over any member, and is carried out at most once.
 *   <li>No decision depends on a lease, on a clock or on a watch. A lease only ends the key of a leader that no longer runs, and a
 *       daemon whose clock is far from {@code clock} only lets others try to lead first.
 *   <li>Every transaction names the one before it. A daemon whose own last transaction is not in the log stops following. If the log does
 *       not reach back to this transaction, the terms beside the snapshot show whether the ledger has it ({@code Terms}).
 * </ul>
 */
@NullMarked
package io.muster.daemon.etcd;

import org.jspecify.annotations.NullMarked;
