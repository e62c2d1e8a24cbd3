package io.muster.daemon.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Facts about the user, process and host from which defaults are derived.
 *
 * @param variables the process environment
 * @param uid the user that runs the process, and so owns the instance
 * @param home that user's home directory
 * @param hostname as gethostname(2) returns it
 * @param cores physical cores that the process may use
 */
public record Environment(Map<String, String> variables, int uid, Path home, String hostname, int cores) {
    private static final Path CPUS = Path.of("/sys/devices/system/cpu");

    public Environment {
        variables = Map.copyOf(variables);
    }

    public static Environment ofProcess() {
        int uid = processUid();
        return new Environment(System.getenv(), uid, homeOf(System.getenv(), uid), hostOfProcess(), countCores(CPUS));
    }

    /**
     * Returns the home directory of the user of this process, as the launcher finds it: the variable HOME, but for root the directory of
     * the account, because HOME may be that of another user.
     */
    public static Path homeOf(Map<String, String> variables, int uid) {
        String given = variables.getOrDefault("HOME", "");
        return Path.of(uid != 0 && given.startsWith("/") ? given : System.getProperty("user.home", "/"));
    }

    /** The configuration file that the daemon reads if none is named. The file need not exist. */
    public Path configFile() {
        return systemd("CONFIGURATION_DIRECTORY", Path.of("/etc/muster"), xdg("XDG_CONFIG_HOME", ".config"))
                .resolve("muster.toml");
    }

    /** The file of the user in which the command finds certificates. The file need not exist. */
    public Path clientFile() {
        return xdg("XDG_CONFIG_HOME", ".config").resolve("client.toml");
    }

    /**
     * The default socket on which the daemon listens. Without a runtime directory the socket lies in the state directory, to which other
     * users cannot write either.
     */
    public Path socket() {
        Path fallback =
                variables.getOrDefault("XDG_RUNTIME_DIR", "").startsWith("/") ? xdg("XDG_RUNTIME_DIR", "") : stateDir();
        return systemd("RUNTIME_DIRECTORY", Path.of("/run/muster"), fallback).resolve("muster.sock");
    }

    public Path stateDir() {
        return systemd("STATE_DIRECTORY", Path.of("/var/lib/muster"), xdg("XDG_STATE_HOME", ".local/state"));
    }

    /** The directory that systemd created for the unit, see systemd.exec(5), or without systemd the default for root or for the user. */
    private Path systemd(String variable, Path ofRoot, Path ofUser) {
        String given = variables.getOrDefault(variable, "");
        if (given.startsWith("/")) {
            return Path.of(given.split(":", 2)[0]);
        }
        return uid == 0 ? ofRoot : ofUser;
    }

    /** A directory by the XDG base directory specification, which says that relative values must be ignored. */
    private Path xdg(String variable, String underHome) {
        String given = variables.getOrDefault(variable, "");
        return (given.startsWith("/") ? Path.of(given) : home.resolve(underHome)).resolve("muster");
    }

    private static int processUid() {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot tell the uid of this process", e);
        }
    }

    private static String hostOfProcess() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname"), StandardCharsets.UTF_8)
                    .strip();
        } catch (IOException e) {
            return "localhost";
        }
    }

    /** Counts cores: hardware threads that share a core count once. If the cores are not known, each hardware thread counts. */
    static int countCores(Path cpus) {
        int threads = Runtime.getRuntime().availableProcessors();
        Set<String> cores = new HashSet<>();
        for (int cpu = 0; Files.isDirectory(cpus.resolve("cpu" + cpu)); cpu++) {
            siblings(cpus.resolve("cpu" + cpu)).ifPresent(cores::add);
        }
        return cores.isEmpty() ? threads : Math.min(threads, cores.size());
    }

    private static Optional<String> siblings(Path cpu) {
        try {
            return Optional.of(Files.readString(cpu.resolve("topology/thread_siblings_list"), StandardCharsets.UTF_8));
        } catch (IOException offlineOrHidden) {
            return Optional.empty();
        }
    }
}
