package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.access.FewAccounts;
import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.config.Access;
import io.muster.daemon.config.Grant;
import io.muster.daemon.core.Rig;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Principal;
import io.muster.protocol.operation.Right;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Request;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rights of a user that sends requests for others, and how the journal names both users. */
class SpeakForTest {
    private static final int FLUX = 500;
    private static final int ALICE = 1001;
    private static final int BOB = 1002;
    private static final int OWNER = Stage.OWNER;
    private static final int USER = Credentials.USER;
    private static final String ID = "01234567-89ab-cdef-0123-456789abcdef";

    private static final Access ACCESS = new Access(
            false,
            false,
            List.of("1008"),
            List.of(
                    new Grant(List.of("500"), Set.of(Right.SPEAK_FOR, Right.CHANGE, Right.ACQUIRE), null),
                    new Grant(List.of("501"), Set.of(Right.SPEAK_FOR, Right.HOLD), "monitor"),
                    new Grant(List.of("502"), Set.of(Right.SPEAK_FOR), null),
                    new Grant(List.of("503", "1001"), Set.of(Right.CHANGE, Right.FOLLOW), null),
                    new Grant(List.of("1002"), Set.of(Right.HOLD), "monitor"),
                    new Grant(List.of("1003"), Set.of(Right.READ), null),
                    new Grant(List.of(Grant.ROLE_ADMIN), Set.of(Right.CHANGE), null)));

    @TempDir
    private Path etc;

    private Stage stage;

    @BeforeEach
    void open() throws IOException {
        stage = new Stage(
                Rig.ofFour(), ACCESS, FewAccounts.of(etc, "root:0", "flux:500", "ada:1000", "alice:1001", "bob:1002"));
    }

    @AfterEach
    void close() {
        stage.close();
    }

    /** Returns a connection of the user, with the rights from the configuration. */
    private Stage.Caller join(int uid) {
        Rights[] rights = new Rights[1];
        stage.gate.admissions().rights(Identity.ofKernel(uid, uid, 4711), found -> rights[0] = found);
        stage.rig.settle();
        return stage.join(Objects.requireNonNull(rights[0]));
    }

    private String ask(Stage.Caller speaker, int uid, int roles, String topic, String json) {
        speaker.responses.clear();
        int flags = topic.equals("resource.acquire") ? Header.STREAMING : 0;
        speaker.session.receive(Request.of(topic, Bytes.text(json), flags, 1).with(new Credentials(uid, roles)));
        stage.rig.settle();
        assertThat(speaker.pending).isZero();
        return Stage.text(speaker.responses.get(0));
    }

    private String ask(Stage.Caller speaker, int uid, String topic, String json) {
        return ask(speaker, uid, USER, topic, json);
    }

    /** The limits of users for whom a peer speaks are not those of the peer, which names itself if it claims other roles. */
    @Test
    void aRequestInTheOwnNameCountsInTheAccountOfThePeer() {
        Stage.Caller flux = join(FLUX);
        stage.rig.report("offline", "3");
        for (int uid : new int[] {FLUX, ALICE}) {
            for (int tag = 1; tag <= 100; tag++) {
                flux.session.receive(
                        Request.of("resource.monitor-waitup", Bytes.text("{\"up\":4}"), 0, 1000 * uid + tag)
                                .with(new Credentials(uid, USER)));
                stage.rig.settle();
            }
        }
        assertThat(flux.responses)
                .extracting(Stage::text)
                .hasSize(36)
                .containsOnly("EAGAIN flux/1001 has 64 streams and waiting requests open already");
    }

    private Principal authorOf(int rank) {
        HoldSet holds = Objects.requireNonNull(stage.rig.state().holds().on(rank));
        return holds.holds().get(0).by();
    }

