package io.muster.daemon.cli.console;

/** Whoever read our output has stopped: nothing is wrong, and nobody is left to tell. */
public final class ClosedPipeException extends RuntimeException {
    ClosedPipeException(Throwable cause) {
        super(cause);
    }
}
