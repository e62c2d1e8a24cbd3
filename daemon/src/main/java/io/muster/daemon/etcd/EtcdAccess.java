package io.muster.daemon.etcd;

import io.muster.daemon.config.LedgerSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of etcd, and the user as which the daemon logs in.
 *
 * @param endpoints client URLs of the members, with ports
 * @param login the login that all clients with this access share
 */
public record EtcdAccess(List<URI> endpoints, EtcdTls tls, Login login) {
    public EtcdAccess {
        endpoints = List.copyOf(endpoints);
    }

    /**
     * @param user the user of etcd; "" if etcd requires none
     * @param passwordFile the file with the password of the user; null if the user has none
     */
    EtcdAccess(List<URI> endpoints, EtcdTls tls, String user, @Nullable Path passwordFile) {
        this(endpoints, tls, new Login(user, passwordFile));
    }

    public static EtcdAccess of(LedgerSettings settings) {
        LedgerSettings.Tls tls = settings.tls();
        return new EtcdAccess(
                settings.endpoints(),
                new EtcdTls(tls.ca(), tls.certificate(), tls.key()),
                settings.user(),
                settings.passwordFile());
    }
}
