package io.muster.daemon.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.config.Access;
import io.muster.daemon.config.Grant;
import io.muster.inventory.axis.Principal;
import io.muster.protocol.operation.Right;
import io.muster.protocol.wire.Credentials;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private static final int OWNER = 1000;

    private static Admission admission(boolean guests, List<String> roleAdmins, Grant... grants) {
        Access access = new Access(guests, false, roleAdmins, List.of(grants));
        return Admission.of(OWNER, access, new Accounts(), name -> {
            throw new AssertionError(name);
        });
    }

    private static Grant grant(String who, @Nullable String holder, Right... rights) {
        return new Grant(List.of(who), Set.of(rights), holder);
    }

    private static Rights of(Admission admission, int uid) {
        return Objects.requireNonNull(admission.admit(Identity.ofKernel(uid, uid, 0), "" + uid));
    }

    /** Returns the rights of a request that the owner sends for a user with these roles. */
    private static Rights forOwner(Admission admission, int uid, int roles) {
        return admission.onBehalfOf(of(admission, OWNER), new Credentials(uid, roles), "" + uid);
    }

    @Test
    void aUserHasTheRightsOfAllGrants() {
        Admission admission = admission(
                false,
                List.of(),
                grant("2001", "monitor", Right.HOLD),
                grant("2001", "racks", Right.HOLD, Right.FOLLOW),
                grant("2002", null, Right.CHANGE),
                grant("2003", null, Right.READ));
        Rights monitor = of(admission, 2001);
        assertThat(monitor.allow(Right.READ)).isTrue();
        assertThat(monitor.allow(Right.FOLLOW)).isTrue();
        assertThat(monitor.allow(Right.HOLD)).isTrue();
        assertThat(monitor.allow(Right.CHANGE)).isFalse();
        assertThat(monitor.allow(Right.ACQUIRE)).isFalse();
        assertThat(monitor.allowHolder("monitor")).isTrue();
        assertThat(monitor.allowHolder("racks")).isTrue();
        assertThat(monitor.allowHolder("admin")).isFalse();
        assertThat(monitor.allowHolder(null)).isFalse();
        assertThat(of(admission, 2002).allowHolder(null)).isTrue();
        assertThat(of(admission, 2002).allow(Right.FOLLOW)).isFalse();
        assertThat(of(admission, 2003).areAGuests())
                .as("the configuration names it")
                .isFalse();
        assertThat(of(admission, OWNER).allowHolder(null)).isTrue();
        assertThat(admission.admit(Identity.ofKernel(2004, 2004, 0), "2004")).isNull();
        assertThat(admission.isForOwnerOnly()).isFalse();
        assertThat(admission.refusal(monitor, Right.HOLD))
                .endsWith("grants to 2001 (holder \"monitor\" only), 2001 (holder \"racks\" only), 2002");
        assertThat(admission.refusal(monitor, Right.ACQUIRE))
                .endsWith("the right \"acquire\", which no [[grant]] gives");
    }

    @Test
    void aCertificateHasTheRightsOfItsGrantsAndATokenHasItsOwnRights() {
        Admission admission = admission(
                false,
                List.of(),
                grant("cert:ops.example.org", null, Right.CHANGE),
                grant("cert:ops.example.org", "monitor", Right.HOLD),
                grant("4294967295", null, Right.ACQUIRE));
        Rights ops = named(admission, Identity.ofCertificate("ops.example.org"));
        assertThat(ops.principal()).isEqualTo(Principal.ofName("cert:ops.example.org"));
        assertThat(ops.granted()).containsExactlyInAnyOrder(Right.CHANGE, Right.HOLD);
        assertThat(ops.holders()).containsExactly("monitor");
        assertThat(ops.credentials())
                .as("as an admin on a socket, but not on this host")
                .isEqualTo(new Credentials(Credentials.USERID_UNKNOWN, Credentials.USER | Credentials.ADMIN));
        assertThat(admission.admit(Identity.ofCertificate("dev.example.org"), ""))
                .isNull();
        assertThat(admission.admit(Identity.ofToken("ops.example.org", Set.of(), Scope.NONE, null), ""))
                .isNull();

        Rights token = named(admission, Identity.ofToken("ci", Set.of(Right.HOLD), Scope.of(Set.of("ci")), null));
        assertThat(token.principal()).isEqualTo(Principal.ofName("token:ci"));
        assertThat(token.allowHolder("ci")).isTrue();
        assertThat(token.allowHolder("monitor")).isFalse();
        assertThat(token.allow(Right.CHANGE)).isFalse();
        assertThat(token.identity().who()).isEqualTo("token:ci");
    }

    private static Rights named(Admission admission, Identity identity) {
        String name = Objects.requireNonNull(identity.named()).name();
        return Objects.requireNonNull(admission.admit(identity, name));
    }

    @Test
    void aUserOfAnotherHostHasNoRightsOfTheLocalUserWithTheSameUid() {
        Admission admission = admission(
                false,
                List.of(),
                grant("" + OWNER, null, Right.CHANGE),
                grant("2001", null, Right.CHANGE),
                grant("login1/2002", null, Right.FOLLOW, Right.CHANGE),
                grant("cert:login1", null, Right.SPEAK_FOR, Right.CHANGE));
        Rights relay = named(admission, Identity.ofCertificate("login1"));
        for (int uid : new int[] {OWNER, 2001, 2003}) {
            Rights user = admission.onBehalfOf(relay, new Credentials(uid, Credentials.USER), "login1/" + uid);
            assertThat(user.allow(Right.READ)).as("" + uid).isFalse();
        }
        int all = Credentials.OWNER | Credentials.USER | Credentials.ADMIN;
        Rights user = admission.onBehalfOf(relay, new Credentials(2002, all), "login1/2002");
        assertThat(user.allow(Right.CHANGE)).isTrue();
        assertThat(user.allow(Right.FOLLOW)).as("the relay lacks it").isFalse();
        assertThat(user.credentials().isOwner()).isFalse();
        assertThat(user.principal()).hasToString("login1/2002 through cert:login1");
        Rights root = admission.onBehalfOf(relay, new Credentials(0, Credentials.USER), "login1/0");
        assertThat(root.allow(Right.CHANGE)).isTrue();
        assertThat(root.principal().isSamePerson(relay.principal())).isTrue();
    }

    @Test
    void theAdminRoleOfFluxHasOnlyTheRightsOfGrantsToTheRole() {
        int admin = Credentials.USER | Credentials.ADMIN;
        Admission without = admission(true, List.of("2001"));
        assertThat(of(without, 2001).credentials().rolemask()).isEqualTo(admin | Credentials.LOCAL);
        assertThat(of(without, 2001).allow(Right.CHANGE)).isFalse();
        assertThat(of(without, 2001).areAGuests()).isTrue();
        assertThat(forOwner(without, 2001, admin).allow(Right.CHANGE)).isFalse();

        Admission with = admission(false, List.of("2001"), grant(Grant.ROLE_ADMIN, null, Right.CHANGE));
        assertThat(of(with, 2001).allow(Right.CHANGE)).isTrue();
        assertThat(with.admit(Identity.ofKernel(2002, 2002, 0), "2002")).isNull();
        assertThat(with.isForOwnerOnly()).isFalse();
        assertThat(forOwner(with, 2002, admin).allow(Right.CHANGE)).isTrue();
        assertThat(forOwner(with, 2002, Credentials.USER).allow(Right.CHANGE)).isFalse();
        assertThat(forOwner(with, 2002, Credentials.ADMIN).allow(Right.CHANGE))
                .as("no role of a user")
                .isFalse();
        assertThat(admission(false, List.of(), grant(Grant.ROLE_ADMIN, null, Right.CHANGE))
                        .isForOwnerOnly())
                .as("nobody has the role")
                .isTrue();
    }
}
