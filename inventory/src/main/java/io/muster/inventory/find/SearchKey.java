package io.muster.inventory.find;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The left side of a comparison.
 *
 * @param name the tag, the property, or the key and members of a scheduler's data; "" for every other kind
 */
record SearchKey(Kind kind, String name) {
    enum Kind {
        TYPE,
        NAME,
        BASENAME,
        ID,
        SIZE,
        UNIT,
        PATH,
        RANK,
        STATE,
        CLASS,
        TICKET,
        UUID,
        TAG,
        PROPERTY,
        DATA;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns whether a name follows, as in {@code tag.firmware}. */
        boolean isNamed() {
            return this == TAG || this == PROPERTY || this == DATA;
        }

        boolean isNumber() {
            return this == ID || this == SIZE || this == RANK;
        }

        static @Nullable Kind of(String word) {
            String singular = word.equals("properties") ? "property" : word;
            return Arrays.stream(values())
                    .filter(kind -> kind.word().equals(singular))
                    .findFirst()
                    .orElse(null);
        }

        static String all() {
            return Arrays.stream(values())
                    .map(kind -> kind.word() + (kind.isNamed() ? ".K" : ""))
                    .collect(Collectors.joining(", "));
        }
    }

    /** Returns the key that a word is, such as {@code size} or {@code tag.firmware}; null if it is none. */
    static @Nullable SearchKey of(String word) {
        int dot = word.indexOf('.');
        @Nullable Kind kind = Kind.of(dot < 0 ? word : word.substring(0, dot));
        boolean fits = kind != null && (dot < 0 || (kind.isNamed() && dot < word.length() - 1));
        return kind != null && fits ? new SearchKey(kind, dot < 0 ? "" : word.substring(dot + 1)) : null;
    }
}
