package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.PastAnswer;
import io.muster.inventory.history.Period;
import io.muster.inventory.history.Totals;
import io.muster.inventory.json.Fields;
import io.muster.inventory.rset.TargetException;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A question about the past.
 *
 * @param targets the hosts; null for all
 * @param notes whether marks and tags are intervals of the answer
 * @param by what a report sums up by; null if the intervals themselves are asked for
 * @param kinds the states that a report sums up
 * @param refusal makes the refusal of a value
 */
public record PastQuery(
        @Nullable String targets,
        Period period,
        boolean notes,
        Totals.@Nullable By by,
        Set<Outage.Kind> kinds,
        Fields.Refusal refusal) {
    public static final String HISTORY = "resource.history";
    public static final String TOTALS = "resource.totals";

    /** The highest number of hosts in a request. Each takes about 100 bytes, which do not count as memory of the peer. */
    public static final int MOST_HOSTS = 1 << 16;

    public PastQuery {
        kinds = Set.copyOf(kinds);
    }

    public static PastQuery parse(Fields in) {
        return of(in, null);
    }

    public static PastQuery parseTotals(Fields in) {
        return of(in, in.has("by") ? in.choice("by", Totals.By.class, Totals.By::word) : Totals.By.REASON);
    }

    private static PastQuery of(Fields in, Totals.@Nullable By by) {
        return new PastQuery(in.optional("targets"), period(in), in.flag("notes"), by, kinds(in), in.refusal());
    }

    static Period period(Fields in) {
        Period period = new Period(time(in, "since", 0), time(in, "until", Double.MAX_VALUE));
        if (period.since() > period.until()) {
            throw in.fault("since", "is later than /until");
        }
        return period;
    }

    /**
     * Returns the document that answers the question.
     *
     * @param now the present time
     * @throws TargetException if nothing that is known names a host
     */
    public ObjectNode document(PastAnswer past, double now) {
        past.coverage().requireKnown();
        return by == null ? past.toJson(period.since()) : past.totals(by, kinds, period, now);
    }

    /** Returns the refusal of a value. */
    public RuntimeException fault(String key, String sentence) {
        return refusal.of("/" + key, sentence);
    }

    private static double time(Fields in, String key, double otherwise) {
        if (!in.has(key)) {
            return otherwise;
        }
        double time = in.number(key, "seconds since the epoch");
        if (time < 0) {
            throw in.fault(key, "must be seconds since the epoch");
        }
        return time;
    }

    private static Set<Outage.Kind> kinds(Fields in) {
        if (!in.has("states")) {
            return EnumSet.of(Outage.Kind.DRAINED);
        }
        Set<Outage.Kind> kinds = EnumSet.noneOf(Outage.Kind.class);
        for (String word : in.text("states").split(",", -1)) {
            Outage.Kind found = null;
            for (Outage.Kind kind : Outage.Kind.values()) {
                found = kind.word().equals(word) && !kind.isNote() ? kind : found;
            }
            if (found == null) {
                throw in.fault(
                        "states", "has no state " + word + ": the states are drained, excluded, lost, offline, torpid");
            }
            kinds.add(found);
        }
        return kinds;
    }
}
