/**
 * The ledger package holds the verbs of {@code muster ledger}, which maintain a ledger on etcd. It depends on the etcd and
 * journal packages, and on the configuration, which has the addresses of etcd. It runs on the thread of the command.
 */
@NullMarked
package io.muster.cli.ledger;

import org.jspecify.annotations.NullMarked;
