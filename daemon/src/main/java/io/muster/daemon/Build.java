package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.service.Attributes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The version and build of this daemon, and the attributes that peers can read. */
public final class Build {
    private static final String UNKNOWN = "unknown";

    private Build() {}

    public static String version() {
        String version = Build.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    /** The commit from which the daemon was built, as {@code .ci/revision} printed it; "unknown" if the tree was an archive. */
    public static String revision() {
        try (InputStream in = Build.class.getResourceAsStream("revision")) {
            String text = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
            return text.isEmpty() ? UNKNOWN : text;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The version, with the revision if it is known: {@code 0.1.0 (ab12cd3)}. */
    public static String build() {
        return revision().equals(UNKNOWN) ? version() : version() + " (" + revision() + ")";
    }

    /** @param ledger returns the attributes that name the daemon that makes changes */
    static Attributes attributes(Config config, Environment environment, Supplier<Map<String, String>> ledger) {
        Map<String, String> fixed = new HashMap<>();
        fixed.put("version", "muster-" + version());
        fixed.put("hostname", environment.hostname());
        fixed.put("security.owner", Integer.toUnsignedString(environment.uid()));
        fixed.put("local-uri", "local://" + config.listen().socket());
        fixed.put("statedir", config.storage().stateDir().toString());
        fixed.put("broker.pid", Long.toString(ProcessHandle.current().pid()));
        fixed.put("broker.starttime", Long.toString(Instant.now().getEpochSecond()));
        return new Attributes(fixed, ledger);
    }
}
