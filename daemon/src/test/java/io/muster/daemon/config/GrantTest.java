package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.protocol.operation.Right;
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
    void grantsMayNameUsersGroupsAndRoles() {
        Access access = Configs.load(
                        dir,
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
                        new Grant(
                                List.of("bob", "%ops", "role:admin"),
                                Set.of(Right.READ, Right.CHANGE, Right.SPEAK_FOR),
                                null),
                        new Grant(List.of("mon"), Set.of(Right.HOLD), "monitor"));
    }

    @Test
    void aGrantMayNameACertificateAndItsCa() {
        Access access = Configs.load(
                        dir,
                        "[[grant]]",
                        "san = \"spiffe://site.example/ops\"",
                        "ca = \"ca.pem\"",
                        "crl = \"ca.crl\"",
                        "rights = [\"change\"]",
                        "[[grant]]",
                        "san = \"login1.example.org\"",
                        "ca = \"/pki/login.pem\"",
                        "rights = [\"speak-for\"]",
                        "root = true",
                        "[[grant]]",
                        "who = [\"login1.example.org/alice\"]",
                        "rights = [\"change\"]")
                .access();
        assertThat(access.grants())
                .containsExactly(
                        new Grant(
                                List.of("cert:spiffe://site.example/ops"),
                                Set.of(Right.CHANGE),
                                null,
                                null,
                                new Grant.Issuer(dir.resolve("ca.pem"), dir.resolve("ca.crl")),
                                false),
                        new Grant(
                                List.of("cert:login1.example.org"),
                                Set.of(Right.SPEAK_FOR),
                                null,
                                null,
                                new Grant.Issuer(Path.of("/pki/login.pem"), null),
                                true),
                        new Grant(List.of("login1.example.org/alice"), Set.of(Right.CHANGE), null));
    }

    @Test
    void theRightToReportChecksNamesHostsOrTakesThemFromTheCertificate() {
        List<Grant> grants = Configs.load(
                        dir,
                        "[[grant]]",
                        "who = [\"nhc\"]",
                        "rights = [\"report-check\"]",
                        "hosts = \"node[0-9]\"",
                        "[[grant]]",
                        "san = \"{host}.nodes.example\"",
                        "ca = \"ca.pem\"",
                        "rights = [\"report-check\"]")
                .access()
                .grants();
        assertThat(grants.get(0).hostsOf("nhc")).isEqualTo("node[0-9]");
        assertThat(grants.get(1).hostsOf("cert:node7.nodes.example")).isEqualTo("node7");
        assertThat(grants.get(1).hostsOf("cert:node7.evil.example")).isNull();
        assertThat(grants.get(1).hostsOf("cert:.nodes.example")).isNull();
        assertThat(grants.get(1).hostsOf("cert:node[0-9].nodes.example")).isNull();
    }

    record Fault(String entry, String problem) {}

    static List<Fault> faults() {
        String ops = "san = \"ops\"\nca = \"a\"\nrights = [\"read\"]\n[[grant]]\nsan = \"ops\"\nrights = [\"read\"]\n";
        String rights = "read, follow, hold, alerts, report-check, work, action, change, acquire, speak-for";
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
                new Fault(
                        "who = [\"h/bob\"]\nrights = [\"read\"]",
                        "5: grant[1].who: \"h/bob\" is a user of another host, and no entry has its relay as san"),
                new Fault(
                        "who = [\"h/b b\"]\nrights = [\"read\"]",
                        "5: grant[1].who: \"b b\" is neither a user nor a %group"),
                new Fault(
                        "who = [\"cert:h\"]\nrights = [\"read\"]",
                        "5: grant[1].who: \"cert:h\" is neither a user nor a %group"),
                new Fault(
                        "who = [\"bob\"]\nca = \"a\"\nrights = [\"read\"]",
                        "6: grant[1].ca: has no effect without san, the name in the certificate of a peer"),
                new Fault(
                        "who = [\"bob\"]\nsan = \"ops\"\nca = \"a\"\nrights = [\"read\"]",
                        "6: grant[1].san: an entry names either users with who, or a certificate with san"),
                new Fault(
                        "san = \"ops\"\nrights = [\"read\"]",
                        "4: grant[1].ca: is missing: san needs the file with the certificate of the CA, in PEM"),
                new Fault(
                        "san = \"*.example.org\"\nca = \"a\"\nrights = [\"read\"]",
                        "5: grant[1].san: expected a URI or a DNS name as in the certificate, without wildcard"),
                new Fault(
                        "san = \"cert:ops\"\nca = \"a\"\nrights = [\"read\"]",
                        "5: grant[1].san: a name that begins with cert: or token: could be confused with another"
                                + " certificate or a token: use another name"),
                new Fault(
                        "san = \"token:ops\"\nca = \"a\"\nrights = [\"read\"]",
                        "5: grant[1].san: a name that begins with cert: or token: could be confused with another"
                                + " certificate or a token: use another name"),
                new Fault(
                        ops + "ca = \"b\"",
                        "11: grant[2].ca: another entry names the same certificate with the CA DIR/a"),
                new Fault(
                        ops + "ca = \"a\"\ncrl = \"b\"",
                        "12: grant[2].crl: another entry names the same CA with another crl, or without one"),
                new Fault(
                        "san = \"h\"\nca = \"a\"\nrights = [\"read\"]\nroot = true",
                        "8: grant[1].root: has no effect without san and the right speak-for"),
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
                        "who = [\"bob\"]\nrights = [\"report-check\"]",
                        "4: grant[1].hosts: is missing: the right report-check needs the hosts that are reported, a hostlist or"
                                + " all"),
                new Fault(
                        "who = [\"bob\"]\nrights = [\"report-check\"]\nhosts = \"a[\"",
                        "7: grant[1].hosts: is no hostlist"),
                new Fault(
                        "who = [\"bob\"]\nrights = [\"read\"]\nhosts = \"a\"",
                        "7: grant[1].hosts: has no effect without the right report-check"),
                new Fault(
                        "san = \"{host}.x\"\nca = \"a\"\nrights = [\"report-check\"]\nhosts = \"a\"",
                        "8: grant[1].hosts: has no effect with {host} in san, which names the host"),
                new Fault(
                        "san = \"{host}.x\"\nca = \"a\"\nrights = [\"change\"]",
                        "7: grant[1].rights: an entry with {host} in san is for hosts that report themselves: only report-check"),
                new Fault(
                        "san = \"{host}.x\"\nca = \"a\"\nrights = [\"report-check\"]\n[[grant]]\nsan = \"ops.x\"\nca ="
                                + " \"b\"\nrights = [\"change\"]",
                        "10: grant[2].ca: another entry names the same certificate with the CA DIR/a"),
                new Fault(
                        "who = [\"bob\"]\nrights = [\"read\"]\nholders = \"ops\"",
                        "7: grant[1].holders: unknown key; did you mean holder?"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void invalidGrantsAreReportedWithTheirFileAndLine(Fault fault) {
        InvalidException refused = catchThrowableOfType(
                InvalidException.class,
                () -> Configs.load(dir, "[[grant]]", "who = [\"a\"]", "rights = [\"read\"]", "[[grant]]", fault.entry));
        assertThat(refused.problems())
                .extracting(Problem::toString)
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith(dir + "/muster.toml:" + fault.problem.replace("DIR", dir.toString())));
    }

    @Test
    void aGrantThatIsNotAnArrayOfTablesIsRefused() {
        InvalidException refused = catchThrowableOfType(
                InvalidException.class, () -> Configs.load(dir, "[grant]", "who = [\"a\"]", "rights = [\"read\"]"));
        assertThat(refused.problems())
                .extracting(Problem::toString)
                .containsExactly(dir + "/muster.toml:1: grant: must be an array of tables, not an object");
    }

    /** A later flux-core may add roles and keys. */
    @Test
    void anUnknownRoleIsIgnoredWithANote() {
        assertThat(Configs.load(dir, "[access]", "roles.user.users = []", "roles.admin.group = []")
                        .notes())
                .extracting(Problem::toString)
                .containsExactly(
                        dir + "/muster.toml:2: access.roles.user: unknown key, which is ignored",
                        dir + "/muster.toml:3: access.roles.admin.group: unknown key, which is ignored; did you mean"
                                + " groups?");
    }

    @Test
    void aRoleWithoutAGrantResultsInANote() {
        assertThat(Configs.load(dir, "[access]", "roles.admin.users = [\"carol\"]")
                        .notes())
                .extracting(Problem::toString)
                .containsExactly(dir + "/muster.toml:2: access.roles: the admin role gives no right over resources;"
                        + " add a [[grant]] with who = [\"role:admin\"] if it should");
    }
}
