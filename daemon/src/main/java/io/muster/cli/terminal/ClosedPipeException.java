package io.muster.cli.terminal;

/** Thrown if the reader of the output has closed the pipe. This is no error, and nothing is printed about it. */
public final class ClosedPipeException extends RuntimeException {
    ClosedPipeException(Throwable cause) {
        super(cause);
    }
}
