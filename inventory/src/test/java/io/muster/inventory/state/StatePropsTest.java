package io.muster.inventory.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.history.Chronicle;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.PastEvent;
import io.muster.inventory.hostlist.HostSearch;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Decision.Rejection.Kind;
import io.muster.inventory.state.HoldChanges.Mode;
import io.muster.testing.Idsets;
import io.muster.testing.NaiveState;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Runs random commands by several people on the state and on the naive model, and compares all observable data after each. */
class StatePropsTest {
    private static final HostSearch ALL = new HostSearch(Set.of());
    private static final int STEPS = 60;
    private static final int HIGHEST = 9;
    private static final Principal[] PEOPLE = {States.ALICE, States.BOB, new Principal(1001, "alice", 77)};
    private static final String[] HOLDERS = {Hold.SHARED, Hold.SHARED, "ops", "health"};
    private static final @Nullable String[] REASONS = {null, "", "dimm", "Lüfter \"3\" \uD83D\uDE00"};
    private static final String[] PROPERTIES = {"batch", "+inst", "gpu@a/b~c", "\uD83D\uDE00"};
    private static final String[] REPORTS = {"online", "online", "offline", "torpid", "lively"};

    private static final List<Mode> MODES = List.of(Mode.values());
    private static final List<Liveness.Status> STATUSES = List.of(Liveness.Status.values());

    private final NaiveState model = new NaiveState();
    private final States real = States.empty();
    private long ids;
    private InventoryState replayed = InventoryState.empty();

    /** History names hosts and not ranks, and R from the configuration begins no host as torpid. */
    private boolean likeAConfiguration;

    @Seeds
    void theStateMatchesTheModelAndTheJournalAndSnapshotsRestoreIt(Random random) {
        define(resources(random), random);
        for (int step = 0; step < STEPS; step++) {
            real.at(Epoch.rounded(real.now() + random.nextInt(3) * 0.250001));
            step(random);
            assertSame();
            resend(random);
            real.entries().forEach(this::replay);
            real.entries().clear();
            assertThat(States.snapshot(replayed)).isEqualTo(States.snapshot(real.state()));
        }
    }

    @Seeds
    void theOpenIntervalsOfTheChronicleMatchTheState(Random random) {
        likeAConfiguration = true;
        Chronicle chronicle = new Chronicle(Set.of(), true);
        define(resources(random), random);
        for (int step = 0; step < STEPS; step++) {
            real.at(Epoch.rounded(real.now() + random.nextInt(3) * 0.250001));
            step(random);
            for (Entry entry : real.entries()) {
                PastEvent event = PastEvent.of(entry);
                assertThat(PastEvent.of(States.tree(entry), ALL)).isEqualTo(event);
                chronicle.add(event);
                replay(entry);
                assertThat(open(chronicle)).as("after %s", event).isEqualTo(open(replayed));
            }
            real.entries().clear();
        }
    }

    private static SortedSet<String> open(Chronicle chronicle) {
        SortedSet<String> open = new TreeSet<>();
        chronicle.intervals().forEach(interval -> {
            Outage outage = interval.getKey();
            boolean live = outage.kind() == Outage.Kind.OFFLINE || outage.kind() == Outage.Kind.TORPID;
            // The state does not contain the user that reported a host.
            Outage known = live
                    ? Outage.open(outage.kind(), outage.holder(), outage.reason(), outage.from(), "")
                            .ended(outage.to(), outage.endedBy(), outage.comment())
                    : outage;
            if (outage.isOpen()) {
                interval.getValue().forEach(host -> open.add(host + " " + known));
            }
        });
        return open;
    }

    private static SortedSet<String> open(InventoryState state) {
        SortedSet<String> open = new TreeSet<>();
        state.resources().ranks().forEach(rank -> {
            String host = state.resources().hostOf(rank);
            collect(open, host, state.holds().on(rank), state.membership().of(rank));
            LivenessState report = Objects.requireNonNull(state.liveness().of(rank));
            if (report.status() != Liveness.Status.ONLINE) {
                Outage.Kind kind = Outage.Kind.valueOf(report.status().name());
                open.add(host + " " + Outage.open(kind, "", report.reason(), report.since(), ""));
            }
        });
        state.departed().forEach((host, left) -> collect(open, host, left.holds(), left.absences()));
        return open;
    }

    private static void collect(
            Set<String> open, String host, @Nullable HoldSet holds, List<Membership.Absence> absences) {
        for (Hold hold : holds == null ? List.<Hold>of() : holds.holds()) {
            open.add(host + " "
                    + Outage.open(
                            Outage.Kind.DRAINED,
                            hold.holder(),
                            Objects.requireNonNullElse(hold.reason(), ""),
                            hold.changed(),
                            hold.by().user()));
        }
        for (Membership.Absence absence : absences) {
            Outage.Kind kind = absence.kind() == Membership.Kind.LOST ? Outage.Kind.LOST : Outage.Kind.EXCLUDED;
            open.add(host + " "
                    + Outage.open(
                            kind,
                            "",
                            Objects.requireNonNullElse(absence.reason(), ""),
                            absence.since(),
                            absence.by().user()));
        }
    }

