package io.muster.daemon.config;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Who may do what: {@code [access]}, see flux-config-access(5), and the users and groups that {@code [muster]} names. The owner, who is
 * the user that runs the daemon, may do everything.
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

    static Access read(Table access, Table muster) {
        access.flag("private-mode", false);
        access.table("roles");
        return new Access(
                access.flag("allow-guest-user", false),
                access.flag("allow-root-owner", false),
                principals(muster, "admins"),
                principals(muster, "schedulers"));
    }

    private static List<String> principals(Table muster, String key) {
        List<String> names = muster.texts(key);
        for (String name : names) {
            if (!isName(name.startsWith("%") ? name.substring(1) : name)) {
                muster.problem(key, "\"" + name + "\" is neither a user nor a %group");
            }
        }
        return names;
    }

    /** Whether {@code text} could name an account. Such a text is safe on a command line. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }
}
