package io.muster.inventory.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.problem.Text;
import java.math.BigDecimal;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks that every reader of a response, such as libjansson or a terminal, can take a document: keys have no control
 * characters, strings have no control characters except tabs and line ends, integers fit into 64 bits and reals into a
 * double.
 */
public final class PortableJson {
    private static final int MOST_DIGITS = 308;

    /** The control characters that are allowed in strings from outside Muster, such as a scheduler's data in R. */
    private static final String OTHERS = "\t\n\r";

    private PortableJson() {}

    /** Returns what is wrong with a key, or null. */
    public static @Nullable String keyFault(String key) {
        return fault(key, "");
    }

    /**
     * Returns what is wrong with a string from outside Muster, or null. Muster's own strings follow the stricter rule for
     * keys: no control characters.
     */
    public static @Nullable String stringFault(String string) {
        return fault(string, OTHERS);
    }

    private static @Nullable String fault(String text, String allowed) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c < 0x7f) {
                continue;
            }
            int codePoint = text.codePointAt(i);
            i += Character.charCount(codePoint) - 1;
            boolean taken = allowed.isEmpty()
                    ? Text.isText(codePoint)
                    : allowed.indexOf(codePoint) >= 0
                            || !(Character.isISOControl(codePoint)
                                    || Character.getType(codePoint) == Character.SURROGATE);
            if (!taken) {
                return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE
                        ? "has half of a surrogate pair"
                        : "has the character " + Text.name(codePoint) + ", which no "
                                + (allowed.isEmpty() ? "name" : "string") + " may have";
            }
        }
        return null;
    }

    /** Returns whether a document has only printable ASCII characters and no escapes: then nothing is wrong with its strings and keys. */
    public static boolean isPlain(byte[] json, int from, int to) {
        for (int i = from; i < to; i++) {
            if (json[i] < ' ' || json[i] == 0x7f || json[i] == '\\') {
                return false;
            }
        }
        return true;
    }

    /** Returns what is wrong with a number, or null. */
    public static @Nullable String numberFault(JsonNode number) {
        if (number.isIntegralNumber()) {
            return number.canConvertToLong() ? null : "is an integer of more than 64 bits";
        }
        if (number.isBigDecimal()) {
            BigDecimal value = number.decimalValue();
            boolean small = (long) value.precision() - value.scale() <= MOST_DIGITS;
            return small || Double.isFinite(value.doubleValue()) ? null : "is out of a double's range";
        }
        return Double.isFinite(number.doubleValue()) ? null : "is not a number that JSON has";
    }

    /**
     * Passes every fault in a tree to {@code faults}, with the JSON pointer of the fault.
     *
     * @param place the JSON pointer of the tree
     */
    public static void check(JsonNode tree, String place, BiConsumer<String, String> faults) {
        check(tree, new StringBuilder(place), faults);
    }

    /**
     * Checks a value and all values in it. The parser that made the tree limits the nesting, and so the recursion.
     *
     * @param place the JSON pointer of the value
     */
    private static void check(JsonNode value, StringBuilder place, BiConsumer<String, String> faults) {
        String fault =
                value.isTextual() ? stringFault(value.textValue()) : value.isNumber() ? numberFault(value) : null;
        if (fault != null) {
            faults.accept(place.toString(), fault);
        }
        int length = place.length();
        for (Map.Entry<String, JsonNode> member : value.properties()) {
            place.append(Pointer.of("", member.getKey()));
            String keyFault = keyFault(member.getKey());
            if (keyFault != null) {
                faults.accept(place.toString(), "the key " + keyFault);
            }
            check(member.getValue(), place, faults);
            place.setLength(length);
        }
        for (int i = 0; value.isArray() && i < value.size(); i++) {
            check(value.get(i), place.append('/').append(i), faults);
            place.setLength(length);
        }
    }
}
