package io.muster.inventory.axis;

import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.IntervalConsumer;
import io.muster.inventory.json.Fields;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The axis of liveness: the status of each rank, since when the rank has it, and the cause. Every rank of R has a state. While
 * the reporter of a rank is lost, the state is the last known state, and schedulers are sent no update about the loss.
 */
public final class Liveness {
    public static final Liveness NONE = new Liveness(IdMap.empty(), Idset.EMPTY, Idset.EMPTY, Reports.NONE);

    private final IdMap<LivenessState> states;
    private final Idset online;
    private final Idset torpid;
    private final Reports reports;

    /** Returns the liveness with the given states. This is cheaper than adding many states one by one. */
    public static Liveness of(IdMap<LivenessState> states) {
        Idset.Builder online = Idset.builder();
        Idset.Builder torpid = Idset.builder();
        states.forEach((first, last, state) -> {
            switch (state.status()) {
                case ONLINE -> online.addRange(first, last);
                case TORPID -> torpid.addRange(first, last);
                case OFFLINE -> {}
            }
        });
        return new Liveness(states, online.build(), torpid.build(), Reports.NONE);
    }

    private Liveness(IdMap<LivenessState> states, Idset online, Idset torpid, Reports reports) {
        this.states = states;
        this.online = online;
        this.torpid = torpid;
        this.reports = reports;
    }

    /** Whether a rank is online. A torpid rank is still connected but has been silent for some time (RFC 44). */
    public enum Status {
        ONLINE,
        TORPID,
        OFFLINE;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Status read(Fields in, String key) {
            return in.choice(key, Status.class, Status::word);
        }
    }

    public Idset online() {
        return online;
    }

    public Idset torpid() {
        return torpid;
    }

    /** Returns the ranks that are online or torpid. */
    public Idset connected() {
        return online.union(torpid);
    }

    public Reports reports() {
        return reports;
    }

    public Liveness with(Reports other) {
        return new Liveness(states, online, torpid, other);
    }

    /** Returns the ranks whose status is known and is neither online nor torpid. */
    public Idset offline(Idset among) {
        return among.subtract(online).subtract(torpid).subtract(reports.unknown());
    }

    public @Nullable LivenessState of(int rank) {
        return states.get(rank);
    }

    public Map<LivenessState, Idset> groups() {
        return states.groups();
    }

    /**
     * Returns the groups of these ranks for people to read. A connected reporter of a rank has confirmed what a new R defines if it has
     * changed nothing.
     */
    public Map<LivenessState, Idset> shown(Idset ranks) {
        Map<LivenessState, Idset> shown = new LinkedHashMap<>();
        states.groups(ranks).forEach((state, alike) -> {
            Idset assumed = alike;
            if (state.cause().equals(LivenessState.DEFINED)) {
                for (Report report : reports.all()) {
                    Idset confirmed = report.isLapsed() ? Idset.EMPTY : assumed.intersect(report.ranks());
                    add(shown, state.reportedBy(report.reporter()), confirmed);
                    assumed = assumed.subtract(confirmed);
                }
            }
            add(shown, state, assumed);
        });
        return shown;
    }

    private static void add(Map<LivenessState, Idset> groups, LivenessState state, Idset ranks) {
        if (!ranks.isEmpty()) {
            groups.merge(state, ranks, Idset::union);
        }
    }

    /** Visits the intervals of equal states inside {@code ranks}, in ascending order. */
    public void forEachIn(Idset ranks, IntervalConsumer<LivenessState> c) {
        states.forEachIn(ranks, c);
    }

    /** Returns the same liveness, in which nothing is to be done about the absences of these ranks. */
    public Liveness settle(Idset ranks) {
        Idset.Builder absent = Idset.builder();
        states.forEachIn(ranks, (first, last, state) -> {
            if (state.absent() > 0) {
                absent.addRange(first, last);
            }
        });
        Idset some = absent.build();
        return some.isEmpty()
                ? this
                : new Liveness(
                        states.update(some, state -> state == null ? null : state.settled()), online, torpid, reports);
    }

    public Liveness put(Idset ranks, LivenessState state) {
        Idset up = online.subtract(ranks);
        Idset slow = torpid.subtract(ranks);
        return new Liveness(
                states.update(ranks, state::after),
                state.status() == Status.ONLINE ? up.union(ranks) : up,
                state.status() == Status.TORPID ? slow.union(ranks) : slow,
                reports.known(ranks));
    }
}
