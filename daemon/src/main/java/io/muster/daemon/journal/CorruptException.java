package io.muster.daemon.journal;

import java.io.IOException;

/** The state directory holds something that no crash of ours explains; starting from it would lose or invent changes. */
public final class CorruptException extends IOException {
    private final String file;
    private final int line;
    private final long offset;
    private final String sentence;

    /**
     * @param line 1-based; 0 when it is about the whole file
     * @param offset of the first byte of that line
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

    /** The directory may hold a part of a state only. */
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

    static String place(String file, int line, long offset) {
        return line == 0 ? file : file + " line " + line + " (byte " + offset + ")";
    }
}
