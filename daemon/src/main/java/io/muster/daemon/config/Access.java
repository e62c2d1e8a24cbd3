package io.muster.daemon.config;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Who may do what: {@code [access]}, see flux-config-access(5), and the grants of {@code [muster]}. The owner is the user who runs the
 * daemon, and may do everything.
 *
 * @param guests whether users without any other right may connect and read
 * @param rootOwner whether root counts as the owner
 * @param admins users and {@code %groups} who may change state; they may connect without {@code guests}
 * @param schedulers users and {@code %groups} who may acquire; they may connect without {@code guests}
 */
public record Access(boolean guests, boolean rootOwner, List<String> admins, List<String> schedulers) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.][A-Za-z0-9_.@\\\\+-]{0,254}\\$?");

    public Access {
        admins = List.copyOf(admins);
        schedulers = List.copyOf(schedulers);
    }

    static Access read(Settings settings) {
        settings.flag(Key.ACCESS_PRIVATE_MODE, false);
        settings.get(Key.ACCESS_ROLES, "", node -> {
            Settings.require(node.isObject(), "expected a table");
            return node.toString();
        });
        return new Access(
                settings.flag(Key.ACCESS_ALLOW_GUEST_USER, false),
                settings.flag(Key.ACCESS_ALLOW_ROOT_OWNER, false),
                principals(settings, Key.ADMINS),
                principals(settings, Key.SCHEDULERS));
    }

    private static List<String> principals(Settings settings, Key key) {
        List<String> names = settings.texts(key);
        for (String name : names) {
            if (!isName(name.startsWith("%") ? name.substring(1) : name)) {
                settings.problem(key, "\"" + name + "\" is neither a user nor a %group");
            }
        }
        return names;
    }

    /** Whether {@code text} could name an account. Such a text is safe on a command line. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }
}
