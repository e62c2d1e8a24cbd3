package io.muster.daemon.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** Reads files written by others, up to a limit of size, and describes failures in a sentence. */
public final class SourceFile {
    /** Size limit, equal to the longest line of the journal: a longer R could not be journaled, and reading it would only fill the heap. */
    private static final ByteSize LARGEST = new ByteSize(128L << 20);

    private SourceFile() {}

    /**
     * Reads a whole file.
     *
     * @throws IOException also if the file is not a regular one: reading a device may never end, which would block the daemon
     */
    public static byte[] read(Path path) throws IOException {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new IOException("is not a file");
        }
        if (Files.exists(path) && Files.size(path) > LARGEST.bytes()) {
            throw new IOException("is larger than " + LARGEST + ", the most that the journal can store");
        }
        return Files.readAllBytes(path);
    }

    /** Why a file operation failed; to be printed after the file's name. */
    public static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such file";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "already exists and is something else";
        }
        if (e instanceof NotDirectoryException) {
            return "is not a directory";
        }
        String said = e instanceof FileSystemException of && of.getReason() != null ? of.getReason() : e.getMessage();
        return String.valueOf(said);
    }

    /** Why a file operation failed, with the file's name in front if the exception has one. */
    public static String sentence(IOException e) {
        String file = e instanceof FileSystemException of ? of.getFile() : null;
        return file == null ? reason(e) : file + ": " + reason(e);
    }
}
