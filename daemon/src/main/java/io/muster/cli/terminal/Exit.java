package io.muster.cli.terminal;

/** Exit statuses, on which scripts depend; `muster --help` lists them. */
public final class Exit {
    public static final int OK = 0;
    public static final int ERROR = 1;
    public static final int USAGE = 2;
    public static final int NO_TARGET = 4;
    public static final int CONFLICT = 5;
    public static final int DENIED = 6;
    public static final int UNREACHABLE = 7;
    public static final int READ_ONLY = 8;
    /** The history that was asked for is not known completely. */
    public static final int INCOMPLETE = 9;
    /** The status that timeout(1) uses. */
    public static final int TIMED_OUT = 124;

    /** The status by which a shell reports a process that SIGPIPE ended. */
    public static final int CLOSED_PIPE = 141;

    private Exit() {}
}
