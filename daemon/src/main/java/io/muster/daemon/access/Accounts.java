package io.muster.daemon.access;

import io.muster.daemon.config.Access;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.json.PortableJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds users and groups by name and number, in {@code /etc/passwd} and {@code /etc/group} first and then with {@code
 * getent}, because Java has no getpwnam(3). Results of getent, including empty ones, are kept for five minutes. A lookup
 * with getent may take up to two seconds if a name service stalls, so network threads must not do it. An account that cannot
 * be found has no rights. May be used on any thread.
 */
public final class Accounts {
    /** Looks up one line of a database by name or number. The result is empty if there is no such line or no result in time. */
    interface Lookup {
        Optional<String> line(String database, String key);
    }

    private static final Pattern NUMBER = Pattern.compile("\\d{1,10}");
    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final int MOST_KEPT = 10_000;
    private static final int LONGEST_ANSWER = 16 << 20;

    private record KnownLine(Optional<String> line, long at) {}

    private final Path etc;
    private final Path proc;
    private final Lookup service;
    private final Map<String, KnownLine> answers = new ConcurrentHashMap<>();

    public Accounts() {
        this(Path.of("/etc"), Path.of("/proc"), Accounts::getent);
    }

    Accounts(Path etc, Path proc, Lookup service) {
        this.etc = etc;
        this.proc = proc;
        this.service = service;
    }

    /**
     * Returns the uid of a user, given by name or number; a number need not belong to an account. A uid of 2^31 or more is
     * negative, as in Netty.
     */
    public OptionalInt uid(String user) {
        return number("passwd", user);
    }

    public OptionalInt gid(String group) {
        return number("group", group);
    }

    /**
     * Returns the user's name, for logs and audit; the number in decimal if there is no name, or if the name has characters
     * that may not be written.
     */
    public String name(int uid) {
        String number = Integer.toUnsignedString(uid);
        return line("passwd", 2, number)
                .map(line -> writable(nameOf(line), number))
                .orElse(number);
    }

    /** Returns the primary group of a user. */
    public OptionalInt primaryGroup(int uid) {
        return line("passwd", 2, Integer.toUnsignedString(uid))
                .map(line -> line.split(":", -1))
                .filter(f -> f.length > 3)
                .map(f -> unsigned(f[3]))
                .orElse(OptionalInt.empty());
    }

    /** Returns {@link #name} if {@code /etc/passwd} has the user. Does not use the name service. */
    public Optional<String> localName(int uid) {
        String number = Integer.toUnsignedString(uid);
        return local("passwd", 2, number).map(line -> writable(nameOf(line), number));
    }

    private static String writable(String name, String number) {
        return PortableJson.keyFault(name) == null ? name : number;
    }

    /**
     * Returns the audit login uid of a process: the user that logged in, which stays the same under sudo. Does not block,
     * because the kernel responds from memory. Therefore the core thread may call this when a peer connects, before the
     * process can end and another process can get the same number.
     *
     * @return {@link Principal#NO_LOGIN} if no login has started the process, or if it cannot be read
     */
    int login(int pid) {
        try {
            String text = pid > 0 ? Files.readString(proc.resolve(pid + "/loginuid"), StandardCharsets.US_ASCII) : "";
            return unsigned(text.strip()).orElse(Principal.NO_LOGIN);
        } catch (IOException gone) {
            return Principal.NO_LOGIN;
        }
    }

    /** Returns the uids of the users that the group lists, and of local users whose primary group this is. */
    Set<Integer> membersOf(String group) {
        Set<Integer> uids = new LinkedHashSet<>();
        line("group", isNumber(group) ? 2 : 0, group)
                .ifPresent(line -> members(line).forEach(user -> uid(user).ifPresent(uids::add)));
        gid(group)
                .ifPresent(gid -> lines("passwd")
                        .map(line -> line.split(":", -1))
                        .filter(f -> f.length > 3 && f[3].equals(Integer.toUnsignedString(gid)))
                        .forEach(f -> unsigned(f[2]).ifPresent(uids::add)));
        return uids;
    }

    private OptionalInt number(String database, String name) {
        if (isNumber(name)) {
            return unsigned(name);
        }
        return line(database, 0, name)
                .map(line -> line.split(":", -1))
                .filter(f -> f.length > 2)
                .map(f -> unsigned(f[2]))
                .orElse(OptionalInt.empty());
    }

    private Optional<String> line(String database, int field, String key) {
        return local(database, field, key).or(() -> ask(database, key));
    }

    private Optional<String> local(String database, int field, String key) {
        return lines(database)
                .filter(line -> {
                    String[] fields = line.split(":", -1);
                    return fields.length > field && fields[field].equals(key);
                })
                .findFirst();
    }

    private Stream<String> lines(String database) {
        try {
            return Files.readAllLines(etc.resolve(database), StandardCharsets.ISO_8859_1).stream();
        } catch (IOException absent) {
            return Stream.empty();
        }
    }

    private Optional<String> ask(String database, String key) {
        if (!Access.isName(key)) {
            return Optional.empty();
        }
        String question = database + " " + key;
        KnownLine known = answers.get(question);
        long now = System.nanoTime();
        if (known != null && now - known.at < KEPT_NANOS) {
            return known.line;
        }
        if (answers.size() >= MOST_KEPT) {
            answers.clear();
        }
        KnownLine fresh = new KnownLine(service.line(database, key), now);
        answers.put(question, fresh);
        return fresh.line;
    }

    private static String nameOf(String line) {
        return line.split(":", 2)[0];
    }

    private static Set<String> members(String groupLine) {
        String[] fields = groupLine.split(":", -1);
        return fields.length > 3
                ? Set.of(Arrays.stream(fields[3].split(",")).distinct().toArray(String[]::new))
                : Set.of();
    }

    private static boolean isNumber(String text) {
        return NUMBER.matcher(text).matches();
    }

    private static OptionalInt unsigned(String text) {
        try {
            return OptionalInt.of(Integer.parseUnsignedInt(text));
        } catch (NumberFormatException beyond) {
            return OptionalInt.empty();
        }
    }

    private static Optional<String> getent(String database, String key) {
        try {
            Process process = new ProcessBuilder("getent", database, key)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .start();
            return firstLine(process);
        } catch (IOException noGetent) {
            return Optional.empty();
        }
    }

    /**
     * Reads the first line of the output. The whole output is read, because a group may be longer than a pipe holds. A slow process is
     * killed.
     */
    private static Optional<String> firstLine(Process process) throws IOException {
        CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS).execute(process::destroyForcibly);
        try (var out = process.getInputStream()) {
            String answer = new String(out.readNBytes(LONGEST_ANSWER), StandardCharsets.ISO_8859_1);
            return process.waitFor() == 0 ? answer.lines().findFirst() : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } finally {
            process.destroyForcibly();
        }
    }
}