    private static <T> T any(List<T> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }

    private void step(Random random) {
        Principal by = PEOPLE[random.nextInt(PEOPLE.length)];
        Idset targets = targets(random);
        switch (random.nextInt(14)) {
            case 0, 1, 2 -> drain(targets, random, by);
            case 3, 4 -> undrain(targets, random, by);
            case 5 -> {
                model.meetDeadlines(real.now());
                check(new PlanChanges.MeetDeadlines(), null, Principal.DAEMON);
            }
            case 6 -> check(new MembershipChanges.Exclude(text(targets, random), null), model.exclude(targets), by);
            case 7 -> {
                List<String> away = departed(random);
                String text = text(targets, away, random);
                check(new MembershipChanges.Include(text, "back"), model.include(targets, away), by);
            }
            case 8 -> {
                MembershipChanges.ExcludeByConfig excluded = excluded(again(), random);
                model.configure(excluded.configured(), excluded.ranks());
                check(excluded, null, Principal.DAEMON);
            }
            case 9 -> check(new MembershipChanges.Shrink(text(targets, random), null), model.shrink(targets), by);
            case 10 -> {
                String name = REPORTS[random.nextInt(REPORTS.length)];
                check(
                        new LivenessChanges.SetLiveness(
                                LivenessChange.of(name),
                                text(targets, random),
                                random.nextBoolean() ? "" : "heartbeat"),
                        model.report(name, targets, real.now()),
                        by);
            }
            case 11 -> {
                double expiration = random.nextInt(6) * 40 - 40 + (random.nextBoolean() ? 0.25 : 0);
                check(new DefinitionChanges.SetExpiration(expiration), model.expire(expiration), by);
            }
            case 12 -> edit(random, by);
            default -> define(random.nextInt(4) == 0 ? again() : resources(random), random);
        }
    }

    private void drain(Idset targets, Random random, Principal by) {
        String reason = REASONS[random.nextInt(REASONS.length)];
        Mode mode = any(MODES, random);
        String holder = HOLDERS[random.nextInt(HOLDERS.length)];
        double until = random.nextInt(3) > 0 ? 0 : Epoch.rounded(real.now() + random.nextInt(8) - 1);
        double from = random.nextInt(3) > 0 ? 0 : Epoch.rounded(real.now() + random.nextInt(8) - 1);
        Hold wanted = new Hold(holder, null, 0, 0, by, from, until, Purpose.NONE, 0, null, Extras.NONE);
        Kind refused = model.plan(targets, reason, mode, wanted, real.now());
        check(
                new HoldChanges.Drain(text(targets, random), reason, mode, holder, from, until, 0, Purpose.NONE),
                refused,
                by);
    }

    private void undrain(Idset targets, Random random, Principal by) {
        Mode mode = any(MODES, random);
        String holder = random.nextBoolean() ? null : HOLDERS[random.nextInt(HOLDERS.length)];
        List<String> away = departed(random);
        String text = text(targets, away, random);
        boolean planned = random.nextInt(3) == 0;
        Kind refused = model.undrain(targets, away, mode, holder, by, planned);
        check(new HoldChanges.Undrain(text, "done", mode, holder, planned), refused, by);
    }

    /** Returns some departed hosts that are not in R, so that their names cannot mean a rank. */
    private List<String> departed(Random random) {
        List<String> away = new ArrayList<>(model.departed.keySet());
        away.removeIf(host ->
                random.nextInt(3) > 0 || real.state().resources().hosts().contains(host));
        return away;
    }

    private String text(Idset targets, List<String> away, Random random) {
        String hosts = real.state().resources().hostsOf(targets).toString();
        boolean named = real.state().resources().targets(hosts).equals(targets);
        if (!named) {
            away.clear();
        }
        return away.isEmpty() ? text(targets, random) : hosts + "," + String.join(",", away);
    }

    private MembershipChanges.ExcludeByConfig excluded(ResourceSet next, Random random) {
        ResourceSet configured = random.nextBoolean() ? next : resources(random);
        Idset ranks = Idsets.small(random, HIGHEST + 1).intersect(configured.ranks());
        return new MembershipChanges.ExcludeByConfig(configured, ranks);
    }