    /**
     * 0 is root, 1000 is the owner of the daemon, 7777 is a user without an account that no grant names, 1008 has the admin role of Flux.
     */
    @ParameterizedTest(name = "{0} for {1}: {2} {3}")
    @CsvSource(delimiter = '|', textBlock = """
            500 | 1001 | resource.drain          | admin   | ok
            500 | 1001 | resource.acquire        |         | EPERM alice, for whom flux sends this request, has no right to it
            500 | 1001 | resource.history        |         | EPERM flux, which sends this request for alice, has no right to it
            500 | 1002 | resource.drain          | monitor | ok
            500 | 1002 | resource.drain          | admin   | EPERM user bob, for whom flux sends this request, may drain and undrain only with --holder "monitor"
            500 | 1002 | resource.exclude        |         | EPERM bob, for whom flux sends this request, has no right to it
            500 | 1003 | resource.sched-status   |         | {
            500 | 1003 | resource.drain          | monitor | EPERM 1003, for whom flux sends this request, has no right to it
            500 | 1008 | resource.drain          | admin   | ok
            500 | 7777 | resource.sched-status   |         | EPERM 7777, for whom flux sends this request, has no right to it
            500 |    0 | resource.drain          | admin   | ok
            500 |    0 | resource.history        |         | EPERM flux, which sends this request for root, has no right to it
            500 | 1000 | resource.drain          | admin   | ok
            500 | 1000 | resource.history        |         | EPERM flux, which sends this request for ada, has no right to it
            500 | 1000 | resource.upgrade-finish |         | {
            501 | 1001 | resource.drain          | monitor | ok
            501 | 1001 | resource.drain          | admin   | EPERM user 501 may drain and undrain only with --holder "monitor"
            501 | 1002 | resource.drain          | monitor | ok
            501 | 1000 | resource.drain          | monitor | ok
            501 | 1000 | resource.drain          | ops     | EPERM user 501 may drain and undrain only with --holder "monitor"
            501 |    0 | resource.exclude        |         | EPERM 501, which sends this request for root, has no right to it
            502 |    0 | resource.drain          | admin   | EPERM 502, which sends this request for root, has no right to it
            502 | 1000 | resource.reload         |         | EPERM 502, which sends this request for ada, has no right to it
            502 | 1001 | resource.history        |         | EPERM 502, which sends this request for alice, has no right to it
            502 | 1001 | resource.sched-status   |         | {
            """)
    void aRequestHasTheRightsThatBothUsersHave(int speaker, int uid, String topic, String holder, String answer) {
        String plain = topic.equals("resource.upgrade-finish") ? "{}" : "{\"targets\":\"1\"}";
        String json = holder == null ? plain : "{\"targets\":\"1\",\"holder\":\"" + holder + "\"}";
        assertThat(ask(join(speaker), uid, topic, json)).startsWith(answer);
        assertThat(stage.denials).hasSize(answer.startsWith("EPERM") ? 1 : 0);
    }

    @Test
    void aRefusalNamesTheUserWithoutTheRightAndTheUsersWithIt() {
        assertThat(ask(join(502), 0, "resource.reload", "{}"))
                .isEqualTo(
                        "EPERM 502, which sends this request for root, has no right to it: Request requires owner"
                                + " credentials or the right \"change\", which the configuration grants to 500, 503, 1001, role:admin");
        assertThat(ask(join(501), ALICE, "resource.drain", "{\"targets\":\"1\"}"))
                .endsWith("grants to 500, 503, 1001, role:admin; 501 sends this request for alice");
    }

    /** The roles that a speaker claims for others could otherwise be more than these users have. */
    @ParameterizedTest(name = "{0} claims to be {1} with roles {2}: {3}")
    @CsvSource({
        "500, 1003, 1, EPERM", // the role of the owner
        "500, 1003, 15, EPERM", // all roles
        "500, 1003, 10, EPERM", // a user with the admin role of Flux
        "500, 1001, 0, ok", // unset, so filled in
        "500, 1001, 1, ok",
        "500, 1001, 4, EPERM", // only local
        "500, 1001, 8, EPERM", // only admin
        "500, 1001, -2147483648, EPERM", // an unknown role
        "500, 0, 4, EPERM",
        "500, 1000, 8, EPERM",
        "500, -1, 0, ok", // unset, so the speaker itself
        "500, -1, 15, ok",
        "500, -1, 4, EPERM",
        "500, -2, 1, EPERM", // 4294967294
        "500, 500, 15, ok",
        "502, -1, 1, EPERM",
        "502, 502, 15, EPERM",
        "503, 1000, 1, ok", // no right to speak for others: its claims are ignored
        "503, 1003, 2, ok",
        "503, 7777, 4, ok",
    })
    void claimedRolesGiveNoRight(int speaker, int uid, int roles, String answer) {
        assertThat(ask(join(speaker), uid, roles, "resource.drain", "{\"targets\":\"1\"}"))
                .startsWith(answer);
        if (answer.equals("ok")) {
            boolean itself = speaker == 503 || uid == -1 || uid == speaker;
            assertThat(authorOf(1).uid()).isEqualTo(itself ? speaker : uid);
            assertThat(authorOf(1).speaker() == null).isEqualTo(itself);
        }
    }

