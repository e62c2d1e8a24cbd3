package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.access.Rights;
import io.muster.daemon.account.Account;
import io.muster.daemon.core.Rig;
import io.muster.inventory.axis.Hold;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionTest {
    private static final String OK = "ok";
    private static final String NOTHING = "nothing";
    private static final String EPERM = "EPERM";
    private static final String RELOAD = "{\"path\":\"/nonexistent/R\",\"xml\":false,\"force\":false}";

    private static final Map<String, String> PAYLOADS = Map.ofEntries(
            Map.entry("resource.status-document", "{}"),
            Map.entry("resource.hosts", "{}"),
            Map.entry("resource.host", "{\"host\":\"node1\"}"),
            Map.entry("resource.holds", "{}"),
            Map.entry("resource.R", "{}"),
            Map.entry("resource.impact", "{}"),
            Map.entry("resource.work", "{}"),
            Map.entry(
                    "resource.check-result", "{\"host\":\"node1\",\"check\":\"nhc\",\"attempt\":1,\"result\":\"ok\"}"),
            Map.entry("resource.boot", "{\"host\":\"node1\",\"boot\":\"b1\"}"),
            Map.entry("resource.work-claim", "{\"host\":\"node1\",\"attempt\":1}"),
            Map.entry("resource.work-result", "{\"host\":\"node1\",\"attempt\":1,\"result\":\"done\"}"),
            Map.entry("resource.layout", "{}"),
            Map.entry("resource.list", "{}"),
            Map.entry("resource.summary", "{}"),
            Map.entry("resource.why", "{\"targets\":\"node1\"}"),
            Map.entry("resource.totals", "{}"),
            Map.entry("resource.availability", "{}"),
            Map.entry("resource.alerts", "{\"version\":\"4\",\"alerts\":[]}"),
            Map.entry("resource.drain", "{\"targets\":\"1\",\"reason\":\"x\"}"),
            Map.entry("resource.undrain", "{\"targets\":\"1\",\"mode\":\"update\"}"),
            Map.entry("resource.exclude", "{\"targets\":\"1\"}"),
            Map.entry("resource.include", "{\"targets\":\"1\"}"),
            Map.entry("resource.shrink", "{\"targets\":\"1\"}"),
            Map.entry("resource.property-add", "{\"properties\":{\"p\":\"1\"}}"),
            Map.entry("resource.property-remove", "{\"properties\":{\"p\":\"1\"}}"),
            Map.entry("resource.annotate", "{\"targets\":\"1\",\"tag\":{\"a\":\"\"}}"),
            Map.entry("resource.online", "{\"targets\":\"1\"}"),
            Map.entry("resource.offline", "{\"targets\":\"1\"}"),
            Map.entry("resource.torpid", "{\"targets\":\"1\"}"),
            Map.entry("resource.lively", "{\"targets\":\"1\"}"),
            Map.entry("resource.monitor-force-down", "{\"ranks\":\"1\"}"),
            Map.entry("resource.expiration-update", "{\"expiration\":2000000000.0}"),
            Map.entry("resource.reload", RELOAD),
            Map.entry("resource.clock-accept", "{}"),
            Map.entry("resource.monitor-waitup", "{\"up\":4}"),
            Map.entry("resource.ping", "{}"),
            Map.entry("feasibility.check", "{\"resources\":[{\"type\":\"node\",\"count\":4}]}"),
            Map.entry("resource.find", "{\"expr\":\"node\"}"),
            Map.entry("feasibility.ping", "{}"),
            Map.entry("attr.get", "{\"name\":\"size\"}"),
            Map.entry("resource.upgrade-finish", "{}"),
            Map.entry("log.append", "hello"),
            Map.entry("resource.introduce", "{\"userid\":1001,\"name\":\"eve\"}"),
            Map.entry("resource.acquire-cancel", "{\"matchtag\":77}"),
            Map.entry("resource.history", "{}"),
            Map.entry("resource.journal-cancel", "{\"matchtag\":77}"),
            Map.entry("resource.acquire-release", "{}"),
            Map.entry("resource.report", "{\"reporter\":\"r\",\"ranks\":\"1\",\"online\":\"\"}"),
            Map.entry("resource.report-cancel", "{\"matchtag\":77}"),
            Map.entry("resource.web", "{\"right\":\"read\",\"lifetime\":60}"),
            Map.entry("resource.usage", "{\"allocated\":\"\"}"),
            Map.entry("resource.audit-answer", "{\"question\":0}"));

    private final Stage stage = new Stage(Rig.ofFour());
    private final Stage.Caller owner = stage.join(Stage.owner());

    @AfterEach
    void close() {
        assertThat(owner.pending).as("requests left pending").isZero();
        stage.close();
    }

    private enum Role {
        OWNER,
        ADMIN,
        SCHEDULER,
        MONITOR,
        GUEST,
        OWNER_AS_GUEST,
        ADMIN_ON_THE_MAIN_SOCKET;

        Rights rights() {
            return switch (this) {
                case OWNER, OWNER_AS_GUEST -> Stage.owner();
                case ADMIN, ADMIN_ON_THE_MAIN_SOCKET -> Stage.admin();
                case SCHEDULER -> Stage.scheduler();
                case MONITOR -> Stage.monitor();
                case GUEST -> Stage.guest();
            };
        }
    }

    private static final Set<Role> ANYBODY = EnumSet.allOf(Role.class);
    private static final Set<Role> ADMINS = EnumSet.of(Role.OWNER, Role.ADMIN);
    private static final Set<Role> FOLLOWERS = EnumSet.of(Role.OWNER, Role.ADMIN, Role.ADMIN_ON_THE_MAIN_SOCKET);
    private static final Set<Role> SCHEDULERS = EnumSet.of(Role.OWNER, Role.SCHEDULER);

    /**
     * The rights in {@code docs/topics.md}, written out: no entry is derived from the code under test. The payloads of drain and
     * undrain name no holder, so the right hold is not sufficient for them.
     */
    private static final Map<String, Set<Role>> MAY = Map.of(
            """
            resource.acquire resource.acquire-cancel
            """,
            SCHEDULERS,
            """
            resource.journal resource.journal-cancel resource.history
            resource.web resource.totals resource.availability
            """,
            FOLLOWERS,
            """
            resource.acquire-mute resource.drain resource.undrain resource.exclude resource.include resource.shrink
            resource.property-add resource.property-remove resource.online resource.offline resource.torpid resource.lively
            resource.monitor-force-down resource.expiration-update resource.reload
            resource.clock-accept resource.upgrade-finish resource.acquire-release resource.report
            resource.report-cancel resource.usage resource.audit-answer resource.annotate resource.alerts
            resource.check-result
            """,
            ADMINS,
            """
            resource.confirm resource.marks resource.audit resource.brakes resource.disconnect resource.status resource.sched-status resource.get resource.state resource.find resource.ping
            resource.upgrade-status resource.monitor-waitup resource.stats-get feasibility.check feasibility.ping
            attr.get attr.list config.get log.append resource.status-document resource.hosts resource.host resource.holds
            resource.list resource.summary resource.impact resource.work resource.R resource.layout resource.service resource.why
            """,
            ANYBODY,
            """
            resource.introduce resource.work-claim resource.work-result
            """,
            EnumSet.of(Role.OWNER),
            "resource.boot",
            EnumSet.noneOf(Role.class));

    static List<Arguments> everyTopicAndRole() {
        List<Arguments> all = new ArrayList<>();
        MAY.forEach((topics, roles) -> {
            for (String topic : topics.split("\\s+")) {
                for (Role role : Role.values()) {
                    all.add(Arguments.of(topic, role, roles.contains(role) ? expected(topic) : EPERM));
                }
            }
        });
        return all;
    }

    @Test
    void theTableOfRightsHasEveryTopic() {
        assertThat(String.join(" ", MAY.keySet()).split("\\s+"))
                .containsExactlyInAnyOrder(
                        Operations.all().stream().map(Operation::topic).toArray(String[]::new));
    }

    /** Returns the beginning of the expected answer: the name of an error, ok, or a payload. */
    private static String expected(String topic) {
        Operation<?, ?> operation = Objects.requireNonNull(Operations.of(topic), topic);
        String verb = topic.substring(topic.indexOf('.') + 1);
        return switch (verb) {
            case "acquire-release", "usage", "audit-answer" -> "EINVAL";
            case "reload", "web", "alerts" -> "ENOENT";
            case "check-result", "work-claim", "work-result" -> "EEXIST";
            case "include", "property-remove", "online", "lively", "upgrade-finish" ->
                "{\"changed\":false,\"hosts\":\"\"";
            case "exclude", "shrink", "offline", "torpid", "property-add", "annotate" ->
                "{\"changed\":true,\"hosts\":\"";
            case "clock-accept" -> "{";
            case "confirm", "check", "monitor-waitup" -> OK;
            default ->
                switch (operation.kind()) {
                    case NOTICE -> NOTHING;
                    case QUESTION, STREAM -> "{";
                    case ACTION -> OK;
                };
        };
    }

    @ParameterizedTest(name = "{0} as {1}: {2}")
    @MethodSource("everyTopicAndRole")
    void everyTopicAdmitsExactlyTheRolesOfTheTable(String topic, Role role, String expected) {
        Stage.Caller caller = stage.join(role.rights(), role != Role.ADMIN_ON_THE_MAIN_SOCKET);
        Operation<?, ?> operation = Objects.requireNonNull(Operations.of(topic));
        int flags = operation.kind() == Operation.Kind.STREAM ? Header.STREAMING : 0;
        String json = PAYLOADS.get(topic);
        Request request = Request.of(topic, json == null ? null : Bytes.text(json), flags, 9);
        if (role == Role.OWNER_AS_GUEST) {
            request = request.with(new Credentials(4321, Credentials.USER));
        }

        caller.session.receive(request);
        stage.rig.settle();

        String answer = caller.responses.isEmpty() ? NOTHING : Stage.text(caller.responses.get(0));
        assertThat(answer).startsWith(expected);
        assertThat(caller.pending).isZero();
        assertThat(stage.denials).hasSize(expected.equals(EPERM) ? 1 : 0);
    }

    @Test
    void aRefusalNamesTheUsersWhoHaveTheRight() {
        Stage.Caller guest = stage.join(Stage.guest());
        assertThat(guest.ask("resource.drain", "{}"))
                .as("before the payload is looked at")
                .isEqualTo("EPERM Request requires owner credentials or the right \"change\" or \"hold\","
                        + " which the configuration grants to 1001, 1004 (holder \"monitor\" only)");
        assertThat(guest.stream("resource.acquire"))
                .isEqualTo(
                        "EPERM Request requires owner credentials or the right \"acquire\", which the configuration grants to 1002");
        assertThat(stage.join(Stage.admin(), false).ask("resource.drain", "{\"targets\":\"1\"}"))
                .isEqualTo("EPERM only the admin socket takes changes");
    }

    @Test
    void theRightHoldAllowsOnlyTheHoldersOfTheGrant() {
        Stage.Caller admin = stage.join(Stage.admin());
        Stage.Caller monitor = stage.join(Stage.monitor());
        String refusal =
                "EPERM user mon may drain and undrain only with --holder \"monitor\", not %s: that requires owner"
                        + " credentials or the right \"change\", which the configuration grants to 1001";
        assertThat(admin.ask("resource.drain", "{\"targets\":\"1\"}")).isEqualTo("ok");
        String id = "01234567-89ab-cdef-0123-456789abcdef";
        assertThat(monitor.ask("resource.drain", "{\"targets\":\"1\",\"holder\":\"monitor\",\"id\":\"" + id + "\"}"))
                .startsWith("{\"changed\":true,");
        for (String topic : List.of("resource.drain", "resource.undrain")) {
            assertThat(monitor.ask(topic, "{\"targets\":\"1\"}"))
                    .isEqualTo(String.format(Locale.ROOT, refusal, "\"admin\""));
            assertThat(monitor.ask(topic, "{\"targets\":\"1\",\"holder\":\"ops\",\"dry-run\":true}"))
                    .isEqualTo(String.format(Locale.ROOT, refusal, "\"ops\""));
        }
        assertThat(monitor.ask("resource.undrain", "{\"targets\":\"1\",\"mode\":\"force-overwrite\"}"))
                .isEqualTo(String.format(Locale.ROOT, refusal, "for all holders"));
        assertThat(stage.rig.inventory.state().holds().on(1))
                .isNotNull()
                .satisfies(held -> assertThat(held.holds())
                        .extracting(Hold::holder)
                        .containsExactlyInAnyOrder("admin", "monitor"));
        assertThat(monitor.ask("resource.undrain", "{\"targets\":\"1\",\"holder\":\"monitor\"}"))
                .isEqualTo("ok");
        assertThat(monitor.ask("resource.exclude", "{\"targets\":\"1\"}"))
                .startsWith("EPERM " + "Request requires owner credentials or the right \"change\", ");
        assertThat(stage.join(Stage.monitor(), false).ask("resource.drain", "{\"targets\":\"1\"}"))
                .isEqualTo("EPERM only the admin socket takes changes");
    }

    @Test
    void aRepeatedDenialIsMarkedAsRepeated() {
        Stage.Caller guest = stage.join(Stage.guest());
        guest.ask("resource.drain", null);
        guest.ask("resource.drain", null);
        guest.ask("resource.undrain", null);
        assertThat(stage.denials)
                .containsExactly("resource.drain guest", "resource.drain guest again", "resource.undrain guest");
    }

    @Test
    void denialsOfOneUserOnManyConnectionsAreLimitedInTheLog() {
        for (int i = 0; i < Account.A_MINUTE + 5; i++) {
            stage.join(Stage.guest()).ask("resource.drain", null);
        }
        stage.join(Stage.scheduler()).ask("resource.drain", null);
        assertThat(stage.denials).hasSize(Account.A_MINUTE + 6).endsWith("resource.drain sched");
        assertThat(stage.denials).filteredOn("resource.drain guest"::equals).hasSize(Account.A_MINUTE);
    }

    @ParameterizedTest
    @ValueSource(ints = {Credentials.LOCAL, Credentials.ADMIN, Credentials.LOCAL | Credentials.ADMIN, 1024})
    void aRolemaskWithoutTheRoleOfOwnerOrUserIsDenied(int rolemask) {
        for (Operation<?, ?> operation : Operations.all()) {
            owner.session.receive(
                    Request.of(operation.topic(), null, Header.STREAMING, 1).with(new Credentials(4321, rolemask)));
            stage.rig.settle();
            assertThat(owner.received()).singleElement().asString().startsWith("EPERM ");
        }
    }

    @Test
    void everyRequestIsCountedIncludingStreams() {
        int acquire = owner.send("resource.acquire", null, Header.STREAMING);
        int journal = owner.send("resource.journal", null, Header.STREAMING);
        owner.ask("resource.acquire-cancel", "{\"matchtag\":" + acquire + "}", Header.NORESPONSE);
        owner.ask("resource.journal-cancel", "{\"matchtag\":" + journal + "}", Header.NORESPONSE);
        owner.ask("resource.disconnect", null, Header.NORESPONSE);
        owner.ask("resource.drain", "{\"targets\":\"9\"}");
        owner.ask("no.such", null);
        assertThat(stage.counted)
                .containsExactly(
                        "resource.acquire 0",
                        "resource.journal 0",
                        "resource.acquire-cancel 0",
                        "resource.journal-cancel 0",
                        "resource.disconnect 0",
                        "resource.drain 22",
                        "no.such 38");
    }

    @Test
    void onlyUsersWithTheRightToChangeMaySendLongMessages() {
        assertThat(stage.gate.maxFrame(Stage.owner())).isEqualTo(1 << 20);
        assertThat(stage.gate.maxFrame(Stage.admin())).isEqualTo(1 << 20);
        assertThat(stage.gate.maxFrame(Stage.scheduler())).isEqualTo(1 << 16);
        assertThat(stage.gate.maxFrame(Stage.guest())).isEqualTo(1 << 16);
    }

    @Test
    void credentialsInARequestOfAGuestAreIgnored() {
        Stage.Caller guest = stage.join(Stage.guest());
        Request forged = Request.of("resource.drain", Bytes.text("{\"targets\":\"1\"}"), 0, 1)
                .with(new Credentials(0, Credentials.OWNER));
        guest.session.receive(forged);
        assertThat(guest.received()).singleElement().asString().startsWith("EPERM");

        guest.session.receive(
                Request.of("resource.ping", Bytes.text("{}"), 0, 2).with(new Credentials(0, Credentials.OWNER)));
        assertThat(guest.received())
                .containsExactly("{\"route\":\"muster\",\"userid\":1003,\"rolemask\":6,\"rank\":0}");
    }

    @Test
    void onlyThoseWhoMayFollowTheJournalAreToldEvents() {
        owner.ask("resource.drain", "{\"targets\":\"1\",\"reason\":\"fan\"}");
        String question = "{\"targets\":\"1\"}";
        assertThat(owner.ask("resource.why", question)).contains("\"events_refused\":null", "\"name\":\"drain\"");
        assertThat(stage.join(Stage.guest()).ask("resource.why", question))
                .contains("\"events_refused\":\"only admins may read the journal\"", "\"events\":[]");
    }

    @Test
    void theOwnerMaySendRequestsForOthersAndIsNamedAsTheSpeaker() {
        Request request = Request.of("resource.drain", Bytes.text("{\"targets\":\"1\"}"), 0, 1)
                .with(new Credentials(4321, Credentials.OWNER));
        owner.session.receive(request);
        stage.rig.settle();
        assertThat(owner.received()).containsExactly(OK);
        assertThat(owner.ask("resource.state", null))
                .contains(
                        "\"by\":{\"userid\":4321,\"user\":\"4321\",\"speaker\":{\"userid\":1000,\"user\":\"ada\",\"pid\":4711}}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    resource.nosuch | ENOSYS Unknown service method 'resource.nosuch'
                    resource        | ENOSYS Unknown service method 'resource'
                    resource.       | ENOSYS Unknown service method 'resource.'
                    attr.set        | ENOSYS Unknown service method 'attr.set'
                    nosuch.foo      | ENOSYS No service matching nosuch.foo is registered
                    job-manager.stats-get | ENOSYS No service matching job-manager.stats-get is registered
                    """)
    void unknownTopicsAreRefusedWithTheSentencesOfFlux(String topic, String answer) {
        assertThat(owner.ask(topic, null)).isEqualTo(answer);
    }

    @ParameterizedTest
    @CsvSource({"0, {", "-1, {", "1, EHOSTUNREACH No route to host", "-2, EHOSTUNREACH No route to host"})
    void onlyRankZeroIsReachable(int nodeid, String answer) {
        Request any = Request.of("resource.status", null, 0, 1);
        owner.session.receive(new Request(any.header(), List.of(), any.topic(), null, nodeid, 1));
        stage.rig.settle();
        assertThat(owner.received()).singleElement().asString().startsWith(answer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"resource.status", "resource.drain", "resource.nosuch", "resource.acquire"})
    void aRequestWithNoresponseIsNotAnswered(String topic) {
        assertThat(owner.ask(topic, "{\"targets\":\"1\"}", Header.NORESPONSE)).isEqualTo(NOTHING);
    }

    @Test
    void aChangeWithNoresponseIsMade() {
        owner.ask("resource.drain", "{\"targets\":\"1\"}", Header.NORESPONSE);
        assertThat(owner.ask("resource.status", null)).contains("\"drain\":{\"1\":");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    resource.drain | | EPROTO resource.drain without a payload
                    resource.drain | {} | EPROTO resource.drain: /targets is missing
                    resource.drain | {"targets":1} | EPROTO resource.drain: /targets must be a string
                    resource.drain | {"targets":"1","mode":"bogus"} | EINVAL Invalid mode specified
                    resource.drain | junk | EPROTO payload is not JSON
                    resource.undrain | {"targets":"1"} | EEXIST rank 1 not drained: node1
                    resource.reload | {} | EPROTO resource.reload: /path must be a string
                    resource.reload | {"path":"/x","xml":true,"force":false} | EINVAL resources are defined by R here, not by hwloc XML
                    resource.reload | {"path":"a\\u0000b","xml":false,"force":false} | EPROTO JSON payload has a string with a NUL in it
                    resource.reload | {"path":"/dev/zero","xml":false,"force":false} | EIO /dev/zero: is not a file
                    resource.monitor-waitup | {"up":9} | EPROTO up value is out of range
                    attr.get | {"name":"nosuch"} | ENOENT there is no attribute nosuch
                    attr.get | {} | EPROTO attr.get: /name must be a string
                    resource.ping | | EPROTO resource.ping without a payload
                    resource.acquire | | EPROTO resource.acquire requires streaming RPC flag
                    resource.journal | | EPROTO resource.journal requires streaming RPC flag
                    resource.journal | {"since":1} | EPROTO resource.journal requires streaming RPC flag
                    """)
    void invalidRequestsAreRefusedAndLeaveNothingPending(String topic, String json, String answer) {
        assertThat(owner.ask(topic, json)).startsWith(answer);
    }

    @Test
    void attributesAndConfigurationAreAnswered() {
        assertThat(owner.ask("attr.get", "{\"name\":\"size\"}")).isEqualTo("{\"value\":\"4\",\"flags\":1}");
        assertThat(owner.ask("attr.get", "{\"name\":\"hostlist\"}")).isEqualTo("{\"value\":\"node[0-3]\",\"flags\":1}");
        assertThat(owner.ask("attr.list", null)).contains("\"size\"", "\"version\"");
        assertThat(owner.ask("config.get", null)).isEqualTo("{\"resource\":{\"exclude\":\"node9\"}}");
    }

    @Test
    void whileTheDiskFailsChangesAreRefusedAndQueriesAreAnswered() {
        stage.rig.fillDisk();
        assertThat(owner.ask("resource.drain", "{\"targets\":\"1\"}")).isEqualTo("EROFS No space left on device");
        assertThat(owner.ask("resource.status", null)).contains("\"drain\":{}");
        assertThat(owner.stream("resource.acquire")).endsWith("\"up\":\"0-3\"}");
        stage.rig.healDisk();
        assertThat(owner.ask("resource.drain", "{\"targets\":\"1\"}")).isEqualTo(OK);
    }

    @Test
    void acquireStreamsUpdatesUntilItIsCancelled() {
        int matchtag = owner.send("resource.acquire", null, Header.STREAMING);
        owner.ask("resource.drain", "{\"targets\":\"1\"}");
        assertThat(owner.responses).extracting(Response::matchtag).containsExactly(matchtag, matchtag, matchtag + 1);
        assertThat(owner.received().subList(1, 3)).containsExactly("{\"down\":\"1\"}", OK);

        assertThat(owner.ask("resource.acquire-cancel", "{\"matchtag\":" + matchtag + "}", Header.NORESPONSE))
                .isEqualTo(NOTHING);
        assertThat(owner.received()).containsExactly("ECANCELED");
        assertThat(stage.rig.acquires.isAcquired()).isFalse();
        owner.ask("resource.undrain", "{\"targets\":\"1\"}");
        assertThat(owner.received()).containsExactly(OK);
    }

    @Test
    void aCancellationAppliesOnlyToAStreamOfItsTopicAndSender() {
        int acquire = owner.send("resource.acquire", null, Header.STREAMING);
        int journal = owner.send("resource.journal", null, Header.STREAMING);
        owner.ask("resource.journal-cancel", "{\"matchtag\":" + acquire + "}", Header.NORESPONSE);
        stage.join(Stage.owner()).ask("resource.acquire-cancel", "{\"matchtag\":" + acquire + "}", Header.NORESPONSE);
        assertThat(stage.rig.acquires.isAcquired()).isTrue();
        owner.ask("resource.journal-cancel", "{\"matchtag\":" + journal + "}", Header.NORESPONSE);
        assertThat(stage.rig.journals.size()).isZero();
        assertThat(stage.rig.acquires.isAcquired()).isTrue();
    }

    @Test
    void theRefusalOfASecondAcquireNamesTheFirstAndFreesTheMatchtag() {
        owner.stream("resource.acquire");
        Stage.Caller other = stage.join(Stage.scheduler());
        assertThat(other.stream("resource.acquire"))
                .isEqualTo("EBUSY resources are acquired by ada(1000), pid 4711 since 2023-11-14T22:13:20Z");
        assertThat(other.session.mustRead()).isTrue();
        owner.session.close();
        assertThat(other.stream("resource.acquire")).startsWith("{\"resources\":");
    }

    @Test
    void aMatchtagOfAnOpenStreamIsRefusedForAnother() {
        owner.session.receive(Request.of("resource.journal", null, Header.STREAMING, 5));
        owner.received();
        owner.session.receive(Request.of("resource.acquire", null, Header.STREAMING, 5));
        assertThat(owner.received()).containsExactly("EPROTO matchtag 5 names an open stream already");
        assertThat(stage.rig.acquires.isAcquired()).isFalse();
    }

    @Test
    void aDisconnectReleasesOnlyTheStreamsOfItsSender() {
        Request acquire = Request.of("resource.acquire", null, Header.STREAMING, 5);
        owner.session.receive(new Request(acquire.header(), List.of("a1b2"), acquire.topic(), null, 0, 5));
        owner.session.receive(Request.of("resource.journal", null, Header.STREAMING, 5));
        Request disconnect = Request.of("resource.disconnect", null, Header.NORESPONSE, 0);
        owner.session.receive(new Request(disconnect.header(), List.of("a1b2"), disconnect.topic(), null, 0, 0));
        assertThat(stage.rig.acquires.isAcquired()).isFalse();
        assertThat(stage.rig.journals.size()).isEqualTo(1);
        owner.session.receive(disconnect);
        assertThat(stage.rig.journals.size()).isZero();
    }

    @Test
    void aClosedSessionReleasesItsStreamsAndWaits() {
        owner.stream("resource.acquire");
        owner.stream("resource.journal");
        owner.ask("resource.offline", "{\"targets\":\"0\"}");
        owner.send("resource.monitor-waitup", "{\"up\":4}", 0);
        owner.session.close();
        owner.received();
        assertThat(stage.rig.acquires.isAcquired()).isFalse();
        assertThat(stage.rig.journals.size()).isZero();
        stage.rig.report("online", "0");
        assertThat(owner.received()).isEmpty();
    }

    @Test
    void anAnsweredWaitFreesItsMatchtag() {
        owner.ask("resource.offline", "{\"targets\":\"0\"}");
        owner.received();
        owner.session.receive(Request.of("resource.monitor-waitup", Bytes.text("{\"up\":4}"), 0, 50));
        assertThat(owner.received()).isEmpty();
        stage.rig.report("online", "0");
        assertThat(owner.received()).containsExactly(OK);
        assertThat(owner.session.mustRead()).isTrue();

        owner.session.receive(Request.of("resource.acquire", null, Header.STREAMING, 50));
        assertThat(owner.received()).singleElement().asString().startsWith("{\"resources\":");
    }

    @Test
    void invalidReportsAreRefusedEachTimeAndLoggedOnce() {
        owner.ask("resource.report", "{\"reporter\":\"r\",\"ranks\":\"1\",\"online\":\"\"}", Header.STREAMING);
        for (int i = 0; i < 3; i++) {
            owner.ask("resource.usage", "{\"allocated\":\"0\"}");
        }
        assertThat(stage.faults).containsExactly("resource.usage ada: r does not report for rank 0");
        assertThat(stage.counted)
                .filteredOn(each -> each.startsWith("resource.usage "))
                .hasSize(3);
        owner.ask("resource.report", "{\"reporter\":1}");
        owner.ask("resource.status", "{");
        assertThat(stage.faults).hasSize(2).last().asString().startsWith("resource.report ");
    }

    @Test
    void aStreamThatIsBehindResumesWhenItsPeerReads() {
        owner.stream("resource.acquire");
        owner.received();
        owner.reads = false;
        stage.rig.drain("1");
        stage.rig.drain("2");
        assertThat(owner.received()).isEmpty();
        owner.readAgain();
        assertThat(owner.received()).containsExactly("{\"down\":\"1-2\"}");
    }

    @Test
    void aRequestThatWaitsForTheDiskCountsAsPendingUntilItIsAnswered() {
        stage.rig.holdDisk();
        owner.send("resource.drain", "{\"targets\":\"1\",\"reason\":\"x\"}", 0);
        owner.send("resource.drain", "{\"targets\":\"1\",\"reason\":\"x\"}", 0);
        owner.send("resource.status", null, 0);
        assertThat(owner.pending).isEqualTo(2 + Outbox.MOST_PENDING);
        stage.rig.core.runReady();
        assertThat(owner.pending).as("a query does not wait for the disk").isEqualTo(2);
        stage.rig.release();
        stage.rig.settle();
        assertThat(owner.pending).isZero();
        assertThat(owner.received().subList(1, 3)).containsExactly(OK, "EEXIST rank 1 already drained: node1");
    }

    @Test
    void aDryRunReturnsTheEventsAndTheUpdatesOfSchedulers() {
        owner.stream("resource.acquire");
        owner.received();
        assertThat(owner.ask("resource.drain", "{\"targets\":\"1\",\"dry-run\":true}"))
                .startsWith("{\"events\":[{\"timestamp\":1700000000,\"name\":\"drain\"")
                .contains("\"updates\":[{\"user\":\"ada\",\"pid\":4711,\"update\":{\"down\":\"1\"}}]");
        assertThat(owner.ask("resource.drain", "{\"targets\":\"nosuch\",\"dry-run\":true}"))
                .startsWith("EINVAL ");
        assertThat(owner.ask("resource.status", null)).contains("\"drain\":{}");
    }

    @Test
    void aReloadIsRefusedWhileASchedulerHasAcquired(@TempDir Path directory) throws IOException {
        Path file =
                Files.writeString(directory.resolve("R"), Rig.nodes("node[0-7]").toString());
        String reload = "{\"path\":\"" + file + "\",\"xml\":false,\"force\":false}";
        int acquire = owner.send("resource.acquire", null, Header.STREAMING);
        assertThat(owner.ask("resource.reload", reload))
                .isEqualTo(
                        "EBUSY resources are busy (unload scheduler?): the scheduler cannot be sent new hosts: node[4-7]");
        owner.ask("resource.acquire-cancel", "{\"matchtag\":" + acquire + "}", Header.NORESPONSE);
        assertThat(owner.ask("resource.reload", reload)).isEqualTo(OK);
        assertThat(owner.ask("attr.get", "{\"name\":\"size\"}")).contains("\"8\"");
        assertThat(owner.ask("resource.get", null)).endsWith("\"method\":\"reload\"}");
    }

    /** In the meantime, the content of the file changes, and a scheduler acquires the new R. */
    @Test
    void aRepeatedReloadIsAnsweredAsBeforeWithoutReadingTheFile(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("R");
        String form =
                "{\"path\":\"%s\",\"xml\":false,\"force\":false,\"id\":\"00000000-0000-0001-0000-00000000000%d\"}";
        String reload = String.format(Locale.ROOT, form, file, 1);
        Files.writeString(file, "junk");
        assertThat(owner.ask("resource.reload", reload)).startsWith("EINVAL ");
        Files.writeString(file, Rig.nodes("node[0-7]").toString());
        String first = "{\"changed\":true,\"seq\":2}";
        assertThat(owner.ask("resource.reload", reload)).isEqualTo(first);
        Files.writeString(file, "junk");
        assertThat(owner.ask("resource.reload", reload)).isEqualTo(first);
        Files.delete(file);
        owner.send("resource.acquire", null, Header.STREAMING);
        long seq = stage.rig.inventory.seq();
        assertThat(owner.ask("resource.reload", reload)).isEqualTo(first);
        assertThat(owner.ask("resource.reload", String.format(Locale.ROOT, form, "/other", 1)))
                .startsWith("EINVAL id 00000000-0000-0001-0000-000000000001 belongs to another change already");
        Files.writeString(file, Rig.nodes("other[0-7]").toString());
        assertThat(owner.ask("resource.reload", String.format(Locale.ROOT, form, file, 2)))
                .startsWith("EBUSY resources are busy (unload scheduler?): ");
        assertThat(stage.rig.inventory.seq()).isEqualTo(seq);
    }

    /** Two histories are being computed, and one waits. */
    @Test
    void historiesEndWhenTheDaemonStops() {
        stage.answersHeld = true;
        List<Stage.Caller> callers = List.of(owner, stage.join(Stage.owner()), stage.join(Stage.owner()));
        callers.forEach(caller -> caller.send("resource.history", "{}", 0));
        stage.rig.core.runReady();
        callers.forEach(caller -> assertThat(caller.received()).isEmpty());
        stage.backend.answers().past().endAll(new RpcException(Errno.ECANCELED, "the daemon is stopping"));
        callers.forEach(caller -> assertThat(caller.received()).containsExactly("ECANCELED the daemon is stopping"));
        stage.answersHeld = false;
        stage.heldAnswers.forEach(Runnable::run);
        stage.rig.core.runReady();
        callers.forEach(caller -> assertThat(caller.received()).isEmpty());
    }

    @Test
    void aHistoryOfTooManyHostsIsRefused() {
        assertThat(owner.ask("resource.history", "{\"targets\":\"n[0-65536]\"}"))
                .isEqualTo(
                        "EOVERFLOW targets name 65537 hosts, but may name at most 65536: ask for fewer hosts, or for all"
                                + " by naming none");
    }

    @Test
    void responsesThatAPeerSendsAreIgnored() {
        owner.session.receive(Response.success(
                Request.of("resource.status", null, 0, 1), new Credentials(0, Credentials.OWNER), null));
        assertThat(owner.received()).isEmpty();
    }

    /** A peer could otherwise send such requests without a limit. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    resource.ping | junk
                    feasibility.ping | junk
                    attr.get | {"name":"nosuch"}
                    feasibility.check | {"resources":[{"type":"node","count":9}]}
                    resource.find | {"expr":"node"}
                    resource.monitor-waitup | {"up":9}
                    """)
    void aQueryWithNoresponseIsNotComputed(String topic, String json) {
        owner.send(topic, json, Header.NORESPONSE);
        assertThat(owner.pending).isZero();
        assertThat(stage.counted).containsExactly(topic + " 0");
    }

    @Test
    void aQueryWithNoresponseStillNeedsItsRight() {
        Stage.Caller nobody = stage.join(Stage.rights(1003, Credentials.LOCAL, "nobody", Set.of()));
        nobody.send("resource.status", null, Header.NORESPONSE);
        assertThat(stage.counted).containsExactly("resource.status 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"resource.status", "resource.sched-status", "resource.get"})
    void queriesThatArriveDuringAComputationShareOneAnswer(String topic) {
        for (int i = 0; i < 5; i++) {
            owner.send(topic, null, 0);
        }
        assertThat(owner.received()).as("it is made elsewhere").isEmpty();
        stage.rig.settle();
        List<Bytes> payloads = new ArrayList<>();
        owner.responses.stream().map(Response::payload).filter(Objects::nonNull).forEach(payloads::add);
        assertThat(payloads).hasSize(5);
        assertThat(payloads.subList(2, 5))
                .allSatisfy(payload -> assertThat(payload).isSameAs(payloads.get(1)));
    }

    @Test
    void aQueryAfterAChangeDoesNotShareAnAnswerFromBeforeTheChange() {
        stage.answersHeld = true;
        owner.send("resource.status", null, 0);
        assertThat(owner.ask("resource.drain", "{\"targets\":\"1\"}")).isEqualTo(OK);
        int after = owner.send("resource.status", null, 0);
        stage.answersHeld = false;
        stage.heldAnswers.forEach(stage.rig.core::execute);
        stage.rig.settle();
        assertThat(owner.responses)
                .filteredOn(response -> response.matchtag() == after)
                .singleElement()
                .satisfies(response -> assertThat(Stage.text(response)).contains("\"drain\":{\"1\":"));
    }

    @Test
    void changesBeyondTheLengthLimitAreRefused() {
        String reason = "x".repeat((256 << 10) - "{'targets':'1','reason':''}".length() - 1);
        owner.ask("resource.drain", "{\"targets\":\"1\",\"reason\":\"" + reason + "\"}");
        owner.ask("resource.drain", "{\"targets\":\"2\",\"reason\":\"x" + reason + "\"}");
        assertThat(Stage.text(owner.responses.get(0)))
                .isEqualTo("EINVAL the reason has 262116 characters, and may have 4096");
        assertThat(Stage.text(owner.responses.get(1)))
                .isEqualTo("EINVAL resource.drain: the request has 262145 bytes, but may have at most 262144: name"
                        + " fewer targets or properties in each request");
    }

    @Test
    void aSelectionThatWaitsForItsSearchIsDroppedWithItsPeer() {
        stage.answersHeld = true;
        Stage.Caller busy = stage.join(Stage.admin());
        busy.send("resource.find", "{\"expr\":\"node\"}", 0);
        owner.send("resource.drain", "{\"select\":\"@{core}\"}", 0);
        stage.rig.core.runReady();
        owner.session.close();
        assertThat(stage.counted).containsExactly("resource.drain " + Errno.ECANCELED.value());
        assertThat(owner.pending).isZero();
        stage.answersHeld = false;
        stage.heldAnswers.forEach(Runnable::run);
        stage.rig.settle();
        assertThat(stage.rig.inventory.state().holds().on(1)).isNull();
    }

    @Test
    void aSelectionHasALimitedNumberOfParts() {
        assertThat(owner.ask("resource.drain", "{\"select\":\"all" + ",all".repeat(64) + "\"}"))
                .isEqualTo("EINVAL targets with all, @PROPERTY or @{EXPR} have at most 64 parts, not 65");
        assertThat(owner.ask("resource.drain", "{\"select\":\"all" + ",all".repeat(63) + "\"}"))
                .startsWith("{\"changed\":true,\"hosts\":\"node[0-3]\"");
    }

    static Stream<String> topics() {
        return Operations.all().stream().map(Operation::topic);
    }

    /** A JSON tree takes thirty times the size of its text: one such request of 60 MB ended a daemon with a heap of 1 GiB. */
    @ParameterizedTest
    @MethodSource("topics")
    void requestsBeyondTheLengthLimitOfTheirOperationAreRefused(String topic) {
        String text = "{\"x\":\"" + "x".repeat(8 << 20) + "\"}";
        int tag = owner.send(topic, text, Header.STREAMING);
        stage.rig.settle();
        assertThat(owner.responses)
                .filteredOn(response -> response.matchtag() == tag)
                .singleElement()
                .satisfies(response ->
                        assertThat(Stage.text(response)).startsWith("EINVAL " + topic + ": the request has "));
    }

    @Test
    void rIsEncodedOncePerDefinition() {
        owner.ask("resource.get", null);
        owner.ask("resource.drain", "{\"targets\":\"1\"}");
        owner.ask("resource.get", null);
        owner.ask("resource.property-add", "{\"properties\":{\"p\":\"1\"}}");
        owner.ask("resource.get", null);
        List<Bytes> payloads = new ArrayList<>();
        owner.responses.stream().map(Response::payload).filter(Objects::nonNull).forEach(payloads::add);
        assertThat(payloads).hasSize(4);
        assertThat(payloads.get(1)).isSameAs(payloads.get(0));
        assertThat(payloads.get(2).text()).startsWith("{\"changed\":");
        assertThat(payloads.get(3).text()).contains("\"properties\":{\"p\":\"1\"}");
    }

    @Test
    void aFileThatIsTooLongForTheJournalIsRefusedWithoutReadingIt(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("R");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength((128L << 20) + 1);
        }
        assertThat(owner.ask("resource.reload", "{\"path\":\"" + file + "\",\"xml\":false,\"force\":false}"))
                .isEqualTo("EIO " + file + ": larger than the limit of 128MiB");
        assertThat(owner.ask("resource.reload", "{\"path\":\"" + file + "/R\",\"xml\":false,\"force\":false}"))
                .isEqualTo("EIO " + file + "/R: Not a directory");
    }
}
