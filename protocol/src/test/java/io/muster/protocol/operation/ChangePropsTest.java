package io.muster.protocol.operation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.MissingNode;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.CheckChanges;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Decision;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.HoldChanges.Mode;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.NoteChanges;
import io.muster.inventory.state.WorkChanges;
import io.muster.protocol.admin.Get;
import io.muster.protocol.admin.SchedStatus;
import io.muster.protocol.admin.StatusAnswer;
import io.muster.protocol.wire.Json;
import io.muster.testing.Idsets;
import io.muster.testing.Seeds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

class ChangePropsTest {
    private static final String[] TEXTS = {"", "0-3", "host[0-3]", "x y", "\"\\\n", "\uD83D\uDE00 ü", "a/b~c", "admin"};
    private static final List<Mode> MODES = List.of(Mode.values());
    private static final List<String> REPORTS = List.of("online", "offline", "torpid", "lively");

    private static String text(Random random) {
        return TEXTS[random.nextInt(TEXTS.length)];
    }

    private static @Nullable String maybe(Random random) {
        return random.nextBoolean() ? text(random) : null;
    }

    private static String some(Random random) {
        return random.nextBoolean() ? text(random) : "";
    }

    private static Command command(Random random) {
        Mode mode = MODES.get(random.nextInt(MODES.size()));
        return switch (random.nextInt(14)) {
            case 0 -> {
                double until = random.nextBoolean() ? 0 : Epoch.ofMicros(1 + random.nextLong(4_000_000_000_000_000L));
                double from = random.nextBoolean() ? 0 : Epoch.ofMicros(1 + random.nextLong(4_000_000_000_000_000L));
                Purpose purpose = random.nextBoolean()
                        ? Purpose.NONE
                        : new Purpose(some(random), some(random), some(random), some(random));
                yield new HoldChanges.Drain(text(random), maybe(random), mode, text(random), from, until, 0, purpose);
            }
            case 1 -> new HoldChanges.Undrain(text(random), maybe(random), mode, maybe(random), random.nextBoolean());
            case 2 -> new MembershipChanges.Exclude(text(random), maybe(random));
            case 3 -> new MembershipChanges.Include(text(random), maybe(random));
            case 4 -> new MembershipChanges.Shrink(text(random), maybe(random));
            case 5 ->
                new LivenessChanges.SetLiveness(
                        LivenessChange.of(REPORTS.get(random.nextInt(REPORTS.size()))), text(random), text(random));
            case 6 -> {
                SortedMap<String, String> properties = new TreeMap<>();
                for (int i = random.nextInt(3); i >= 0; i--) {
                    properties.put(text(random), text(random));
                }
                yield new DefinitionChanges.ChangeProperties(random.nextBoolean(), properties);
            }
            case 7 -> new DefinitionChanges.SetExpiration(Epoch.ofMicros(random.nextLong(4_000_000_000_000_000L)));
            case 8 -> new NoteChanges.Annotate(text(random), List.of(text(random)), edit(random));
            case 9 ->
                new CheckChanges.ReportCheck(
                        text(random), text(random), 1 + random.nextInt(9), random.nextBoolean(), text(random));
            case 10 -> new CheckChanges.ReportBoot(text(random), text(random));
            case 11 -> new WorkChanges.ClaimWork(text(random), 1 + random.nextInt(9), random.nextInt(9) / 2.0);
            case 12 ->
                new WorkChanges.ReportWork(text(random), 1 + random.nextInt(9), random.nextBoolean(), text(random));
            default -> new LivenessChanges.ForceDown(Idsets.any(random));
        };
    }

    private static NoteEdit edit(Random random) {
        SortedMap<String, Optional<String>> tags = new TreeMap<>();
        tags.put(text(random), Optional.ofNullable(maybe(random)));
        SortedMap<String, Optional<String>> data = new TreeMap<>();
        data.put(text(random), random.nextBoolean() ? Optional.empty() : Optional.of("{\"x\":[1.5,null]}"));
        return new NoteEdit(tags, random.nextBoolean() ? null : new NoteEdit.Mark(text(random), text(random)), data);
    }

