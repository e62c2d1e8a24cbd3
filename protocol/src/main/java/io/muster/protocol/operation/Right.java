package io.muster.protocol.operation;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

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
    /** To report results of checks and boot ids for the hosts that the grant names. */
    REPORT_CHECK,
    /** To claim the work that holds ask for, and to report what came of it. */
    WORK,
    /** To place holds that ask for an action. {@link #CHANGE} does not include this right. */
    ACTION,
    /** To change the inventory, which includes drain and undrain under every holder, and results of checks of every host. */
    CHANGE,
    /** To acquire the resources, as a scheduler does. */
    ACQUIRE,
    /** To send requests for other users. A request then has only the rights that both users have. */
    SPEAK_FOR;

    /** The rights to requests that may change the inventory. */
    static final Set<Right> CHANGING = EnumSet.of(HOLD, ALERTS, REPORT_CHECK, WORK, CHANGE);

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
