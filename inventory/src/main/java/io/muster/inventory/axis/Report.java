package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ranks that one reporter reports as online or offline.
 *
 * @param reporter the name under which the reporter registered; unique in the inventory
 * @param by the user that registered the reporter
 * @param since when the reporter registered, in seconds since the epoch
 * @param lapsed when the reporter was lost, so that the liveness of the ranks is unknown since then; 0 while it is connected
 * @param extras members that another version wrote and this version does not know
 */
public record Report(String reporter, Idset ranks, Principal by, double since, double lapsed, Extras extras) {
    private static final int LONGEST_REPORTER = 128;
    private static final Set<String> KEYS = Set.of("reporter", "idset", "nodelist", "since", "lapsed", "by");

    /** Reads a report from an object that also names its ranks. */
    public static Report read(Fields in, Idset ranks) {
        return new Report(
                in.text("reporter"),
                ranks,
                Principal.readBy(in),
                Epoch.seconds(in, "since"),
                Epoch.instantOr(in, "lapsed", 0),
                Extras.besides(in, KEYS));
    }

    /** Writes the members apart from the ranks into the current JSON object. */
    public void write(JsonGenerator out) throws IOException {
        out.writeStringField("reporter", reporter);
        Epoch.write(out, "since", since);
        if (isLapsed()) {
            Epoch.write(out, "lapsed", lapsed);
        }
        by.writeBy(out);
        extras.write(out);
    }

    /** Returns what is wrong with the name of a reporter, or null. */
    public static @Nullable String reporterFault(String reporter) {
        return Hold.wordFault("reporter", reporter, LONGEST_REPORTER);
    }

    public boolean isLapsed() {
        return lapsed > 0;
    }

    Report with(Idset others) {
        return new Report(reporter, others, by, since, lapsed, extras);
    }

    Report lapse(double time) {
        return isLapsed() ? this : new Report(reporter, ranks, by, since, time, extras);
    }
}
