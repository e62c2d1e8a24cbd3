package io.muster.daemon.etcd;

import io.muster.daemon.ledger.Leader;
import io.muster.daemon.machine.Machine;
import java.time.Duration;
import java.time.InstantSource;

/**
 * The settings of a ledger on etcd.
 *
 * @param prefix the beginning of all keys, with a slash at the end
 * @param self how this daemon presents itself to others
 * @param ttl how long the lease of a daemon lasts after the daemon has ended
 * @param patience how long the outcome of a change may stay open
 * @param allowOld whether a version of etcd with known faults is accepted
 * @param compact whether the leader compacts etcd after a snapshot
 * @param snapshotEvery how many events the log may hold before a snapshot is written to etcd
 * @param clock the clock of this daemon, which is never behind the last event
 * @param machine runs the threads of the ledger
 */
public record EtcdSettings(
        EtcdAccess access,
        String prefix,
        Leader self,
        Duration ttl,
        Duration patience,
        boolean allowOld,
        boolean compact,
        int snapshotEvery,
        InstantSource clock,
        Machine machine) {}
