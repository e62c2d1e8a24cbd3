package io.muster.daemon.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;

/** Reads files that users name, up to a limit, and describes failures in a sentence. */
public final class SourceFile {
    /** The longest line of the journal, because a longer R could not be journaled; reading more would only fill the heap. */
    private static final ByteSize LARGEST = new ByteSize(128L << 20);

    private SourceFile() {}

    /**
     * Reads a whole file for the daemon.
     *
     * @throws IOException also if the file is not a regular one: reading a pipe may never end, which would block the daemon
     */
    public static byte[] read(Path path) throws IOException {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new FileSystemException(path.toString(), null, "is not a file");
        }
        return read(path, LARGEST);
    }

    /** Reads a whole file for a user, who may also name a pipe, such as {@code <(command)}, or a device. */
    public static byte[] readAny(Path path) throws IOException {
        return read(path, LARGEST);
    }

    static byte[] read(Path path, ByteSize largest) throws IOException {
        if (Files.isDirectory(path)) {
            throw new FileSystemException(path.toString(), null, "is a directory");
        }
        if (Files.exists(path) && Files.size(path) > largest.bytes()) {
            throw new FileSystemException(path.toString(), null, tooLarge(largest));
        }
        try (InputStream in = Files.newInputStream(path)) {
            return read(in, largest, Files.isRegularFile(path) ? (int) Files.size(path) : 0);
        }
    }

    /** Reads a stream to its end. */
    public static byte[] read(InputStream in) throws IOException {
        return read(in, LARGEST, 0);
    }

    /** @param expected the size of the content, as far as it is known: more than one copy of a large R would fill the heap */
    private static byte[] read(InputStream in, ByteSize largest, int expected) throws IOException {
        // Not by readNBytes, which asks for the number of available bytes. For a pipe, the JDK then asks for a position
        // and fails.
        byte[] all = new byte[expected];
        int size = 0;
        byte[] chunk = new byte[1 << 16];
        for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
            if (size + n > largest.bytes()) {
                throw new IOException(tooLarge(largest));
            }
            all = size + n <= all.length ? all : Arrays.copyOf(all, Math.max(size + n, 2 * all.length));
            System.arraycopy(chunk, 0, all, size, n);
            size += n;
        }
        return size == all.length ? all : Arrays.copyOf(all, size);
    }

    private static String tooLarge(ByteSize largest) {
        return "larger than the limit of " + largest;
    }

    /** Returns why a file operation failed, to be printed after the file's name. */
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

    /** Returns why a file operation failed, with the file's name in front if the exception has one. */
    public static String sentence(IOException e) {
        String file = e instanceof FileSystemException of ? of.getFile() : null;
        return file == null ? reason(e) : file + ": " + reason(e);
    }
}
