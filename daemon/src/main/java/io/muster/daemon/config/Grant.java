package io.muster.daemon.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.axis.Hold;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An entry of {@code [[grant]]}: users, and the rights that they have. A user has the rights of all grants that name the user.
 *
 * @param who users, {@code %groups}, and {@link #ROLE_ADMIN}
 * @param holder the holder that the right {@code hold} covers; null if the grant does not have this right
 */
public record Grant(
        List<String> who, Set<Right> rights, @Nullable String holder) {
    /** The users that {@code access.roles.admin} names, and users for whom a router sends requests with this role. */
    public static final String ROLE_ADMIN = "role:admin";

    private static final List<String> KEYS = List.of("who", "rights", "holder");

    public Grant {
        who = List.copyOf(who);
        rights = Set.copyOf(rights);
    }

    static Grant read(Table grant) {
        grant.refuseUnknown(KEYS);
        List<String> who = names(grant, "who", "users, %groups or " + ROLE_ADMIN);
        for (String name : who) {
            if (name.startsWith("role:") && !name.equals(ROLE_ADMIN)) {
                grant.problem("who", "there is no role \"" + name.substring(5) + "\"; the only role is admin");
            } else if (!name.equals(ROLE_ADMIN)) {
                Access.checkName(grant, "who", name);
            }
        }
        Set<Right> rights = EnumSet.noneOf(Right.class);
        for (String word : names(grant, "rights", "one or more of " + String.join(", ", Right.WORDS))) {
            int index = Right.WORDS.indexOf(word);
            if (index < 0) {
                grant.problem(
                        "rights",
                        "there is no right \"" + word + "\": expected " + String.join(", ", Right.WORDS)
                                + Key.suggestion(word, Right.WORDS));
            } else {
                rights.add(Right.values()[index]);
            }
        }
        return new Grant(who, rights, holder(grant, rights.contains(Right.HOLD)));
    }

    /** Reads an array that must not be empty. */
    private static List<String> names(Table grant, String key, String expected) {
        JsonNode array = grant.json(key);
        if (array.isMissingNode() || (array.isArray() && array.isEmpty())) {
            grant.problem(key, (array.isArray() ? "is empty" : "is missing") + ": expected " + expected);
        }
        return grant.texts(key);
    }

    private static @Nullable String holder(Table grant, boolean hold) {
        if (!grant.has("holder")) {
            if (hold) {
                grant.problem("holder", "is missing: the right hold needs the name under which its users drain");
            }
            return null;
        }
        String holder = grant.text("holder", Hold.SHARED);
        String fault = Hold.holderFault(holder);
        if (fault != null) {
            grant.problem("holder", fault);
        } else if (!hold) {
            grant.problem("holder", "has no effect without the right hold: add \"hold\" to rights, or remove this key");
        }
        return holder;
    }
}
