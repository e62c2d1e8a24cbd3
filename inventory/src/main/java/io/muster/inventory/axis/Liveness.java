package io.muster.inventory.axis;

import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The axis of liveness: which ranks are online, since when, and why not. Every rank of R has a report. */
public final class Liveness {
    public static final Liveness NONE = new Liveness(IdMap.empty(), Idset.EMPTY, Idset.EMPTY);

    private final IdMap<Report> reports;
    private final Idset online;
    private final Idset torpid;

    /** Returns the liveness in {@code reports}, which is cheaper than adding many reports one by one. */
    public static Liveness of(IdMap<Report> reports) {
        Idset.Builder online = Idset.builder();
        Idset.Builder torpid = Idset.builder();
        reports.forEach((first, last, report) -> {
            switch (report.status()) {
                case ONLINE -> online.addRange(first, last);
                case TORPID -> torpid.addRange(first, last);
                case OFFLINE -> {}
            }
        });
        return new Liveness(reports, online.build(), torpid.build());
    }

    private Liveness(IdMap<Report> reports, Idset online, Idset torpid) {
        this.reports = reports;
        this.online = online;
        this.torpid = torpid;
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

    /**
     * @param since seconds since the epoch
     * @param cause "" if none was given
     */
    public record Report(Status status, double since, String cause) {
        // Written out for speed: see Principal.

        @Override
        public boolean equals(@Nullable Object o) {
            return o instanceof Report that
                    && status == that.status
                    && Double.compare(since, that.since) == 0
                    && cause.equals(that.cause);
        }

        @Override
        public int hashCode() {
            return 31 * status.hashCode() + Double.hashCode(since);
        }
    }

    public Idset online() {
        return online;
    }

    public Idset torpid() {
        return torpid;
    }

    public @Nullable Report of(int rank) {
        return reports.get(rank);
    }

    public Map<Report, Idset> groups() {
        return reports.groups();
    }

    public Idset in(Status status, Idset ranks) {
        return switch (status) {
            case ONLINE -> ranks.intersect(online);
            case TORPID -> ranks.intersect(torpid);
            case OFFLINE -> ranks.subtract(online).subtract(torpid);
        };
    }

    public Liveness put(Idset ranks, Report report) {
        Idset up = online.subtract(ranks);
        Idset slow = torpid.subtract(ranks);
        return new Liveness(
                reports.put(ranks, report),
                report.status() == Status.ONLINE ? up.union(ranks) : up,
                report.status() == Status.TORPID ? slow.union(ranks) : slow);
    }
}
