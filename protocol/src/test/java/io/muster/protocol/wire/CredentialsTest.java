package io.muster.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of RFC 12. */
class CredentialsTest {
    @ParameterizedTest(name = "connection {0}/{1}, message {2}/{3}: {4}/{5}")
    @CsvSource({
        // the owner: unset values are filled in, others are accepted
        "500, 5,   -1, 0,    500, 5",
        "500, 5, 1000, 2,   1000, 2",
        "500, 5,   -1, 2,    500, 2",
        "500, 5, 1000, 0,   1000, 5",
        "500, 5,  500, 1,    500, 1",
        "500, 5,    0, 0x80000002, 0, 0x80000002",
        // a guest: claims are ignored
        "1000, 6,  -1, 0,   1000, 6",
        "1000, 6, 500, 1,   1000, 6",
        "1000, 6,1000, 7,   1000, 6",
        "1000, 14,  0, 5,   1000, 14",
    })
    void claimsOfTheOwnerAreAcceptedAndClaimsOfAGuestAreIgnored(
            int userid, String roles, int claimedUserid, String claimedRoles, int resultUserid, String resultRoles) {
        Credentials connection = new Credentials(userid, mask(roles));
        Credentials claimed = new Credentials(claimedUserid, mask(claimedRoles));
        assertThat(connection.stamp(claimed, connection.isOwner()))
                .isEqualTo(new Credentials(resultUserid, mask(resultRoles)));
    }

    private static int mask(String text) {
        return Long.decode(text).intValue();
    }

    @Test
    void theOwnerMayUseEveryServiceAndOthersNeedAnAllowedRole() {
        assertThat(new Credentials(500, Credentials.OWNER).mayUse(0)).isTrue();
        assertThat(new Credentials(500, Credentials.USER).mayUse(0)).isFalse();
        assertThat(new Credentials(500, Credentials.USER).mayUse(Credentials.ADMIN))
                .isFalse();
        assertThat(new Credentials(500, Credentials.USER | Credentials.ADMIN).mayUse(Credentials.ADMIN))
                .isTrue();
        assertThat(Credentials.UNSET.mayUse(0xf)).isFalse();
    }

    @Test
    void toStringNamesTheRoles() {
        assertThat(Credentials.UNSET).hasToString("unset");
        assertThat(new Credentials(0, 5)).hasToString("0(owner,local)");
        assertThat(new Credentials(-2, 14)).hasToString("4294967294(user,local,admin)");
        assertThat(new Credentials(7, 0x80000010)).hasToString("7(0x80000010)");
    }
}
