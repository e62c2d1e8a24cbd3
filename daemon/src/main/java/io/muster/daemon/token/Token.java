package io.muster.daemon.token;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.Grant;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.json.Fields;
import io.muster.protocol.operation.Right;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A bearer token as the file has it. The text of the token, which only the bearer has, cannot be computed from this object.
 *
 * @param name the name of the bearer in the journal and the log, after {@code token:}
 * @param digest SHA-256 of the text, in hexadecimal digits
 * @param rights among {@link #GRANTABLE}
 * @param holder the holder that the right {@code hold} covers; null if the token does not have this right
 * @param hosts the hosts that the right {@code report-check} covers, a hostlist or {@code all}; null without this right
 * @param created seconds since the epoch
 * @param expires seconds since the epoch; 0 for never
 */
public record Token(
        String name,
        String digest,
        Set<Right> rights,
        @Nullable String holder,
        @Nullable String hosts,
        double created,
        double expires) {
    /** The rights that a token may have. No request over HTTP needs another one. */
    public static final Set<Right> GRANTABLE = Set.copyOf(EnumSet.range(Right.READ, Right.CHANGE));

    /** The words for {@link #GRANTABLE}. */
    public static final List<String> WORDS = words(GRANTABLE);

    /** Begins the text of each token, so that people and programs that search for secrets recognise it. */
    private static final String PREFIX = "muster_";

    /** Begins the name of a token that the daemon makes for a page; the name of the user and a number follow. */
    public static final String WEB = "web-";

    private static final int SECRET_BYTES = 32;
    private static final int DIGEST_DIGITS = 64;
    private static final int LONGEST_NAME = 64;

    public Token(
            String name, String digest, Set<Right> rights, @Nullable String holder, double created, double expires) {
        this(name, digest, Set.copyOf(rights), holder, null, created, expires);
    }

    /** Returns the text of a new token, with 256 random bits. */
    public static String newText() {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    }

    public static String digest(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Returns what is wrong with the name of a token, or null. */
    public static @Nullable String nameFault(String name) {
        return Hold.wordFault("token", name, LONGEST_NAME);
    }

    /** Returns what is wrong with the holder of a token that has these rights, or null. */
    public static @Nullable String holderFault(Set<Right> rights, @Nullable String holder) {
        if (!rights.contains(Right.HOLD)) {
            return holder == null ? null : "has no effect without the right hold";
        }
        return holder == null
                ? "is missing: the right hold needs the name under which the token drains"
                : Hold.holderFault(holder);
    }

    /** Returns the words for rights, in the order in which help lists them. */
    public static List<String> words(Set<Right> rights) {
        return Right.WORDS.stream()
                .filter(word -> Right.of(word).filter(rights::contains).isPresent())
                .toList();
    }

    /** Returns the user for whose page the daemon has made the token; null for any other token. */
    @Nullable
    String maker() {
        return Principal.maker("token:" + name);
    }

    public boolean isExpired(double now) {
        return expires > 0 && expires <= now;
    }

    /** @throws io.muster.inventory.problem.InvalidException naming the place, if the members have another form */
    static Token read(Fields in) {
        String name = in.text("name");
        refuse(in, "name", nameFault(name));
        String digest = in.text("sha256");
        boolean isDigest = digest.length() == DIGEST_DIGITS && digest.chars().allMatch(HexFormat::isHexDigit);
        refuse(in, "sha256", isDigest ? null : "must be a SHA-256 in 64 hexadecimal digits");
        Set<Right> rights = EnumSet.noneOf(Right.class);
        for (String word : in.textsOrNone("rights")) {
            Right right = Right.of(word).filter(GRANTABLE::contains).orElse(null);
            refuse(in, "rights", right == null ? "may have " + String.join(", ", WORDS) + ", not " + word : null);
            rights.add(Objects.requireNonNull(right));
        }
        refuse(in, "rights", rights.isEmpty() ? "must be an array of at least one right" : null);
        String holder = in.optional("holder");
        refuse(in, "holder", holderFault(rights, holder));
        String hosts = in.optional("hosts");
        refuse(in, "hosts", Grant.hostsFault(rights.contains(Right.REPORT_CHECK), hosts));
        return new Token(
                name, digest, rights, holder, hosts, Epoch.instant(in, "created"), Epoch.instantOr(in, "expires", 0));
    }

    private static void refuse(Fields in, String key, @Nullable String fault) {
        if (fault != null) {
            throw in.fault(key, fault);
        }
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("name", name).put("sha256", digest);
        ArrayNode words = json.putArray("rights");
        new ArrayList<>(words(rights)).forEach(words::add);
        if (holder != null) {
            json.put("holder", holder);
        }
        if (hosts != null) {
            json.put("hosts", hosts);
        }
        json.set("created", Epoch.number(created));
        if (expires > 0) {
            json.set("expires", Epoch.number(expires));
        }
        return json;
    }
}