    @Test
    void aPingIsAnsweredWithTheEffectiveCredentials() {
        Stage.Caller flux = join(FLUX);
        assertThat(ask(flux, 1003, 15, "resource.ping", "{}")).contains("\"userid\":1003,\"rolemask\":6");
        assertThat(ask(flux, OWNER, 15, "resource.ping", "{}")).contains("\"userid\":1000,\"rolemask\":2");
        assertThat(ask(flux, FLUX, 15, "resource.ping", "{}")).contains("\"userid\":500,\"rolemask\":14");
    }

    @Test
    void everyOutputThatNamesTheAuthorNamesTheSpeakerToo() {
        Stage.Caller flux = join(FLUX);
        ask(flux, ALICE, "resource.drain", "{\"targets\":\"1\",\"reason\":\"x\"}");
        ask(flux, 0, "resource.exclude", "{\"targets\":\"2\"}");

        String speaker = "\"speaker\":{\"userid\":500,\"user\":\"flux\",\"pid\":4711";
        assertThat(join(OWNER).ask("resource.state", null))
                .contains("\"by\":{\"userid\":1001,\"user\":\"alice\"," + speaker + "}}")
                .contains("\"by\":{\"userid\":0,\"user\":\"root\"," + speaker + ",\"squashed\":true}}");
        Stage.Caller alice = join(ALICE);
        assertThat(alice.ask("resource.history", "{}"))
                .contains("\"by\":\"alice through flux\"", "\"by\":\"root through flux\"");
        alice.stream("resource.journal");
        assertThat(String.join("", alice.received())).contains("\"userid\":1001,\"user\":\"alice\"," + speaker + "}");
        Stage.Caller owner = join(OWNER);
        assertThat(ask(owner, ALICE, 1, "resource.acquire", "{}")).contains("resources");
        assertThat(ask(flux, FLUX, "resource.acquire", "{}"))
                .startsWith("EBUSY resources are acquired by alice(1001) through ada(1000) since ");
    }

    @Test
    void holdsAndChangeIdsBelongToTheUserForWhomTheRequestIsSent() {
        Stage.Caller flux = join(FLUX);
        assertThat(ask(join(ALICE), ALICE, "resource.drain", drain("1", "ops")))
                .isEqualTo("{\"changed\":true,\"hosts\":\"node1\",\"seq\":2}");
        assertThat(ask(flux, ALICE, "resource.drain", drain("1", "ops")))
                .as("the same request")
                .isEqualTo("{\"changed\":true,\"hosts\":\"node1\",\"seq\":2}");
        assertThat(ask(flux, ALICE, "resource.drain", drain("2", "ops"))).contains("belongs to another change already");
        assertThat(ask(flux, BOB, "resource.drain", drain("2", "monitor")))
                .as("the id of another user")
                .isEqualTo("{\"changed\":true,\"hosts\":\"node2\",\"seq\":3}");
        assertThat(ask(flux, FLUX, "resource.drain", drain("3", "ops"))).contains("\"seq\":4");

        String undrain = "{\"targets\":\"1\",\"holder\":\"ops\"}";
        assertThat(ask(flux, BOB, "resource.undrain", undrain)).startsWith("EPERM user bob");
        assertThat(ask(flux, FLUX, "resource.undrain", undrain)).contains("held by ops, set by alice(1001): only");
        assertThat(ask(flux, ALICE, "resource.undrain", undrain)).isEqualTo("ok");
    }

    @Test
    void aChangeForAnotherUserIsMadeAlthoughTheConnectionClosesWhileTheNameIsLookedUp() {
        Stage.Caller flux = join(FLUX);
        flux.session.receive(Request.of("resource.drain", Bytes.text(drain("1", "ops")), 0, 1)
                .with(new Credentials(ALICE, USER)));
        assertThat(flux.pending).as("the name is looked up").isPositive();
        flux.session.close();
        stage.rig.settle();
        assertThat(authorOf(1).uid()).isEqualTo(ALICE);
        assertThat(flux.pending).isZero();
    }

