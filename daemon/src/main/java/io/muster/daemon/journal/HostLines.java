package io.muster.daemon.journal;

import io.muster.inventory.hostlist.HostSearch;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides from the bytes of a line whether its event may concern one of some hosts, without parsing it. The answer is yes if
 * the bytes do not decide it: a line in another form than the daemon writes may concern every host.
 */
final class HostLines {
    private static final int LONGEST_NUMBER = 18;

    private static final byte[] SEQ = ascii("{\"seq\":");
    private static final byte[] DURABLE = ascii(",\"durable\":");
    private static final byte[] MORE = ascii(",\"more\":");
    private static final byte[] TIMESTAMP = ascii(",\"timestamp\":");
    private static final byte[] NAME = ascii(",\"name\":\"");
    private static final byte[] IDSET = ascii("\",\"context\":{\"idset\":\"");
    private static final byte[] NODELIST = ascii("\",\"nodelist\":\"");

    private final HostSearch hosts;

    private byte[] line = {};
    private int at;
    private int end;

    /** @param hosts empty for all hosts */
    HostLines(Set<String> hosts) {
        this.hosts = new HostSearch(hosts);
    }

    /** Whether lines may be passed over; otherwise each line may concern one of the hosts. */
    boolean isSelective() {
        return hosts.isSelective();
    }

    /**
     * The seq of a line that concerns none of the hosts; 0 if it may concern one.
     *
     * @param start where the JSON begins
     */
    long read(byte[] bytes, int start, int until) {
        long seq = isSelective() ? seq(bytes, start, until) : 0;
        return seq > 0 && !isNamed() ? seq : 0;
    }

    /** The hostlist of a line, as it is written, one character for each byte; null if the line has another form than the daemon writes. */
    @Nullable
    String hostlist(byte[] bytes, int start, int until) {
        if (seq(bytes, start, until) == 0) {
            return null;
        }
        int first = at;
        return skipText() ? new String(bytes, first, at - first, StandardCharsets.ISO_8859_1) : null;
    }

    /** Whether a hostlist may name one of the hosts. */
    boolean mayName(byte[] bytes, int start, int until) {
        return hosts.mayName(bytes, start, until);
    }

    /**
     * Returns the seq of a line in the form that the daemon writes, and moves to the line's hostlist; returns 0 if the line
     * has another form.
     */
    private long seq(byte[] bytes, int start, int until) {
        line = bytes;
        at = start;
        end = until;
        if (!skip(SEQ)) {
            return 0;
        }
        long seq = number();
        boolean head = skip(DURABLE) && number() >= 0 && (!skip(MORE) || number() >= 0) && skip(TIMESTAMP);
        while (at < end && (isDigit(line[at]) || line[at] == '.')) {
            at++;
        }
        return head && skip(NAME) && skipText() && skip(IDSET) && skipText() && skip(NODELIST) ? Math.max(seq, 0) : 0;
    }

    private boolean skip(byte[] literal) {
        boolean there =
                end - at >= literal.length && Arrays.equals(line, at, at + literal.length, literal, 0, literal.length);
        at += there ? literal.length : 0;
        return there;
    }

    /** Moves to the quote that ends a text. */
    private boolean skipText() {
        while (at < end && line[at] != '"' && line[at] != '\\') {
            at++;
        }
        return at < end && line[at] == '"';
    }

    /** The number here; -1 if there is none, or one that is too long. */
    private long number() {
        int first = at;
        long value = 0;
        while (at < end && isDigit(line[at])) {
            value = 10 * value + line[at++] - '0';
        }
        return at == first || at - first > LONGEST_NUMBER ? -1 : value;
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    /** Whether the hostlist here may name one of the hosts. */
    private boolean isNamed() {
        int first = at;
        return !skipText() || hosts.mayName(line, first, at);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
