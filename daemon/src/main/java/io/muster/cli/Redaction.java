package io.muster.cli;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A configuration without its secrets. A line counts as secret, also in a comment, if it has one of the words of {@link #WORDS} anywhere or
 * the name of its key has {@link #KEY}, or stands in a table whose name has one of these, or continues the value of such a line. It is
 * better to leave out too much than too little.
 */
final class Redaction {
    static final String REPLACED = "(replaced by muster support)";
    private static final Pattern WORDS =
            Pattern.compile("password|passwd|passphrase|secret|token|credential|private", Pattern.CASE_INSENSITIVE);
    /** A word in the name of a key. */
    private static final Pattern KEY =
            Pattern.compile("key|auth|bearer|pass\\b|pwd|pw\\b|pin\\b", Pattern.CASE_INSENSITIVE);
    /** A key of Flux's own configuration that is no secret, and the names of files. */
    private static final Pattern HARMLESS = Pattern.compile(
            "[\\s#]*(?:private-mode\\s*=\\s*(?:true|false)|(?:key|password-file)\\s*=\\s*\"[^\"]*(?:/[^\"]*|\\.key|\\.pem)\")\\s*(?:#.*)?");

    /** The user in a URI, and what may be a password, which may have characters that no URI may have. */
    private static final Pattern USER = Pattern.compile("(\\b[A-Za-z][A-Za-z0-9+.-]*://)[^\\s\"'<>]*@");

    private static final Pattern HEADER = Pattern.compile("(?i)\\b((?:bearer|basic)\\s+)[A-Za-z0-9._~+/=-]{6,}");
    /** An assignment in a log, a command line or JSON. The name of a user, {@code token:NAME}, is none. */
    private static final Pattern ASSIGNMENT = Pattern.compile(
            "(?i)([\\w.-]*(?:password|passwd|passphrase|secret|token|credential|(?:api|access|private|auth)[_-]?key)[\\w.-]*"
                    + "(?:\\s*=\\s*|[\"']\\s*:\\s*|:\\s+))(?!\\(replaced)(\"(?:[^\"\\\\]|\\\\.)*\"|'[^']*'|[^\\s\"',;&}]+)");

    private static final Pattern TABLE = Pattern.compile("\\s*\\[+[^\\]=]*]+\\s*(#.*)?");
    private static final Pattern QUOTED = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"|'[^']*'");
    /** A shorter value may be part of many words, so that other files would become unreadable. */
    private static final int SHORTEST = 6;

    private final StringBuilder text = new StringBuilder();
    private final Set<String> values = new LinkedHashSet<>();
    private boolean isSecretTable;
    private @Nullable String closing;
    /** Whether the value that {@link #closing} ends is in a comment, and so ends with the comment too. */
    private boolean isComment;
    /** The number of open brackets of an array. */
    private int depth;

    Redaction(String toml) {
        toml.lines().forEach(this::add);
    }

    /** Returns the configuration without secrets. */
    String text() {
        return text.toString();
    }

    /** Returns the secret values, which other texts may contain too. */
    Set<String> values() {
        return values;
    }

    /** Returns any text without users in URIs, and without values that look like passwords. */
    static String scrubbed(String text) {
        String clean = USER.matcher(text).replaceAll("$1" + REPLACED + "@");
        clean = HEADER.matcher(clean).replaceAll("$1" + REPLACED);
        return ASSIGNMENT.matcher(clean).replaceAll("$1" + REPLACED);
    }

    private void add(String line) {
        if (isComment && !line.stripLeading().startsWith("#")) {
            closing = null;
        }
        String end = closing;
        if (end != null) {
            remember(line);
            depth += brackets(line);
            closing = end.equals("]") ? array() : line.contains(end) ? null : end;
        } else if (TABLE.matcher(line).matches()) {
            isSecretTable = WORDS.matcher(line).find() || KEY.matcher(line).find();
            text.append(line).append('\n');
        } else if (!line.isBlank() && isSecret(line)) {
            replace(line);
        } else {
            text.append(line).append('\n');
        }
    }

    private boolean isSecret(String line) {
        return isSecretTable
                || ((WORDS.matcher(line).find()
                                || KEY.matcher(line.substring(0, Math.max(0, line.indexOf('='))))
                                        .find())
                        && !HARMLESS.matcher(line).matches());
    }

    private void replace(String line) {
        remember(line);
        int equals = line.indexOf('=');
        text.append(equals < 0 ? "# " : line.substring(0, equals + 1) + " ")
                .append(REPLACED)
                .append('\n');
        String value = line.substring(equals + 1).strip();
        if (equals >= 0) {
            closing = open(value, "\"\"\"");
            closing = closing == null ? open(value, "'''") : closing;
            depth = brackets(value);
            closing = closing == null && value.startsWith("[") ? array() : closing;
            isComment = line.stripLeading().startsWith("#");
        }
    }

    private @Nullable String array() {
        return depth > 0 ? "]" : null;
    }

    /** Returns how many more arrays the text begins than it ends. */
    private static int brackets(String text) {
        String bare =
                QUOTED.matcher(text.replaceFirst("^[\\s#]+", "")).replaceAll("").replaceFirst("#.*", "");
        return bare.replace("]", "").length() - bare.replace("[", "").length();
    }

    private static @Nullable String open(String value, String quotes) {
        return value.startsWith(quotes) && value.indexOf(quotes, quotes.length()) < 0 ? quotes : null;
    }

    private void remember(String line) {
        Matcher quoted = QUOTED.matcher(line);
        boolean any = false;
        while (quoted.find()) {
            any = true;
            keep(quoted.group().substring(1, quoted.group().length() - 1));
        }
        if (!any && closing != null) {
            keep(line.strip().replaceAll("[\"']{3}", ""));
        } else if (!any && line.indexOf('=') >= 0) {
            keep(line.substring(line.indexOf('=') + 1).replaceFirst("#.*", "").strip());
        }
    }

    private void keep(String value) {
        if (value.length() >= SHORTEST) {
            values.add(value);
        }
    }
}