    private static String drain(String targets, String holder) {
        return "{\"targets\":\"" + targets + "\",\"holder\":\"" + holder + "\",\"id\":\"" + ID + "\"}";
    }

    /** A speaker that claims to be root or the owner must neither end their holds nor be answered with their change ids. */
    @ParameterizedTest
    @CsvSource({"0", "1000"})
    void aSpeakerCannotUseTheHoldsAndChangeIdsOfRootAndTheOwner(int uid) {
        Stage.Caller flux = join(FLUX);
        ask(join(OWNER), uid, 1, "resource.drain", drain("1", "mine"));
        assertThat(authorOf(1).uid()).isEqualTo(uid);

        assertThat(ask(flux, uid, "resource.undrain", "{\"targets\":\"1\",\"holder\":\"mine\"}"))
                .contains("only the user who set it may change it");
        assertThat(ask(flux, uid, "resource.drain", drain("2", "mine"))).contains("node2", "\"seq\":3");
        assertThat(ask(flux, FLUX, "resource.drain", drain("2", "mine")))
                .as("the request counts as the speaker's")
                .isEqualTo("{\"changed\":true,\"hosts\":\"node2\",\"seq\":3}");
        assertThat(ask(flux, FLUX, "resource.undrain", "{\"targets\":\"2\",\"holder\":\"mine\"}"))
                .isEqualTo("ok");
    }

    @Test
    void aUserWhoseRequestsTakeTooMuchIsRefusedAndNoOtherUserOfTheSpeakerIs() {
        Stage.Caller flux = join(FLUX);
        String json = "{\"resources\":[{\"type\":\"node\",\"count\":4}],\"x\":\"" + "x".repeat(65_000) + "\"}";
        ask(flux, ALICE, "resource.ping", "{}");
        ask(flux, BOB, "resource.ping", "{}");
        flux.received();
        stage.answersHeld = true;
        for (int i = 0; i < 200; i++) {
            flux.session.receive(
                    Request.of("feasibility.check", Bytes.text(json), 0, i).with(new Credentials(ALICE, USER)));
        }
        assertThat(flux.received())
                .as("beyond 8 MiB")
                .hasSize(200 - (8 << 20) / 65_570)
                .allMatch(answer -> answer.startsWith("EAGAIN the requests and unread answers of flux/1001 take 8"));
        assertThat(flux.account.held()).isBetween(8_000_000L, 8L << 20);
        flux.session.receive(
                Request.of("feasibility.check", Bytes.text(json), 0, 500).with(new Credentials(BOB, USER)));
        Stage.Caller alice = join(ALICE);
        alice.send("feasibility.check", json, 0);
        assertThat(flux.received()).isEmpty();
        assertThat(alice.received()).isEmpty();
        assertThat(alice.account.held()).as("the claimed uid is not charged").isBetween(65_000L, 66_000L);
        stage.answersHeld = false;
        for (int i = 0; i < stage.heldAnswers.size(); i++) {
            stage.heldAnswers.get(i).run();
            stage.rig.settle();
        }
        assertThat(flux.received()).hasSize((8 << 20) / 65_570 + 1).allMatch("ok"::equals);
        assertThat(flux.account.held()).isZero();
    }

    @Test
    void refusalsAreCountedEachTimeAndLoggedOnce() {
        Stage.Caller nobody = join(502);
        for (int uid = 2000; uid < 2100; uid++) {
            ask(nobody, uid, "resource.drain", "{}");
        }
        assertThat(stage.denials).hasSize(100);
        assertThat(stage.denials)
                .filteredOn(line -> !line.endsWith(" again"))
                .containsExactly("resource.drain 2000 speaker=502");
    }

    @Test
    void pendingChangesOfAClosedConnectionAreMadeAndStreamsAreNotOpened() {
        Stage.Caller flux = join(FLUX);
        flux.session.receive(Request.of("resource.drain", Bytes.text("{\"targets\":\"1\"}"), 0, 1)
                .with(new Credentials(ALICE, USER)));
        Stage.Caller second = join(FLUX);
        second.session.receive(
                Request.of("resource.acquire", null, Header.STREAMING, 1).with(new Credentials(0, USER)));
        flux.session.close();
        second.session.close();
        stage.rig.settle();
        assertThat(stage.rig.state().holds().on(1)).isNotNull();
        assertThat(stage.rig.acquires.isAcquired()).isFalse();
    }
}
