package io.muster.daemon.tls;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The handshakes that are not complete, and two rules. The handshake that arrived first begins next, of the address that has begun the
 * fewest. If all slots are taken, the handshake whose peer has been silent longest gives way, of the address that has most. Used on the
 * thread {@code network}.
 */
final class Slots {
    /** The number of connections. Beyond it, new ones wait in the kernel. Before it begins, a handshake costs little more than a socket. */
    static final int MOST = 4096;

    /** The number of connections of an address. Beyond it, its new ones are refused, so that one address alone cannot take all slots. */
    static final int MOST_OF_ADDRESS = MOST / 2;

    /** The number of handshakes that have begun. Each takes some 100 kB. */
    static final int BEGUN = 1024;

    /**
     * The number of handshakes that are computed, or whose peer has begun to be silent: enough to keep the workers busy. The intermediate
     * results of a handshake survive each garbage collection and lengthen its pause, so the number is kept small.
     */
    static final int IN_PROGRESS = 8;

    /**
     * How long a silent handshake counts as in progress. Silent peers so begin 100 handshakes a second at most, and others wait only if
     * an address begins more. A peer that makes many honest handshakes on one slow thread has 10 ms for each. One that is slower is sent
     * more than it has answered, and then has {@link Handshake#LONGEST_NANOS} for each, as long as fewer than {@link #BEGUN} have begun
     * or none waits. Otherwise, the one that has been silent longest gives way, after {@link #PATIENCE_NANOS} or later.
     */
    static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(80);

    /** A handshake gives way only after its peer has been silent for this long. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** In the order of arrival. */
    private final Set<Handshake> all = new LinkedHashSet<>();

    /** Returns whether the address may have one connection more. */
    boolean hasRoom(String address) {
        return all.stream().filter(each -> each.address().equals(address)).count() < MOST_OF_ADDRESS;
    }

    void add(Handshake handshake) {
        all.add(handshake);
    }

    void remove(Handshake handshake) {
        all.remove(handshake);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    boolean isFull() {
        return all.size() >= MOST;
    }

    /** Returns whether peers that have sent something wait until their handshake begins. */
    boolean isCrowded() {
        return all.stream().anyMatch(Handshake::isWaiting);
    }

    /** Returns the handshakes whose peers have been silent for too long. */
    List<Handshake> late() {
        return all.stream().filter(Handshake::isLate).toList();
    }

    private List<Handshake> begun() {
        return all.stream().filter(Handshake::isBegun).toList();
    }

    private static Map<String, Long> counts(Stream<Handshake> handshakes) {
        return handshakes.collect(Collectors.groupingBy(Handshake::address, Collectors.counting()));
    }

    /** Returns the handshake that begins next; null if none waits or none may. */
    @Nullable
    Handshake next() {
        List<Handshake> begun = begun();
        long inProgress = begun.stream()
                .filter(each -> each.isOwn() || each.silent() < TURN_NANOS)
                .count();
        if (begun.size() >= BEGUN || inProgress >= IN_PROGRESS) {
            return null;
        }
        Map<String, Long> counts = counts(begun.stream());
        return all.stream()
                .filter(Handshake::isWaiting)
                .min(Comparator.comparing(each -> counts.getOrDefault(each.address(), 0L)))
                .orElse(null);
    }

    /** Returns the handshake that gives way to others; null if none has to or its peer may be silent for longer. */
    @Nullable
    Handshake givingWay() {
        Collection<Handshake> among = isFull() ? all : begun();
        if (!isFull() && (among.size() < BEGUN || !isCrowded())) {
            return null;
        }
        Map<String, Long> counts = counts(among.stream());
        Predicate<Handshake> isSilent = each -> each.silent() >= PATIENCE_NANOS;
        return among.stream()
                .filter(isSilent)
                .max(Comparator.<Handshake, Long>comparing(each -> counts.getOrDefault(each.address(), 0L))
                        .thenComparing(Handshake::silent))
                .orElse(null);
    }
}
