package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GrantTest {
    @TempDir
    private Path dir;

    @Test
    void grantsAddToTheOlderKeys() {
        Access access = Configs.load(
                        dir,
                        "[muster]",
                        "admins = [\"alice\"]",
                        "[access.roles.admin]",
                        "users = [\"carol\"]",
                        "groups = [\"flux\"]",
                        "[[grant]]",
                        "who = [\"bob\", \"%ops\", \"role:admin\"]",
                        "rights = [\"read\", \"change\", \"speak-for\"]",
                        "[[grant]]",
                        "who = [\"mon\"]",
                        "rights = [\"hold\"]",
                        "holder = \"monitor\"")
                .access();
        assertThat(access.admins()).containsExactly("carol", "%flux");
        assertThat(access.grants())
                .containsExactly(
                        new Grant(List.of("alice"), Set.of(Right.FOLLOW, Right.CHANGE), null),
                        new Grant(
                                List.of("bob", "%ops", "role:admin"),
                                Set.of(Right.READ, Right.CHANGE, Right.SPEAK_FOR),
                                null),
                        new Grant(List.of("mon"), Set.of(Right.HOLD), "monitor"));
    }

    record Fault(String entry, String problem) {}

    static List<Fault> faults() {
        String rights = "read, follow, hold, change, acquire, speak-for";
        return List.of(
                new Fault("rights = [\"read\"]", "4: grant[1].who: is missing: expected users, %groups or role:admin"),
                new Fault(
                        "who = []\nrights = [\"read\"]",
                        "5: grant[1].who: is empty: expected users, %groups or role:admin"),
                new Fault("who = \"bob\"\nrights = [\"read\"]", "5: grant[1].who: expected an array of strings"),
                new Fault(
                        "who = [\"a b\"]\nrights = [\"read\"]",
                        "5: grant[1].who: \"a b\" is neither a user nor a %group"),
                new Fault(
                        "who = [\"role:user\"]\nrights = [\"read\"]",
                        "5: grant[1].who: there is no role \"user\"; the only role is admin"),
                new Fault("who = [\"bob\"]", "4: grant[1].rights: is missing: expected one or more of " + rights),
                new Fault(
                        "who = [\"bob\"]\nrights = []",
                        "6: grant[1].rights: is empty: expected one or more of " + rights),
                new Fault(
                        "who = [\"bob\"]\nrights = [\"chnge\"]",
                        "6: grant[1].rights: there is no right \"chnge\": expected " + rights
                                + "; did you mean change?"),
                new Fault(
                        "who = [\"bob\"]\nrights = [\"hold\"]",
                        "4: grant[1].holder: is missing: the right hold needs the name under which its users drain"),
                new Fault(
                        "who = [\"bob\"]\nrights = [\"hold\"]\nholder = \"a b\"",
                        "7: grant[1].holder: holder \"a b\": letters, digits and ._:@- only"),
                new Fault(
                        "who = [\"bob\"]\nrights = [\"read\"]\nholder = \"ops\"",
                        "7: grant[1].holder: has no effect without the right hold: add \"hold\" to rights, or remove"
                                + " this key"),
                new Fault(
                        "who = [\"bob\"]\nrights = [\"read\"]\nholders = \"ops\"",
                        "7: grant[1].holders: unknown key; did you mean holder?"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsReportedAtItsFileAndLine(Fault fault) {
        InvalidException refused = catchThrowableOfType(
                InvalidException.class,
                () -> Configs.load(dir, "[[grant]]", "who = [\"a\"]", "rights = [\"read\"]", "[[grant]]", fault.entry));
        assertThat(refused.problems()).extracting(Problem::toString).contains(dir + "/muster.toml:" + fault.problem);
    }

    @Test
    void grantIsAnArrayOfTables() {
        InvalidException refused = catchThrowableOfType(
                InvalidException.class, () -> Configs.load(dir, "[grant]", "who = [\"a\"]", "rights = [\"read\"]"));
        assertThat(refused.problems())
                .extracting(Problem::toString)
                .containsExactly(dir + "/muster.toml:1: grant: must be an array of tables, not an object");
    }

    /** A later flux-core may add roles and keys. */
    @Test
    void anUnknownRoleIsNotedAndIgnored() {
        assertThat(Configs.load(dir, "[access]", "roles.user.users = []", "roles.admin.group = []")
                        .notes())
                .extracting(Problem::toString)
                .containsExactly(
                        dir + "/muster.toml:2: access.roles.user: unknown key, which is ignored",
                        dir + "/muster.toml:3: access.roles.admin.group: unknown key, which is ignored; did you mean"
                                + " groups?");
    }

    @Test
    void aRoleThatNoGrantNamesIsNoted() {
        assertThat(Configs.load(dir, "[access]", "roles.admin.users = [\"carol\"]")
                        .notes())
                .extracting(Problem::toString)
                .containsExactly(dir + "/muster.toml:2: access.roles: the admin role gives no right over resources;"
                        + " add a [[grant]] with who = [\"role:admin\"] if it should");
    }
}
