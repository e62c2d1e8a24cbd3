package io.muster.cli.terminal;

/** The exit statuses, on which scripts depend and which `muster --help` lists. */
public final class Exit {
    public static final int OK = 0;
    public static final int ERROR = 1;
    public static final int USAGE = 2;
    public static final int NO_TARGET = 4;
    public static final int CONFLICT = 5;
    public static final int DENIED = 6;
    public static final int UNREACHABLE = 7;
    public static final int READ_ONLY = 8;
    /** Part of the history that the user asked for is missing. */
    public static final int INCOMPLETE = 9;

    /** The verb timed out. timeout(1) uses the same status. */
    public static final int TIMED_OUT = 124;

    /** The reader of the output closed the pipe. A shell reports a process that SIGPIPE ended with the same status. */
    public static final int CLOSED_PIPE = 141;

    private Exit() {}
}
