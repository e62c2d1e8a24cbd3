package io.muster.daemon.alert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.json.Fields;
import io.muster.protocol.admin.Payload;
import io.muster.protocol.rpc.RpcException;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A message of an Alertmanager, by version 4 of its webhook.
 *
 * @param truncated how many alerts the Alertmanager left out, because its receiver has a {@code max_alerts}
 */
public record AlertMessage(List<Alert> alerts, long truncated) {
    /** The highest number of alerts in a message. */
    static final int MOST = 1000;

    private static final Pattern FINGERPRINT = Pattern.compile("[0-9a-f]{1,31}");

    public AlertMessage {
        alerts = List.copyOf(alerts);
    }

    /**
     * An alert.
     *
     * @param fingerprint number, in hexadecimal digits, that identifies the alert; it depends on the labels only
     * @param texts the labels, and the annotations whose names no label has
     * @param endsAt when the alert ends, in seconds since the epoch; 0 while the end is not known
     */
    public record Alert(
            String fingerprint, boolean firing, Map<String, String> labels, Map<String, String> texts, double endsAt) {
        public Alert {
            labels = Map.copyOf(labels);
            texts = Map.copyOf(texts);
        }
    }

    private enum Status {
        FIRING,
        RESOLVED
    }

    /**
     * @throws RpcException EPROTO naming the place, if the message has another form; then none of its alerts is carried out
     */
    public static AlertMessage parse(ObjectNode json) {
        Fields in = Payload.fields("resource.alerts", json);
        if (!in.text("version").equals("4")) {
            throw in.fault("version", "must be \"4\", the version of the webhook");
        }
        List<Fields> each = in.list("alerts");
        if (each.size() > MOST) {
            throw in.fault("alerts", "has " + each.size() + " alerts, but may have at most " + MOST);
        }
        long truncated = in.has("truncatedAlerts") ? in.integer("truncatedAlerts", 0, Long.MAX_VALUE) : 0;
        return new AlertMessage(each.stream().map(AlertMessage::alert).toList(), truncated);
    }

    private static Alert alert(Fields in) {
        String fingerprint = in.text("fingerprint");
        if (!FINGERPRINT.matcher(fingerprint).matches()) {
            throw in.fault("fingerprint", "must be 1 to 31 hexadecimal digits");
        }
        Map<String, String> labels = texts(in, "labels");
        Map<String, String> texts = in.has("annotations") ? texts(in, "annotations") : new HashMap<>();
        texts.putAll(labels);
        boolean firing =
                in.choice("status", Status.class, status -> status.name().toLowerCase(Locale.ROOT)) == Status.FIRING;
        return new Alert(fingerprint, firing, labels, texts, in.has("endsAt") ? time(in) : 0);
    }

    private static Map<String, String> texts(Fields in, String key) {
        Map<String, String> texts = new HashMap<>();
        Fields members = in.object(key);
        for (Map.Entry<String, JsonNode> member : new ArrayList<>(members.json().properties())) {
            texts.put(member.getKey(), members.text(member.getKey()));
        }
        return texts;
    }

    /** Reads the time of an alert's end. The Alertmanager writes the year 1 if it does not know the end. */
    private static double time(Fields in) {
        try {
            double time = OffsetDateTime.parse(in.text("endsAt")).toEpochSecond();
            return Math.max(0, Math.min(time, Epoch.LAST));
        } catch (DateTimeException e) {
            throw in.fault("endsAt", "must be a time by RFC 3339");
        }
    }
}
