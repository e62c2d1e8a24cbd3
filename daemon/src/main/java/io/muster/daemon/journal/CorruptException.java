package io.muster.daemon.journal;

import java.io.IOException;

/**
 * Thrown if the state directory has contents that no crash of the daemon explains. Starting from them would lose or invent
 * changes.
 */
public final class CorruptException extends IOException {
    private final String file;
    private final int line;
    private final long offset;
    private final String sentence;
    private final boolean newer;

    /**
     * @param line number of the damaged line, counted from 1; 0 if the whole file is damaged
     * @param offset offset of the first byte of that line
     */
    public CorruptException(String file, int line, long offset, String sentence) {
        this(
                file,
                line,
                offset,
                sentence,
                "; `muster journal verify` lists all damage, `muster journal repair` repairs what it can",
                false);
    }

    private CorruptException(String file, int line, long offset, String sentence, String advice, boolean newer) {
        super(place(file, line, offset) + ": " + sentence + advice);
        this.file = file;
        this.line = line;
        this.offset = offset;
        this.sentence = sentence;
        this.newer = newer;
    }

    /** Returns the exception for a directory that may hold only a part of a state, because a copy to it has not finished. */
    static CorruptException unfinished(String directory) {
        return new CorruptException(
                JournalCopy.UNFINISHED,
                0,
                0,
                "a backup or a restore into " + directory + " has not finished",
                "; delete an unfinished backup, and repeat a restore with `muster restore --force`",
                false);
    }

    /** Returns the exception for a file in a format level that this version does not know. The file may be whole. */
    static CorruptException newer(String file, String sentence) {
        return new CorruptException(file, 0, 0, sentence, "; nothing has been changed", true);
    }

    /** Whether a later version can read the file, so that no repair may touch it. */
    boolean isNewer() {
        return newer;
    }

    public String file() {
        return file;
    }

    public int line() {
        return line;
    }

    public long offset() {
        return offset;
    }

    /** Returns what is wrong, without the place and the advice. */
    public String sentence() {
        return sentence;
    }

    /** The file and, if it is known, the line with its offset. */
    String place() {
        return place(file, line, offset);
    }

    static String place(String file, int line, long offset) {
        return line == 0 ? file : file + " line " + line + " (byte " + offset + ")";
    }
}
