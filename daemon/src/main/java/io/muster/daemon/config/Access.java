package io.muster.daemon.config;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The rights of users: {@code [access]}, see flux-config-access(5), and {@code [[grant]]}. The owner, that is the user that
 * runs the daemon, has all rights.
 *
 * @param guests whether users without any other right may connect and read
 * @param rootOwner whether root counts as the owner
 * @param admins users and {@code %groups} with Flux's admin role, from {@code access.roles.admin}; a {@link Grant} gives the role rights
 * @param grants {@code [[grant]]}; users with any right may connect without {@code guests}
 * @param alerts the first part of the holder of each alert's hold, which no grant may name; "" if alerts are refused
 */
public record Access(boolean guests, boolean rootOwner, List<String> admins, List<Grant> grants, String alerts) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.][A-Za-z0-9_.@\\\\+-]{0,254}\\$?");

    public Access {
        admins = List.copyOf(admins);
        grants = List.copyOf(grants);
    }

    public Access(boolean guests, boolean rootOwner, List<String> admins, List<Grant> grants) {
        this(guests, rootOwner, admins, grants, "");
    }

    static Access read(ConfigTable top, String alerts) {
        ConfigTable access = top.section("access");
        access.flag("private-mode", false);
        List<ConfigTable> tables = top.tables("grant");
        List<Grant> grants = tables.stream().map(Grant::read).toList();
        Grant.check(tables, grants);
        for (int i = 0; i < grants.size(); i++) {
            String holder = grants.get(i).holder();
            if (holder != null && AlertSettings.isHolder(alerts, holder)) {
                tables.get(i)
                        .problem("holder", "is the holder of alerts: a user that sends alerts needs the right alerts");
            }
        }
        List<String> admins = admins(access.table("roles"));
        if (!admins.isEmpty() && grants.stream().noneMatch(grant -> grant.who().contains(Grant.ROLE_ADMIN))) {
            access.note(
                    "roles",
                    "the admin role gives no right over resources; add a [[grant]] with who = [\"" + Grant.ROLE_ADMIN
                            + "\"] if it should");
        }
        return new Access(
                access.flag("allow-guest-user", false), access.flag("allow-root-owner", false), admins, grants, alerts);
    }

    /**
     * Reads {@code access.roles}. Its only role is admin, as in flux-core; roles that a later flux-core may add are noted
     * and ignored, so that a configuration of flux-core can be used as it is.
     */
    private static List<String> admins(ConfigTable roles) {
        roles.noteUnknown(List.of("admin"));
        if (!roles.has("admin")) {
            return List.of();
        }
        ConfigTable admin = roles.table("admin");
        admin.noteUnknown(List.of("users", "groups"));
        List<String> names = new ArrayList<>(admin.texts("users"));
        names.forEach(name -> checkName(admin, "users", name));
        for (String group : admin.texts("groups")) {
            checkName(admin, "groups", "%" + group);
            names.add("%" + group);
        }
        return names;
    }

    static void checkName(ConfigTable table, String key, String name) {
        if (!isName(name.startsWith("%") ? name.substring(1) : name)) {
            table.problem(key, "\"" + name + "\" is neither a user nor a %group");
        }
    }

    /** Whether {@code text} could name an account. Such a text is safe on a command line. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }
}
