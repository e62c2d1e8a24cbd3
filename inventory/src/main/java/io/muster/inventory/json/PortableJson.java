package io.muster.inventory.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.problem.Text;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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

    /** Adds a problem for every fault in a tree, with the JSON pointer of the fault. */
    public static void check(JsonNode tree, Problems problems) {
        new Walk(problems::add, false).value(tree, OTHERS);
    }

    /**
     * Repairs a document that an earlier version wrote, in place: a control character that is not allowed becomes its escape
     * as text, and a number that is out of range becomes text. The same document is always repaired in the same way.
     *
     * @return the JSON pointers of the changed values
     */
    public static List<String> mend(JsonNode document) {
        List<String> changed = new ArrayList<>();
        new Walk((place, fault) -> changed.add(Text.escaped(place)), true).value(document, "");
        return changed;
    }

    private static String replaced(String text, String allowed) {
        StringBuilder out = new StringBuilder(text.length() + 8);
        text.codePoints().forEach(c -> {
            String character = Character.toString(c);
            out.append(fault(character, allowed) == null ? character : String.format(Locale.ROOT, "\\u%04x", c));
        });
        return out.toString();
    }

    private static JsonNode replaced(JsonNode scalar, String allowed) {
        if (scalar.isTextual()) {
            return TextNode.valueOf(replaced(scalar.textValue(), allowed));
        }
        double real = scalar.doubleValue();
        return Double.isFinite(real)
                ? DecimalNode.valueOf(BigDecimal.valueOf(real))
                : TextNode.valueOf(scalar.asText());
    }

    /** A walk of one tree. The recursion is bounded, because the parser that made the tree limits the nesting. */
    private static final class Walk {
        private final BiConsumer<String, String> faults;
        private final boolean mending;
        private final StringBuilder place = new StringBuilder();

        Walk(BiConsumer<String, String> faults, boolean mending) {
            this.faults = faults;
            this.mending = mending;
        }

        /**
         * Checks a value and all values in it.
         *
         * @param allowed the control characters that strings may have here
         * @return the value, or its replacement if the walk repairs the document
         */
        JsonNode value(JsonNode value, String allowed) {
            String fault = value.isTextual()
                    ? fault(value.textValue(), allowed)
                    : value.isNumber() ? numberFault(value) : null;
            if (fault != null) {
                faults.accept(place.toString(), fault);
                return mending ? replaced(value, allowed) : value;
            }
            if (value instanceof ObjectNode object) {
                members(object, allowed);
            } else if (value instanceof ArrayNode array) {
                int length = place.length();
                for (int i = 0; i < array.size(); i++) {
                    place.append('/').append(i);
                    JsonNode mended = value(array.get(i), allowed);
                    place.setLength(length);
                    if (mending) {
                        array.set(i, mended);
                    }
                }
            }
            return value;
        }

        private void members(ObjectNode object, String allowed) {
            int length = place.length();
            boolean badKeys = false;
            for (Map.Entry<String, JsonNode> member : object.properties()) {
                String key = member.getKey();
                place.append(Pointer.of("", key));
                String fault = keyFault(key);
                if (fault != null) {
                    badKeys = true;
                    faults.accept(place.toString(), "the key " + fault);
                }
                // Only R contains strings from outside Muster. The stricter rule applies to everything else.
                JsonNode mended = value(member.getValue(), key.equals("R") ? OTHERS : allowed);
                place.setLength(length);
                if (mending) {
                    member.setValue(mended);
                }
            }
            if (badKeys && mending) {
                renameKeys(object);
            }
        }

        private static void renameKeys(ObjectNode object) {
            Map<String, JsonNode> members = new LinkedHashMap<>();
            object.properties().forEach(member -> {
                String key = replaced(member.getKey(), "");
                while (!key.equals(member.getKey()) && (object.has(key) || members.containsKey(key))) {
                    key += "_";
                }
                members.put(key, member.getValue());
            });
            object.removeAll();
            object.setAll(members);
        }
    }
}
