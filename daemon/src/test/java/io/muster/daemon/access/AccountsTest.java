package io.muster.daemon.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.config.Access;
import io.muster.daemon.config.Configs;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.HandDriven;
import io.muster.inventory.axis.Principal;
import io.muster.protocol.operation.Right;
import io.muster.protocol.wire.Credentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AccountsTest {
    @TempDir
    private Path etc;

    private final List<String> asked = new ArrayList<>();
    private final Map<String, String> directory = Map.of(
            "passwd carol", "carol:*:70000:500:Carol:/home/carol:/bin/sh",
            "passwd 70000", "carol:*:70000:500:Carol:/home/carol:/bin/sh",
            "passwd 70001", "\u00c3\u0089mile:x:70001:1::/:",
            "group far", "far:*:600:carol",
            "group 600", "far:*:600:carol");
    private Accounts accounts = new Accounts();

    @BeforeEach
    void writeFiles() {
        Configs.write(
                etc,
                "passwd",
                "root:x:0:0:root:/root:/bin/sh",
                "alice:x:1001:100::/:/bin/sh",
                "broken",
                "big:x:4294967294:1::/:");
        Configs.write(etc, "group", "root:x:0:", "users:x:100:", "ops:x:500:alice,carol,nobody-else", "x:x");
        accounts = new Accounts(etc, etc, (database, key) -> {
            asked.add(database + " " + key);
            return Optional.ofNullable(directory.get(database + " " + key));
        });
    }

    @Test
    void localAccountsAreFoundWithoutANameService() {
        assertThat(accounts.uid("alice")).hasValue(1001);
        assertThat(accounts.gid("ops")).hasValue(500);
        assertThat(accounts.name(1001)).isEqualTo("alice");
        assertThat(accounts.name(-2)).isEqualTo("big");
        assertThat(asked).isEmpty();
    }

    /** A start refuses a journal with a control character in a name, and Latin-1, in which files are read, has some from U+0080 on. */
    @Test
    void aNameThatTheJournalMayNotHaveIsTheNumber() {
        Configs.write(etc, "passwd", "\u00c9mile:x:1005:100::/:", "ada:x:1006:100::/:"); // in UTF-8: C3 89
        assertThat(accounts.localName(1005)).hasValue("1005");
        assertThat(accounts.localName(1006)).hasValue("ada");
        assertThat(accounts.name(1005)).isEqualTo("1005");
        assertThat(accounts.name(70001)).isEqualTo("70001");
    }

    @Test
    void otherAccountsAreLookedUpOnce() {
        assertThat(accounts.uid("carol")).hasValue(70000);
        assertThat(accounts.uid("carol")).hasValue(70000);
        assertThat(accounts.name(70000)).isEqualTo("carol");
        assertThat(accounts.uid("mallory")).isEmpty();
        assertThat(accounts.uid("mallory")).isEmpty();
        assertThat(asked).containsExactly("passwd carol", "passwd 70000", "passwd mallory");
    }

    @Test
    void theLoginUidOfAProcessIsRecordedForRoot() throws IOException {
        Map<String, Integer> logins = Map.of("1001", 1001, "4294967294", -2, "4294967295", -1, "", -1, "x", -1);
        for (Map.Entry<String, Integer> login : logins.entrySet()) {
            Files.createDirectories(etc.resolve("77"));
            Files.writeString(etc.resolve("77/loginuid"), login.getKey());
            assertThat(accounts.login(77)).as(login.getKey()).isEqualTo(login.getValue());
        }
        Files.writeString(etc.resolve("77/loginuid"), "1001");
        assertThat(accounts.login(78)).as("the process has ended").isEqualTo(Principal.NO_LOGIN);
        assertThat(accounts.login(0)).as("the process is unknown").isEqualTo(Principal.NO_LOGIN);
        Access access = new Access(true, false, List.of(), List.of());
        HandDriven core = new HandDriven(Instant.EPOCH);
        Aside aside = new Aside(core, core);
        List<Principal> authors = new ArrayList<>();
        new Admissions(Admission.of(7, access, accounts, name -> {}), core, aside, aside)
                .rights(
                        Identity.ofKernel(0, 0, 77),
                        rights -> authors.add(Objects.requireNonNull(rights).principal()));
        core.runReady();
        assertThat(authors).containsExactly(new Principal(0, "root", 77, 1001));
    }

    @Test
    void aUserNamedBySpeakForIsResolvedOnceAndShownWithTheSpeaker() {
        Access access = new Access(true, false, List.of(), List.of());
        HandDriven core = new HandDriven(Instant.EPOCH);
        Aside aside = new Aside(core, core);
        Admissions admissions = new Admissions(Admission.of(7, access, accounts, name -> {}), core, aside, aside);
        Set<Right> speakFor = Set.of(Right.SPEAK_FOR);
        Credentials user = new Credentials(8, Credentials.USER);
        Rights flux = new Rights(Identity.ofKernel(8, 8, 77), user, "flux", speakFor, Scope.NONE, null);
        List<String> names = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            for (int uid : new int[] {1001, 70000, 4242, 0, 8}) {
                admissions.onBehalfOf(
                        flux,
                        new Credentials(uid, Credentials.USER),
                        null,
                        rights -> names.add(rights.principal().author()));
                core.runReady();
            }
        }
        assertThat(names.subList(0, 5))
                .containsExactly(
                        "alice through flux", "carol through flux", "4242 through flux", "root through flux", "flux");
        assertThat(names.subList(5, 10)).isEqualTo(names.subList(0, 5));
        assertThat(asked).as("each is asked once").containsExactly("passwd 70000", "passwd 4242");
        core.advance(Duration.ofSeconds(61), core::runReady);
        assertThat(core.timers()).isZero();
    }

    @Test
    void numericIdsNeedNoAccount() {
        assertThat(accounts.uid("4242")).hasValue(4242);
        assertThat(accounts.uid("4294967295")).hasValue(-1);
        assertThat(accounts.uid("9999999999")).isEmpty();
        assertThat(accounts.name(4242)).isEqualTo("4242");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-h", "a b", "a;b", "a\nb", "a:b", "*", "$(id)"})
    void invalidNamesAreNotLookedUp(String text) {
        assertThat(accounts.uid(text)).isEmpty();
        assertThat(accounts.gid(text)).isEmpty();
        assertThat(asked).isEmpty();
    }

    @Test
    void grantsIncludeUsersGroupsAndMembersOfGroups() {
        List<String> unresolved = new ArrayList<>();
        Grants grants =
                Grants.resolve(List.of("alice", "%ops", "%users", "mallory", "%none", "77"), accounts, unresolved::add);
        assertThat(grants.include(Identity.ofKernel(1001, 9, 0))).as("alice").isTrue();
        assertThat(grants.include(Identity.ofKernel(70000, 9, 0)))
                .as("carol is a member of ops")
                .isTrue();
        assertThat(grants.include(Identity.ofKernel(5, 500, 0)))
                .as("runs with group ops")
                .isTrue();
        assertThat(grants.include(Identity.ofKernel(77, 9, 0))).as("by number").isTrue();
        assertThat(grants.include(Identity.ofKernel(5, 9, 0))).as("a stranger").isFalse();
        assertThat(grants.include(Identity.ofKernel(-2, 1, 0)))
                .as("no name resolves to an odd uid")
                .isFalse();
        assertThat(unresolved).containsExactly("mallory", "%none");
        assertThat(Grants.resolve(List.of(), accounts, name -> {}).include(Identity.ofKernel(0, 0, 0)))
                .isFalse();
    }

    @Test
    void grantsToAGroupIncludeUsersWithThatPrimaryGroup() {
        Grants grants = Grants.resolve(List.of("%users"), accounts, name -> {});
        assertThat(grants.include(Identity.ofKernel(1001, 9, 0))).isTrue();
    }

    @Test
    void accountsOfTheSystemAreFound() {
        Accounts system = new Accounts();
        assertThat(system.uid("root")).hasValue(0);
        assertThat(system.name(0)).isEqualTo("root");
        assertThat(system.uid("no-such-user-here")).isEmpty();
    }
}
