package io.muster.daemon.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** Files that others wrote: read whole, but not without end, and with a sentence for what is in the way. */
public final class SourceFile {
    /** As long as a line of the journal may be: a longer R could not be kept, and the heap is no place to find out. */
    private static final ByteSize LARGEST = new ByteSize(128L << 20);

    private SourceFile() {}

    /**
     * For a daemon that has others to serve.
     *
     * @throws IOException for devices and the like too, which may never end
     */
    public static byte[] read(Path path) throws IOException {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new IOException("is not a file");
        }
        if (Files.exists(path) && Files.size(path) > LARGEST.bytes()) {
            throw new IOException("is larger than " + LARGEST + ", which is as much as the journal takes");
        }
        return Files.readAllBytes(path);
    }

    /** What is in the way; to be said after the file's name. */
    public static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such file";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "is there already, as something else";
        }
        if (e instanceof NotDirectoryException) {
            return "is not a directory";
        }
        String said = e instanceof FileSystemException of && of.getReason() != null ? of.getReason() : e.getMessage();
        return String.valueOf(said);
    }

    /** The same with the file's name before it, where the failure knows one. */
    public static String sentence(IOException e) {
        String file = e instanceof FileSystemException of ? of.getFile() : null;
        return file == null ? reason(e) : file + ": " + reason(e);
    }
}
