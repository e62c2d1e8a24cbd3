package io.muster.daemon;

import io.muster.daemon.machine.Simulation;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Kills somebody at each transition of each hold of {@link SimRepairs}, once: in turn the process that makes the transition, the daemon that
 * leads, or another daemon; and in turn while the request is on its way, when the event is durable and nobody has been told, or when the
 * answer has come. If the victim does not run then, or no answer comes, somebody else is killed soon after.
 */
final class SimKills {
    /** What happens to a hold. */
    enum Transition {
        PLACED,
        CLAIMED,
        ACTED,
        BOOTED,
        DONE,
        CHECK_FAILED,
        PASSED,
        LAPSED;

        /** Returns the transition with the word of a step of an attempt. */
        static Transition of(String step) {
            return valueOf(step.toUpperCase(Locale.ROOT).replace('-', '_'));
        }

        /** Returns whether a script or a host makes the transition, which is killed then. */
        boolean hasProcess() {
            return this != PLACED && this != LAPSED;
        }
    }

    /** When somebody is killed. */
    enum Moment {
        SENT,
        WRITTEN,
        ANSWERED
    }

    /** Who is killed. */
    enum Victim {
        ITSELF,
        LEADER,
        OTHER_DAEMON
    }

    private static final List<Victim> DAEMONS = List.of(Victim.LEADER, Victim.OTHER_DAEMON);
    private static final List<Victim> ALL = List.of(Victim.values());
    private static final long MILLI = 1_000_000;

    private final SimCluster cluster;
    private final SplittableRandom random;
    private final int one;
    private final Map<Transition, Integer> planned = new TreeMap<>();
    private final Map<String, Kill> kills = new HashMap<>();
    private final Map<Transition, Map<Victim, Integer>> made = new TreeMap<>();

    private static final class Kill {
        Victim victim;
        final Moment moment;
        /** Whether the transition was made. */
        boolean isDue;

        boolean isMade;

        Kill(Victim victim, Moment moment) {
            this.victim = victim;
            this.moment = moment;
        }
    }

    /** @param one of how many transitions somebody is killed at one */
    SimKills(SimCluster cluster, SplittableRandom random, int one) {
        this.cluster = cluster;
        this.random = random;
        this.one = one;
    }

    /**
     * A transition of a hold has come so far.
     *
     * @param holder the holder of the hold; "" for none
     * @param self kills the process that makes the transition; null if it is a daemon, or a person
     */
    void at(String holder, Transition transition, Moment moment, @Nullable Runnable self) {
        if (!holder.startsWith(SimRepairs.HOLDER)) {
            return;
        }
        Kill kill = kills.computeIfAbsent(holder + " " + transition, key -> plan(transition));
        Simulation simulation = cluster.simulation();
        if (moment.compareTo(kill.moment) >= 0) {
            long delay = moment == Moment.SENT ? random.nextLong(3 * MILLI) : 0;
            simulation.after(delay, () -> make(kill, transition, self)); // a daemon may be in the middle of something
        }
        if (moment != Moment.SENT) {
            kill.isDue = true;
            simulation.after(moment == Moment.ANSWERED ? MILLI : 1000 * MILLI, () -> insist(kill, transition, self));
        }
    }

    private Kill plan(Transition transition) {
        int number = planned.merge(transition, 1, Integer::sum);
        List<Victim> victims = victims(transition);
        Moment[] moments = Moment.values();
        Moment moment =
                transition == Transition.LAPSED ? Moment.WRITTEN : moments[number / victims.size() % moments.length];
        Kill kill = new Kill(victims.get(number % victims.size()), moment);
        kill.isMade = random.nextInt(one) > 0;
        return kill;
    }

    private void make(Kill kill, Transition transition, @Nullable Runnable self) {
        kill.isMade |= !cluster.isBusy(); // all must be well now
        SimDaemon daemon = kill.victim == Victim.ITSELF ? null : running(kill.victim == Victim.LEADER);
        if (!kill.isMade && (kill.victim == Victim.ITSELF ? self != null : daemon != null)) {
            kill.isMade = true;
            made.computeIfAbsent(transition, none -> new TreeMap<>()).merge(kill.victim, 1, Integer::sum);
            if (daemon != null) {
                daemon.kill();
                cluster.simulation().after(MILLI * (200 + random.nextInt(3000)), () -> cluster.start(daemon));
            } else if (self != null) {
                self.run();
            }
        }
    }

    /** Returns the daemon that leads, or another one that runs; null if there is none. */
    private @Nullable SimDaemon running(boolean leads) {
        SimDaemon leader = cluster.leader();
        List<SimDaemon> others = cluster.daemons().stream()
                .filter(each -> each.isRunning() && each != leader)
                .toList();
        return leads ? leader : others.isEmpty() ? null : others.get(random.nextInt(others.size()));
    }

    /** Kills whoever runs, if nobody was killed yet. */
    private void insist(Kill kill, Transition transition, @Nullable Runnable self) {
        victims(transition).forEach(victim -> {
            kill.victim = victim;
            make(kill, transition, self);
        });
        if (!kill.isMade) {
            cluster.simulation().after(1000 * MILLI, () -> insist(kill, transition, self));
        }
    }

    /** Returns at how many transitions of this kind somebody was killed. */
    int at(Transition transition) {
        return made.getOrDefault(transition, Map.of()).values().stream()
                .mapToInt(Integer::intValue)
                .sum();
    }

    /** Whether somebody was killed at every transition that was made. */
    boolean areMade() {
        return kills.values().stream().allMatch(kill -> kill.isMade || !kill.isDue);
    }

    /** Returns how often this victim was killed at this transition. */
    int of(Transition transition, Victim victim) {
        return made.getOrDefault(transition, Map.of()).getOrDefault(victim, 0);
    }

    /** Returns who may be killed at a transition. */
    static List<Victim> victims(Transition transition) {
        return transition.hasProcess() ? ALL : DAEMONS;
    }

    @Override
    public String toString() {
        return made.toString();
    }
}
