package io.muster.daemon.etcd;

import io.muster.daemon.etcd.EtcdException.Fate;
import io.muster.protocol.tls.SecretFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The login of a daemon as a user of etcd. All clients of the daemon share its token, which every member accepts, because etcd computes a
 * slow hash for each login. One thread logs in, and the others wait for the token.
 */
final class Login {
    private static final int PATIENCE_MILLIS = 3000;
    private static final int MOST_DOUBLINGS = 4;

    private final String user;
    private final @Nullable Path passwordFile;
    private final int patience;
    private String token = "";
    private int failures;

    /** Sends a login to a member of etcd. */
    @FunctionalInterface
    interface Attempt {
        /** @return the token */
        String send(String user, String password, int timeoutMillis) throws EtcdException;
    }

    /** @param passwordFile the file with the password of the user, which is read at each login */
    Login(String user, @Nullable Path passwordFile) {
        this(user, passwordFile, PATIENCE_MILLIS);
    }

    /**
     * @param patience how many milliseconds the first attempt may take. Each failure doubles the time, so that a slow etcd is waited for in
     *     the end.
     */
    Login(String user, @Nullable Path passwordFile, int patience) {
        this.user = user;
        this.passwordFile = passwordFile;
        this.patience = patience;
    }

    /** Returns the token; "" if etcd requires no user. */
    synchronized String token(Attempt attempt) throws EtcdException {
        if (user.isEmpty() || !token.isEmpty()) {
            return token;
        }
        try {
            token = attempt.send(user, password(), patience << Math.min(failures, MOST_DOUBLINGS));
            failures = 0;
            return token;
        } catch (EtcdException e) {
            failures++;
            String what = e.answered() ? "etcd refuses the login of " : "etcd did not answer the login of ";
            throw new EtcdException(Fate.NOT_SENT, what + user + ": " + e.sentence(), e);
        } catch (IOException e) {
            throw new EtcdException(Fate.NOT_SENT, "the password for etcd cannot be read: " + e.getMessage(), e);
        }
    }

    /** Forgets a token that etcd does not accept any more, unless another thread has replaced it. */
    synchronized void forget(String stale) {
        token = token.equals(stale) ? "" : token;
    }

    /** @throws IOException also if other users have access to the file with the password */
    private String password() throws IOException {
        if (passwordFile == null) {
            return "";
        }
        SecretFile.check(passwordFile);
        return Files.readString(passwordFile, StandardCharsets.UTF_8).strip();
    }
}
