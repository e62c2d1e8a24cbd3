package io.muster.daemon.etcd;

import io.muster.daemon.config.LedgerSettings;
import io.muster.protocol.tls.SecretFile;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of etcd, and the user as which the daemon logs in.
 *
 * @param endpoints client URLs of the members, with ports
 * @param user the user of etcd; "" if etcd requires none
 * @param passwordFile the file with the password of the user, which is read at each login
 */
public record EtcdAccess(
        List<URI> endpoints,
        EtcdTls tls,
        String user,
        @Nullable Path passwordFile) {
    public EtcdAccess {
        endpoints = List.copyOf(endpoints);
    }

    public static EtcdAccess of(LedgerSettings settings) {
        LedgerSettings.Tls tls = settings.tls();
        return new EtcdAccess(
                settings.endpoints(),
                new EtcdTls(tls.ca(), tls.certificate(), tls.key()),
                settings.user(),
                settings.passwordFile());
    }

    /** @throws IOException also if other users have access to the file with the password */
    String password() throws IOException {
        if (passwordFile == null) {
            return "";
        }
        SecretFile.check(passwordFile);
        return Files.readString(passwordFile, StandardCharsets.UTF_8).strip();
    }
}
