package io.muster.daemon.core;

import io.muster.daemon.ledger.Outcome;
import io.muster.inventory.state.Decision.Rejection;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of a command. */
public sealed interface Answer {
    /** Returns the error response for this result; null if the command was carried out. */
    @Nullable
    RpcException error();

    /**
     * The command was carried out.
     *
     * @param entries the entries that the command wrote, now on disk; empty if nothing had to change
     * @param before the state before these entries
     * @param after the state after these entries
     */
    record Done(List<Entry> entries, InventoryState before, InventoryState after) implements Answer {
        @Override
        public @Nullable RpcException error() {
            return null;
        }
    }

    /** The command was refused. */
    record Rejected(Rejection rejection) implements Answer {
        @Override
        public RpcException error() {
            Errno errno = switch (rejection.kind()) {
                case INVALID -> Errno.EINVAL;
                case EXISTS -> Errno.EEXIST;
                case HELD_BY_OTHER -> Errno.EBUSY;
                case LIMIT, BRAKED -> Errno.EDQUOT;
                case FORGOTTEN -> Errno.EAGAIN;
                case STALE -> Errno.ESTALE;
            };
            return new RpcException(errno, rejection.text());
        }
    }

    /**
     * A valid command could not be carried out.
     *
     * @param text one sentence for the user that sent the command
     */
    record Failed(Kind kind, String text) implements Answer {
        public enum Kind {
            /** The ledger refuses writes. Trying again helps only after its disk, or etcd, has been repaired. */
            LEDGER,
            /** Too many changes wait for the ledger. Trying again a little later helps. */
            BUSY,
            /** Another daemon makes the changes, or may make them. The text names that daemon if it is known. */
            ELSEWHERE,
            /** The command needs an entry that is longer than the ledger accepts. Trying again never helps. */
            TOO_LONG
        }

        /**
         * The answer to a change that is not durable.
         *
         * @param elsewhere why this daemon makes no changes now; null if it makes them
         */
        static Failed of(Outcome outcome, @Nullable Failed elsewhere) {
            if (!outcome.elsewhere()) {
                return new Failed(Kind.LEDGER, outcome.reason());
            }
            return elsewhere == null ? new Failed(Kind.ELSEWHERE, outcome.reason()) : elsewhere;
        }

        @Override
        public RpcException error() {
            Errno errno = switch (kind) {
                case LEDGER -> Errno.EROFS;
                case BUSY -> Errno.EAGAIN;
                case ELSEWHERE -> Errno.EREMOTE;
                case TOO_LONG -> Errno.EINVAL;
            };
            return new RpcException(errno, text);
        }
    }
}
