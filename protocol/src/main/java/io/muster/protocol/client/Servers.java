package io.muster.protocol.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The servers to which a client may connect; all of them serve it equally. A server that did not answer in time, or not before one that was
 * tried later, is tried last for a minute, also by other processes of the user: a file in the user's runtime directory marks it.
 */
final class Servers {
    /** How long a client waits for a server if there are others. */
    static final Duration PATIENCE = Duration.ofSeconds(3);

    /** How long a client waits for a server alone before it tries the next one, too; ssh itself needs longer to connect. */
    private static final Duration HEAD_START = Duration.ofMillis(500);

    private static final Duration HEAD_START_OF_SSH = Duration.ofMillis(1500);

    private static final Duration REMEMBERED = Duration.ofMinutes(1);

    private final List<String> uris;
    private final @Nullable Path directory;
    private final Set<String> silent = new HashSet<>();

    private Servers(List<String> uris, @Nullable Path directory) {
        this.uris = uris;
        this.directory = directory;
    }

    static Servers parse(String uris) {
        String runtime = System.getenv().getOrDefault("XDG_RUNTIME_DIR", "");
        return parse(uris, runtime.startsWith("/") ? Path.of(runtime) : null);
    }

    static Servers parse(String uris, @Nullable Path runtime) {
        List<String> distinct = uris.indexOf(',') < 0
                ? List.of(uris)
                : Stream.of(uris.split(",(?=[a-z]+://)", -1)).distinct().toList();
        return new Servers(distinct, runtime == null ? null : runtime.resolve("muster-silent"));
    }

    boolean areSeveral() {
        return uris.size() > 1;
    }

    boolean areAllSilent() {
        return silent.containsAll(uris);
    }

    /** Returns the servers in the order in which they are tried. */
    List<String> inOrder() {
        if (!areSeveral()) {
            return uris;
        }
        return Stream.concat(
                        uris.stream().filter(uri -> !wasSilent(uri)),
                        uris.stream().filter(uri -> wasSilent(uri) && !silent.contains(uri)))
                .toList();
    }

    /** Returns how long the client waits for a server; zero is without end. */
    Duration patience(String uri, Duration timeout) {
        List<String> order = inOrder();
        boolean last = uri.equals(order.get(order.size() - 1));
        return last || (!timeout.isZero() && timeout.compareTo(PATIENCE) < 0) ? timeout : PATIENCE;
    }

    static Duration headStart(String uri) {
        if (!uri.startsWith("ssh://")) {
            return HEAD_START;
        }
        return SshServer.hasTerminal() ? PATIENCE : HEAD_START_OF_SSH; // two of them must not ask one person at a time
    }

    private boolean wasSilent(String uri) {
        try {
            Path mark = mark(uri);
            return silent.contains(uri)
                    || (mark != null
                            && Files.getLastModifiedTime(mark)
                                    .toInstant()
                                    .plus(REMEMBERED)
                                    .isAfter(Instant.now()));
        } catch (IOException none) {
            return false;
        }
    }

    /** Records that a server did not answer in time. */
    void isSilent(String uri) {
        silent.add(uri);
        Path mark = mark(uri);
        if (mark == null || !areSeveral()) {
            return;
        }
        try {
            Files.createDirectories(mark.resolveSibling(""));
            Files.write(mark, new byte[0]);
            Files.setLastModifiedTime(mark, FileTime.from(Instant.now()));
        } catch (IOException e) {
            // The next process waits for the server once more.
        }
    }

    private @Nullable Path mark(String uri) {
        return directory == null ? null : directory.resolve(uri.replaceAll("[^A-Za-z0-9.-]+", "_"));
    }
}