    @Seeds
    void everyCallIsReadAsTheCommandThatItWasBuiltFrom(Random random) throws Exception {
        for (int i = 0; i < 20; i++) {
            Command command = command(random);
            boolean dryRun = random.nextBoolean();
            ChangeRequest.Call call = ChangeRequest.call(command, dryRun);
            String method = call.topic().substring("resource.".length());
            ChangeRequest read = ChangeRequestTest.parse(method, Json.parse(Json.encode(call.payload())));
            assertThat(read.command()).isEqualTo(command);
            assertThat(read.dryRun()).isEqualTo(dryRun);
        }
    }

    @Seeds
    void answersAreReadAsTheyWereWritten(Random random) throws Exception {
        InventoryState state = InventoryState.empty();
        double now = 1_795_226_327;
        state = run(new DefinitionChanges.Define(resources(), "reload", Liveness.Status.ONLINE), state, now);
        for (int step = 0; step < 20; step++) {
            now += random.nextInt(4) * 0.25;
            String targets = Idsets.small(random, 8).with(random.nextInt(8)).toString();
            Command command = switch (random.nextInt(6)) {
                case 0, 1 ->
                    new HoldChanges.Drain(
                            targets, maybe(random), Mode.UPDATE, random.nextBoolean() ? Hold.SHARED : "ops", 0);
                case 2 -> new HoldChanges.Undrain(targets, null, Mode.FORCE_OVERWRITE, null);
                case 3 -> new MembershipChanges.Exclude(targets, null);
                case 4 ->
                    random.nextInt(3) == 0
                            ? new MembershipChanges.Shrink(targets, null)
                            : new MembershipChanges.Include(targets, null);
                default ->
                    new LivenessChanges.SetLiveness(
                            LivenessChange.of(REPORTS.get(random.nextInt(REPORTS.size()))), targets, "");
            };
            state = run(command, state, now);
            assertConsistent(state);
        }
    }

    private static void assertConsistent(InventoryState state) throws Exception {
        StatusAnswer status = StatusAnswer.parse(Json.parse(StatusAnswer.encode(state)));
        assertThat(status.resources())
                .hasToString(state.resources().withoutScheduling().toString());
        assertThat(status.drain()).isEqualTo(reasonsRankByRank(state));
        assertThat(status.online().union(status.offline()))
                .isEqualTo(state.resources().ranks());
        assertThat(status.online().intersects(status.offline())).isFalse();
        assertThat(status.online().containsAll(status.torpid())).isTrue();
        status.drain()
                .values()
                .forEach(ranks -> assertThat(ranks.intersects(status.exclude())).isFalse());

        SchedStatus sched = SchedStatus.of(state, Idset.EMPTY);
        assertThat(sched.all().ranks().subtract(sched.down().ranks()))
                .isEqualTo(state.view().up());
        assertThat(sched.all().ranks()).isEqualTo(state.members());

        Get get = Get.of(state.definition(), MissingNode.getInstance());
        assertThat(Get.parse(Json.parse(get.encode())).encode()).isEqualTo(get.encode());
    }

    private static Map<StatusAnswer.Reason, Idset> reasonsRankByRank(InventoryState state) {
        Map<StatusAnswer.Reason, Idset> reasons = new HashMap<>();
        Idset away = state.membership().lost().union(state.membership().excluded());
        state.holds().held().subtract(away).forEach(rank -> {
            HoldSet set = Objects.requireNonNull(state.holds().on(rank));
            Hold shared = set.of(Hold.SHARED);
            Hold hold = shared == null ? set.oldest() : shared;
            String reason = hold.reason() == null ? "" : hold.reason();
            reasons.merge(new StatusAnswer.Reason(Math.rint(hold.since()), reason), Idset.of(rank), Idset::union);
        });
        return reasons;
    }

    private static InventoryState run(Command command, InventoryState state, double now) {
        Decision decision = command.decide(state, now, Principal.DAEMON);
        InventoryState next = state;
        for (Event event : decision.events()) {
            next = new Entry(1, now, Principal.DAEMON, event).applyTo(next);
        }
        return next;
    }

    private static ResourceSet resources() {
        return ResourceSet.parse("{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-7\",\"children\":"
                + "{\"core\":\"0-3\"}}],\"starttime\":0.0,\"expiration\":0.0,\"nodelist\":[\"n[0-7]\"],"
                + "\"properties\":{\"batch\":\"3\"}},\"scheduling\":{\"x\":1}}");
    }
}
