package io.muster.protocol.operation;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The rights that the configuration grants and that methods require. The owner has all of them. */
public enum Right {
    /** To query the inventory. Every user that is admitted has this right, except one that has {@link #ALERTS} alone. */
    READ,
    /** To follow the journal, which names the user that made each change. */
    FOLLOW,
    /** To drain and undrain under the holder that the grant names, and under no other. */
    HOLD,
    /** To send alerts, which place and end the holds of the alerts, and nothing else. */
    ALERTS,
    /** To change the inventory, which includes drain and undrain under every holder. */
    CHANGE,
    /** To acquire the resources, as a scheduler does. */
    ACQUIRE,
    /** To send requests for other users. A request then has only the rights that both users have. */
    SPEAK_FOR;

    public static final List<String> WORDS =
            Arrays.stream(values()).map(Right::word).toList();

    public static Optional<Right> of(String word) {
        return Arrays.stream(values())
                .filter(right -> right.word().equals(word))
                .findFirst();
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
