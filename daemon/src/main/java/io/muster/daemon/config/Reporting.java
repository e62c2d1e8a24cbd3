package io.muster.daemon.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The settings of the metrics and the log.
 *
 * @param metrics address of the HTTP endpoint; empty for none; port 0 for any free port
 */
public record Reporting(Optional<InetSocketAddress> metrics, Logging.Format logFormat, Logging.Level logLevel) {
    private static final String DEFAULT_METRICS = "127.0.0.1:9559";
    private static final String EXPECTED = "expected off or ADDRESS:PORT, the address in numbers or localhost";
    private static final Pattern ADDRESS = Pattern.compile("(localhost|[0-9.]+|\\[[0-9a-fA-F:.]+])?:(\\d{1,5})");

    static Reporting read(ConfigTable muster) {
        String metrics = muster.get("metrics", DEFAULT_METRICS, Reporting::metricsOf);
        Optional<InetSocketAddress> address =
                metrics.equals("off") ? Optional.empty() : Optional.of(addressOf(metrics, EXPECTED));
        if (address.isPresent() && !address.get().getAddress().isLoopbackAddress()) {
            muster.note(
                    "metrics", "not a loopback address: everybody who reaches it can read host counts and versions");
        }
        return new Reporting(
                address,
                muster.choice("log-format", Logging.Format.TEXT),
                muster.choice("log-level", Logging.Level.INFO));
    }

    private static String metricsOf(JsonNode node) {
        String text = ConfigTable.textOf(node);
        if (!text.equals("off")) {
            addressOf(text, EXPECTED);
        }
        return text;
    }

    /** Parses an address. Only numeric addresses and localhost are accepted, because other names would need the name service at start. */
    static InetSocketAddress addressOf(String text, String expected) {
        Matcher m = ADDRESS.matcher(text);
        ConfigTable.require(m.matches(), expected);
        int port = Integer.parseInt(m.group(2));
        ConfigTable.require(port <= 65535, "there is no port " + port);
        try {
            String host = m.group(1);
            ConfigTable.require(host != null, "expected an address before :" + port);
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(text + " is not an address", e);
        }
    }
}
