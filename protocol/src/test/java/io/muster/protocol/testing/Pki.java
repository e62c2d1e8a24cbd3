package io.muster.protocol.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.protocol.tls.ClientFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** Certificates that openssl makes, in a directory of a test. */
public final class Pki {
    private final Path directory;

    private Pki(Path directory) {
        this.directory = directory;
    }

    /** Creates the CA {@code ca}, the server's certificate {@code server} for localhost, and the client's certificate {@code ops}. */
    public static Pki in(Path directory) throws IOException {
        Pki pki = new Pki(Files.createDirectories(directory));
        pki.authority("ca");
        pki.issue("ca", "server", "DNS:localhost,IP:127.0.0.1");
        pki.issue("ca", "ops", "DNS:ops.example.org");
        return pki;
    }

    public Path file(String name) {
        return directory.resolve(name);
    }

    public ClientFiles client(String name) {
        return new ClientFiles(file(name + ".pem"), file(name + ".key"), file("ca.pem"));
    }

    /** Creates a CA, with its database in the same directory. */
    public Pki authority(String name) throws IOException {
        Files.writeString(file(name + ".index"), "");
        Files.writeString(
                file(name + ".cnf"), """
                [ca]
                default_ca = site
                [site]
                database = DIR/NAME.index
                new_certs_dir = DIR
                certificate = DIR/NAME.pem
                private_key = DIR/NAME.key
                rand_serial = yes
                unique_subject = no
                default_md = sha256
                default_days = 365
                default_crl_days = 30
                policy = any
                copy_extensions = copy
                [any]
                commonName = supplied
                """.replace("DIR", directory.toString()).replace("NAME", name));
        openssl(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 3650 -addext keyUsage=critical,keyCertSign,cRLSign"
                        + " -subj /CN=" + name + " -keyout " + name + ".key -out " + name + ".pem");
        return this;
    }

    /**
     * Issues a certificate for clients and servers.
     *
     * @param options options of openssl-ca(1), and of openssl-req(1) after {@code --}
     */
    public Pki issue(String ca, String name, String san, String... options) throws IOException {
        List<String> all = List.of(options);
        int split = all.contains("--") ? all.indexOf("--") : all.size();
        String request = String.join(" ", all.subList(Math.min(split + 1, all.size()), all.size()));
        if (!request.contains("-newkey")) {
            request += " -newkey ec -pkeyopt ec_paramgen_curve:P-256";
        }
        if (!request.contains("extendedKeyUsage")) {
            request += " -addext extendedKeyUsage=clientAuth,serverAuth";
        }
        openssl("req -new -noenc " + request + " -subj /CN=" + name + " -addext subjectAltName=" + san + " -keyout "
                + name + ".key -out " + name + ".csr");
        openssl("ca -batch -notext -config " + ca + ".cnf " + String.join(" ", all.subList(0, split)) + " -in " + name
                + ".csr -out " + name + ".pem");
        return this;
    }

    public void revoke(String ca, String name) throws IOException {
        openssl("ca -config " + ca + ".cnf -revoke " + name + ".pem");
    }

    /** Writes the CA's list of revoked certificates. */
    public void list(String ca, String... options) throws IOException {
        openssl("ca -config " + ca + ".cnf -gencrl " + String.join(" ", options) + " -out " + ca + ".crl.new");
        Files.move(file(ca + ".crl.new"), file(ca + ".crl"), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Runs openssl in the directory. */
    public String openssl(String words) throws IOException {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(words.trim().split(" +")));
        Process openssl = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        openssl.getOutputStream().close();
        String output = new String(openssl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            assertThat(openssl.waitFor()).as(words + "\n" + output).isZero();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return output;
    }

    /** Returns the entries of a configuration with a listener on a free port, and grants of this CA. */
    public String config(String... grants) {
        return config("tls", grants);
    }

    /** @param kind of the listener: tls or https */
    public String config(String kind, String[] grants) {
        StringBuilder text = new StringBuilder("[[listen]]\n" + kind + " = \"127.0.0.1:0\"\ncertificate = \""
                + file("server.pem") + "\"\nkey = \"" + file("server.key") + "\"\n");
        for (String grant : grants) {
            text.append("[[grant]]\nca = \"")
                    .append(file("ca.pem"))
                    .append("\"\n")
                    .append(grant)
                    .append('\n');
        }
        return text.toString();
    }
}
