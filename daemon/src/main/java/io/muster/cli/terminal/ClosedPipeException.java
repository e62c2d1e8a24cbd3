package io.muster.cli.terminal;

/** The reader of the output has closed the pipe. This is not an error, and there is nobody to tell. */
public final class ClosedPipeException extends RuntimeException {
    ClosedPipeException(Throwable cause) {
        super(cause);
    }
}
