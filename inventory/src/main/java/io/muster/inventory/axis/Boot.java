package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.json.Fields;
import java.io.IOException;

/**
 * The boot id that a host has reported last.
 *
 * @param since when the host reported it first, in seconds since the epoch
 */
public record Boot(String id, double since) {
    public static Boot read(Fields in) {
        return new Boot(in.text("id"), Epoch.seconds(in, "since"));
    }

    public void write(JsonGenerator out) throws IOException {
        out.writeStringField("id", id);
        Epoch.write(out, "since", since);
    }
}
