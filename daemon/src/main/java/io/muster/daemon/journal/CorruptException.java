package io.muster.daemon.journal;

import java.io.IOException;

/** The state directory holds something that no crash of the daemon explains; starting from it would lose or invent changes. */
public final class CorruptException extends IOException {
    private final String file;
    private final int line;
    private final long offset;
    private final String sentence;

    /**
     * @param line the number of the damaged line, counted from 1; 0 when the whole file is meant
     * @param offset the offset of the first byte of that line
     */
    public CorruptException(String file, int line, long offset, String sentence) {
        this(
                file,
                line,
                offset,
                sentence,
                "; `muster journal verify` lists all damage, `muster journal repair` mends what can be mended");
    }

    private CorruptException(String file, int line, long offset, String sentence, String advice) {
        super(place(file, line, offset) + ": " + sentence + advice);
        this.file = file;
        this.line = line;
        this.offset = offset;
        this.sentence = sentence;
    }

    /** Returns the exception for a directory that may hold only a part of a state, because a copy to it has not finished. */
    static CorruptException unfinished(String directory) {
        return new CorruptException(
                JournalCopy.UNFINISHED,
                0,
                0,
                "a backup or a restore into " + directory + " has not finished",
                "; delete an unfinished backup, and repeat a restore with `muster restore --force`");
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

    /** What is wrong, without the place and the advice. */
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
