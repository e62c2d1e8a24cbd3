package io.muster.protocol.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Refuses files with a private key or a password that other users may read, as PostgreSQL does. */
public final class SecretFile {
    private static final int OF_OTHERS = 0077;
    private static final int READ_BY_GROUP = 0040;
    private static final int PERMISSIONS = 07777;

    private SecretFile() {}

    /**
     * Checks the owner and the mode of a file; links are followed. The group may read the file if root owns it: no user of the group can
     * then change the mode.
     *
     * @throws IOException that names the file, its mode and the command that repairs it, if others have access, or that names the owner;
     *     also if there is no file
     */
    public static void check(Path file) throws IOException {
        check(file, (Integer) Files.getAttribute(file, "unix:mode"), uid(file), uid(Path.of("/proc/self")));
    }

    private static int uid(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:uid");
    }

    /** @param reader the user of this process; root may read the files of all users, as {@code muster check} does */
    static void check(Path file, int mode, int owner, int reader) throws IOException {
        if (owner != 0 && reader != 0 && owner != reader) {
            throw Pem.fault(
                    file,
                    "has a secret, and belongs to the user " + owner
                            + ": it must belong to root (mode 0640) or to the user that reads it, " + reader
                            + " (mode 0600)");
        }
        int permitted = owner == 0 ? READ_BY_GROUP : 0;
        if ((mode & OF_OTHERS & ~permitted) != 0) {
            String right = (mode & permitted) != 0 ? "0640" : "0600";
            throw Pem.fault(
                    file,
                    String.format(
                            Locale.ROOT,
                            "has a secret, and other users have access to it (mode %04o): run `chmod %s %s`",
                            mode & PERMISSIONS,
                            right,
                            file));
        }
    }
}
