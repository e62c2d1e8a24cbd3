package io.muster.cli.terminal;

import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;

/** Thrown to end a verb with an exit status, a sentence and, if there is any, advice on what to do. */
public final class Failure extends RuntimeException {
    /** Advice for a user whose connection was refused. */
    public static final String MAY_CONNECT = "the owner and users with a [[grant]] may connect; root may if"
            + " access.allow-root-owner is set, and everybody if access.allow-guest-user is set";

    private final int exit;
    private final String advice;
    private boolean elsewhere;

    public Failure(int exit, String sentence) {
        this(exit, sentence, "");
    }

    /** @param advice a line of its own; "" for none */
    public Failure(int exit, String sentence, String advice) {
        super(sentence);
        this.exit = exit;
        this.advice = advice;
    }

    /** Returns the failure for an error response, with the exit status that corresponds to its error number. */
    public static Failure of(RpcException error, String advice) {
        int number = error.errno().value();
        if (number == Errno.EPERM.value() || number == Errno.EACCES.value()) {
            return new Failure(Exit.DENIED, error.sentence(), advice);
        }
        if (number == Errno.EEXIST.value() || number == Errno.EBUSY.value() || number == Errno.ESTALE.value()) {
            return new Failure(Exit.CONFLICT, error.sentence(), advice);
        }
        if (number == Errno.EROFS.value()) {
            return new Failure(
                    Exit.READ_ONLY,
                    error.sentence(),
                    "the daemon cannot write its ledger and takes no changes; it continues to answer queries");
        }
        if (number == Errno.ECANCELED.value() || number == Errno.EHOSTUNREACH.value()) {
            return new Failure(Exit.UNREACHABLE, error.sentence(), advice);
        }
        if (number == Errno.EREMOTE.value()) {
            Failure failure = new Failure(Exit.UNREACHABLE, error.sentence(), advice);
            failure.elsewhere = true;
            return failure;
        }
        if (number == Errno.ENOSYS.value()) {
            return new Failure(
                    Exit.ERROR,
                    error.sentence(),
                    "the server does not know this request; for a Flux broker, use `flux resource`");
        }
        return new Failure(Exit.ERROR, error.sentence(), advice);
    }

    /** Returns whether another daemon accepts the request. */
    public boolean isElsewhere() {
        return elsewhere;
    }

    public int exit() {
        return exit;
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }

    public String advice() {
        return advice;
    }
}
