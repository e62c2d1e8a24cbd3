package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition that a scheduler keeps when its connection ends, for example because the daemon restarts. The scheduler takes the
 * acquisition up again by the name of its owner.
 *
 * @param owner the name under which the acquisition was made; unique in the inventory
 * @param grace for how many seconds the owner may be without a connection before the acquisition ends
 * @param since when the acquisition was first made, in seconds since the epoch
 * @param by the user that made the acquisition; only this user may take it up again
 * @param extras members that another version wrote and this version does not know
 */
public record Acquisition(String owner, double grace, double since, Principal by, Extras extras) {
    public static final double DEFAULT_GRACE = 60;
    public static final double LONGEST_GRACE = 86_400;

    private static final int LONGEST_OWNER = 128;
    private static final Set<String> KEYS = Set.of("owner", "grace", "since", "by");

    public static Acquisition read(Fields in) {
        return new Acquisition(
                in.text("owner"),
                in.number("grace"),
                Epoch.seconds(in, "since"),
                Principal.readBy(in),
                Extras.besides(in, KEYS));
    }

    /** Writes the members into the current JSON object. */
    public void write(JsonGenerator out) throws IOException {
        out.writeStringField("owner", owner);
        Epoch.write(out, "grace", grace);
        Epoch.write(out, "since", since);
        by.writeBy(out);
        extras.write(out);
    }

    /** Returns what is wrong with the name of an owner, or null. A name is one plain word, as that of a hold's holder. */
    public static @Nullable String ownerFault(String owner) {
        return Hold.wordFault("owner", owner, LONGEST_OWNER);
    }

    public static @Nullable String graceFault(double grace) {
        return grace >= 0 && grace <= LONGEST_GRACE
                ? null
                : "grace must be 0 to " + (long) LONGEST_GRACE + " seconds, not " + grace;
    }
}
