package io.muster.daemon;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The directory in which Netty unpacks its native library. Netty does so at each start, into a file that it deletes as soon as it is
 * loaded. The directory needs some free space, on a file system from which programs may be run; {@code /tmp} often has neither.
 */
final class NativeLibrary {
    private static final String PROPERTY = "io.netty.native.workdir";

    /** Free space required, more than the library needs on any platform. */
    private static final int ROOM = 512 * 1024;

    private NativeLibrary() {}

    /**
     * Chooses the first usable directory, unless one was chosen on the command line. Must be called before any class of Netty is loaded.
     *
     * @throws IOException whose message says what is wrong with each directory
     */
    static void place(List<Path> directories) throws IOException {
        if (System.getProperty(PROPERTY) == null) {
            System.setProperty(PROPERTY, choose(directories).toAbsolutePath().toString());
        }
    }

    static Path choose(List<Path> directories) throws IOException {
        List<String> faults = new ArrayList<>();
        for (Path directory : directories) {
            String fault = fault(directory);
            if (fault.isEmpty()) {
                return directory;
            }
            faults.add(directory + ": " + fault);
        }
        throw new IOException("Netty's native library cannot be unpacked (" + String.join("; ", faults)
                + "): make room, or name a directory with -D" + PROPERTY + "=DIR in MUSTER_JAVA_OPTS");
    }

    /** The directory itself or, if it does not exist yet, its nearest existing parent. */
    static Path nearest(Path directory) {
        Path at = directory.toAbsolutePath();
        Path above = at.getParent();
        while (above != null && !Files.isDirectory(at)) {
            at = above;
            above = at.getParent();
        }
        return at;
    }

    private static String fault(Path directory) {
        if (!Files.isDirectory(directory)) {
            return "there is no such directory";
        }
        Path probe = directory.resolve(".muster-" + ProcessHandle.current().pid() + "-" + System.nanoTime() + ".so");
        try {
            Files.write(probe, new byte[ROOM], StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            Files.setPosixFilePermissions(probe, PosixFilePermissions.fromString("rwx------"));
            return Files.isExecutable(probe) ? "" : "its files cannot be executed";
        } catch (AccessDeniedException e) {
            return "permission denied";
        } catch (FileSystemException e) {
            return String.valueOf(e.getReason());
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        } finally {
            var unused = probe.toFile().delete();
        }
    }
}
