package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.json.Fields;
import io.muster.inventory.problem.Text;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a hold is for, beside its reason. A part that is absent is "".
 *
 * @param category the class of the hold, such as hardware; a name from the configuration
 * @param ticket the ticket of the site's tracker
 * @param check the check whose result {@code ok} ends the hold
 * @param action what has to be done to the host; a name from the configuration
 */
public record Purpose(String category, String ticket, String check, String action) {
    public static final Purpose NONE = new Purpose("", "", "", "");

    /** The keys in events, in the state and in requests. */
    public static final Set<String> KEYS = Set.of("class", "ticket", "check", "action");

    private static final int LONGEST = 64;

    public static Purpose of(String category, String ticket) {
        return new Purpose(category, ticket, "", "");
    }

    public static Purpose read(Fields in) {
        return new Purpose(
                in.textOr("class", ""), in.textOr("ticket", ""), in.textOr("check", ""), in.textOr("action", ""));
    }

    /** Returns the parts that are not absent, by their keys. */
    public Map<String, String> words() {
        Map<String, String> words = new LinkedHashMap<>();
        put(words, "class", category);
        put(words, "ticket", ticket);
        put(words, "check", check);
        put(words, "action", action);
        return words;
    }

    private static void put(Map<String, String> words, String key, String word) {
        if (!word.isEmpty()) {
            words.put(key, word);
        }
    }

    /** Writes the parts that are not absent into the current JSON object. */
    public void write(JsonGenerator out) throws IOException {
        for (Map.Entry<String, String> word : words().entrySet()) {
            out.writeStringField(word.getKey(), word.getValue());
        }
    }

    /** Returns the class and the ticket, by which reports sum up. */
    public Purpose reported() {
        return of(category, ticket);
    }

    /** Returns whether a hold for this purpose is an attempt, which has a number: somebody has to report about it. */
    public boolean isAttempt() {
        return !check.isEmpty() || !action.isEmpty();
    }

    /** Returns this purpose with the parts of another one where this one has none. */
    public Purpose or(Purpose other) {
        return new Purpose(
                first(category, other.category),
                first(ticket, other.ticket),
                first(check, other.check),
                first(action, other.action));
    }

    private static String first(String word, String other) {
        return word.isEmpty() ? other : word;
    }

    /** Returns what is wrong with one of the words, or null. */
    public @Nullable String fault() {
        String fault = wordFault("class", category);
        fault = fault == null ? wordFault("check", check) : fault;
        fault = fault == null ? wordFault("action", action) : fault;
        return fault == null ? ticketFault() : fault;
    }

    private static @Nullable String wordFault(String noun, String word) {
        return word.isEmpty() ? null : Hold.wordFault(noun, word, LONGEST);
    }

    /** A ticket stands before the reason in views that have no column for it, so a blank would end it there. */
    private @Nullable String ticketFault() {
        boolean word = ticket.codePoints().allMatch(c -> Text.isText(c) && !Character.isWhitespace(c));
        return word && ticket.length() <= LONGEST
                ? null
                : "a ticket is one word of at most " + LONGEST + " characters, such as OPS-881";
    }
}
