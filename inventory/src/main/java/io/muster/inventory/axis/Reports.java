package io.muster.inventory.axis;

import io.muster.inventory.idset.Idset;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The reporters of liveness. A rank has at most one reporter. */
public final class Reports {
    public static final Reports NONE = new Reports(new TreeMap<>());

    private final SortedMap<String, Report> all;
    private final Idset unknown;

    private Reports(SortedMap<String, Report> all) {
        this.all = Collections.unmodifiableSortedMap(all);
        Idset lapsed = Idset.EMPTY;
        for (Report report : all.values()) {
            lapsed = report.isLapsed() ? lapsed.union(report.ranks()) : lapsed;
        }
        this.unknown = lapsed;
    }

    public Collection<Report> all() {
        return all.values();
    }

    public @Nullable Report of(String reporter) {
        return all.get(reporter);
    }

    /** Returns the ranks whose reporter is lost, so that it is unknown whether they are online. */
    public Idset unknown() {
        return unknown;
    }

    /** Returns the report of the lost reporter of a rank, or null. */
    public @Nullable Report lapsedOn(int rank) {
        if (!unknown.contains(rank)) {
            return null;
        }
        for (Report report : all.values()) {
            if (report.isLapsed() && report.ranks().contains(rank)) {
                return report;
            }
        }
        return null;
    }

    /**
     * Adds a reporter and removes its ranks from all other reporters. Ranks that only the earlier report of this reporter names
     * have no reporter afterwards.
     */
    public Reports with(Report report) {
        Reports others = change(other -> other.with(other.ranks().subtract(report.ranks())));
        SortedMap<String, Report> next = new TreeMap<>(others.all);
        next.put(report.reporter(), report);
        return new Reports(next);
    }

    public Reports lapse(String reporter, double time) {
        return change(report -> report.reporter().equals(reporter) ? report.lapse(time) : report);
    }

    public Reports lapseAll(double time) {
        return change(report -> report.lapse(time));
    }

    /** Removes ranks from the reports of lost reporters, because another source has reported whether the ranks are online. */
    Reports known(Idset ranks) {
        return unknown.intersect(ranks).isEmpty()
                ? this
                : change(
                        report -> report.isLapsed() ? report.with(report.ranks().subtract(ranks)) : report);
    }

    public Reports translate(UnaryOperator<Idset> translation) {
        return change(report -> report.with(translation.apply(report.ranks())));
    }

    private Reports change(UnaryOperator<Report> change) {
        if (all.isEmpty()) {
            return this;
        }
        SortedMap<String, Report> next = new TreeMap<>();
        for (Report report : all.values()) {
            Report changed = change.apply(report);
            if (!changed.ranks().isEmpty()) {
                next.put(changed.reporter(), changed);
            }
        }
        return new Reports(next);
    }
}