    private void edit(Random random, Principal by) {
        boolean add = random.nextBoolean();
        SortedMap<String, Idset> wanted = new TreeMap<>();
        SortedMap<String, String> texts = new TreeMap<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            String name = PROPERTIES[random.nextInt(PROPERTIES.length)];
            wanted.put(name, targets(random));
            texts.put(name, text(wanted.get(name), random));
        }
        check(new DefinitionChanges.ChangeProperties(add, texts), model.edit(add, wanted), by);
    }

    private void define(ResourceSet next, Random random) {
        Liveness.Status initial = any(STATUSES, random);
        initial = likeAConfiguration && initial == Liveness.Status.TORPID ? Liveness.Status.OFFLINE : initial;
        if (!next.equals(real.state().definition().base())) {
            model.define(next, initial, real.now());
        }
        MembershipChanges.ExcludeByConfig exclusions = random.nextBoolean() ? null : excluded(next, random);
        if (exclusions != null) {
            model.configure(exclusions.configured(), exclusions.ranks());
        }
        check(new DefinitionChanges.Define(next, "reload", initial, exclusions), null, Principal.DAEMON);
    }

    private ResourceSet again() {
        return real.state().definition().base();
    }

    /** Returns a random R in which hosts keep their names, change their ranks, come and go, and sometimes have two ranks. */
    private ResourceSet resources(Random random) {
        Idset ranks = Idsets.small(random, HIGHEST + 1).with(random.nextInt(HIGHEST + 1));
        boolean doubles = random.nextInt(4) == 0 && !likeAConfiguration;
        int shift = random.nextInt(3);
        List<String> hosts = new ArrayList<>();
        ranks.forEach(rank -> hosts.add("n" + (doubles ? random.nextInt(4) : (rank + shift) % (HIGHEST + 1))));
        StringBuilder properties = new StringBuilder();
        for (String name : new String[] {"batch", "+inst"}) {
            Idset has = Idsets.small(random, HIGHEST).intersect(ranks);
            if (!has.isEmpty()) {
                properties.append(properties.length() > 0 ? "," : "").append("\"" + name + "\":\"" + has + "\"");
            }
        }
        return ResourceSet.parse("{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"" + ranks
                + "\",\"children\":{\"core\":\"0-3\"}}],\"starttime\":" + (random.nextInt(3) == 0 ? "60.10" : "0")
                + ",\"expiration\":" + (random.nextBoolean() ? "0.0" : "70.25") + ",\"nodelist\":[\""
                + String.join(",", hosts) + "\"],\"properties\":{" + properties
                + "}},\"scheduling\":{\"x\":1.10,\"y\":1e2}}");
    }

    private Idset targets(Random random) {
        Idset all = real.state().resources().ranks();
        Idset some = Idsets.small(random, HIGHEST + 1).intersect(all);
        return some.isEmpty() ? Idset.of(all.nth(random.nextInt(all.size()))) : some;
    }

    /** Returns the targets as ranks, or as hosts if the hosts have no other ranks. */
    private String text(Idset targets, Random random) {
        String hosts = real.state().resources().hostsOf(targets).toString();
        return random.nextBoolean() && real.state().resources().targets(hosts).equals(targets)
                ? hosts
                : targets.toString();
    }

    private void check(Command command, @Nullable Kind refused, Principal by) {
        String before = States.snapshot(real.state());
        Once once = new Once(command, ChangeId.of(new UUID(0, ++ids), command.toString()));
        Decision decision = real.run(once, by);
        if (!decision.events().isEmpty()) {
            model.sent.add(new NaiveState.Sent(once, by, real.now()));
        }
        Decision.Rejection rejection = decision.rejection();
        assertThat(rejection == null ? null : rejection.kind())
                .as("%s", command)
                .isEqualTo(refused);
        if (rejection != null) {
            assertThat(decision.events()).isEmpty();
            assertThat(rejection.text()).isNotBlank().doesNotContain("\n");
        }
        if (decision.events().isEmpty()) {
            assertThat(States.snapshot(real.state())).isEqualTo(before);
        }
    }

    /** Sends a change again: the repetition changes nothing if the author and the change are the same. */
    private void resend(Random random) {
        if (model.sent.isEmpty()) {
            return;
        }
        NaiveState.Sent any = any(model.sent, random);
        assertThat(model.remembers(any, ChangeIds.MOST, ChangeIds.SECONDS))
                .isEqualTo(real.state().repetition(any.command().id(), any.by()) != null);
        assertThat(any.command().decide(real.state(), real.now(), any.by())).isEqualTo(Decision.accept());
        assertThat(real.state()
                        .repetition(any.command().id(), new Principal(any.by().uid() + 7, "eve", 0)))
                .isNull();
        Once other =
                new Once(any.command().command(), ChangeId.of(any.command().id().id(), "another"));
        assertThat(Objects.requireNonNull(
                                other.decide(real.state(), real.now(), any.by()).rejection())
                        .text())
                .contains("belongs to another change already");
    }

    private void replay(Entry entry) {
        Entry read = Entry.parse(States.tree(entry));
        assertThat(read).isEqualTo(entry);
        assertThat(new String(read.toBytes(), UTF_8)).isEqualTo(new String(entry.toBytes(), UTF_8));
        replayed = read.applyTo(replayed);
    }

    private void assertSame() {
        InventoryState state = real.state();
        SchedulerView view = state.view();
        assertThat(view.members()).isEqualTo(model.ranksWhere(rank -> rank.absent.isEmpty()));
        assertThat(view.up()).isEqualTo(model.ranksWhere(NaiveState.Rank::isUp));
        assertThat(view.lost()).isEqualTo(model.ranksWhere(rank -> rank.absent.contains(Membership.Kind.LOST)));
        assertThat(view.properties()).isEqualTo(model.properties());
        assertThat(view.expiration()).isEqualTo(model.expiration());
        assertThat(state.members()).isEqualTo(view.members());
        assertThat(state.offered().resources().ranks()).isEqualTo(view.members());
        assertThat(state.holds().held()).isEqualTo(model.ranksWhere(rank -> !rank.holds.isEmpty()));
        assertThat(state.resources().ranks()).isEqualTo(model.ranksWhere(rank -> true));
        model.ranks.forEach(this::assertSame);
        assertThat(state.departed().keySet()).isEqualTo(model.departed.keySet());
        assertThat(state.holds().nextDeadline()).isEqualTo(earliest(rank -> rank.holds, Hold::until));
        assertThat(state.plans().nextDeadline()).isEqualTo(earliest(rank -> rank.plans, Hold::from));
        InventoryState read = StateJson.parse(States.tree(StateJson.toBytes(state)));
        assertThat(States.snapshot(read)).isEqualTo(States.snapshot(state));
        assertThat(read.view()).isEqualTo(view);
        assertThat(read.definition().base()).isEqualTo(state.definition().base());
        assertThat(read.holds().nextDeadline()).isEqualTo(state.holds().nextDeadline());
    }

    private void assertSame(int id, NaiveState.Rank rank) {
        InventoryState state = real.state();
        LivenessState report = Objects.requireNonNull(state.liveness().of(id));
        assertThat(report.status()).isEqualTo(rank.status);
        assertThat(report.since()).isEqualTo(rank.since);
        HoldSet set = state.holds().on(id);
        assertThat(set == null ? List.of() : set.holds()).isEqualTo(List.copyOf(rank.holds.values()));
        HoldSet plans = state.plans().on(id);
        assertThat(plans == null ? List.of() : plans.holds()).isEqualTo(List.copyOf(rank.plans.values()));
        assertThat(state.membership().of(id))
                .extracting(Membership.Absence::kind)
                .containsExactlyElementsOf(rank.absent);
        assertThat(state.resources().hostOf(id)).isEqualTo(rank.host);
    }

    private double earliest(Function<NaiveState.Rank, Map<String, Hold>> of, ToDoubleFunction<Hold> deadline) {
        return model.ranks.values().stream()
                .flatMap(rank -> of.apply(rank).values().stream())
                .mapToDouble(deadline)
                .filter(time -> time > 0)
                .min()
                .orElse(0);
    }

    /** I8: a repeated command changes nothing. */
    @Seeds(share = 0.2)
    void aRepeatedCommandChangesNothing(Random random) {
        real.run(States.define(resources(random)));
        for (Map.Entry<String, Mode> holder :
                Map.of("ops", Mode.UPDATE, Hold.SHARED, Mode.UPDATE).entrySet()) {
            Idset targets = targets(random);
            Command drain = new HoldChanges.Drain(targets.toString(), "x", holder.getValue(), holder.getKey(), 0);
            real.run(drain);
            assertThat(real.run(drain).events()).isEmpty();
            Command undrain = new HoldChanges.Undrain(targets.toString(), "x", Mode.UPDATE, holder.getKey());
            real.run(undrain);
            assertThat(real.run(undrain)).isEqualTo(new Decision(List.of(), null));
        }
        for (Command command : List.of(
                new MembershipChanges.Exclude(targets(random).toString(), null),
                new MembershipChanges.Include(targets(random).toString(), null),
                new LivenessChanges.SetLiveness(
                        LivenessChange.OFFLINE, targets(random).toString(), ""),
                new DefinitionChanges.ChangeProperties(
                        true, States.map("p", targets(random).toString())),
                new DefinitionChanges.ChangeProperties(
                        false, States.map("p", targets(random).toString())),
                new DefinitionChanges.SetExpiration(500))) {
            real.run(command);
            assertThat(real.run(command)).isEqualTo(new Decision(List.of(), null));
        }
    }
}
