package io.muster.daemon.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The accounts of a host that has a {@code passwd} file and no name service. */
public final class FewAccounts {
    private FewAccounts() {}

    /** @param users the name and uid of each user, as in {@code alice:1001} */
    public static Accounts of(Path etc, String... users) throws IOException {
        StringBuilder passwd = new StringBuilder();
        for (String user : users) {
            passwd.append(user.replace(":", ":x:")).append(":100::/:\n");
        }
        Files.writeString(etc.resolve("passwd"), passwd);
        return new Accounts(etc, etc, (database, key) -> Optional.empty());
    }
}
