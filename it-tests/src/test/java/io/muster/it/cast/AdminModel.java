package io.muster.it.cast;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.HoldChanges.Mode;
import io.muster.protocol.admin.StatusAnswer;
import io.muster.protocol.testing.SchedulerModel;
import io.muster.testing.NaiveState;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of the ranks that belong to one admin, by the rules of {@link NaiveState}, and random changes of it. An admin's changes take
 * effect in the order in which they were sent. So after a crash its ranks must be in one of the states that they went through: with all
 * answered changes, and perhaps some unanswered ones.
 */
final class AdminModel {
    private static final double NOW = 1;

    private final int number;
    private final Idset ranks;
    private final NaiveState state;

    private AdminModel(int number, Idset ranks, NaiveState state) {
        this.number = number;
        this.ranks = ranks;
        this.state = state;
    }

    /** The first state of an admin's ranks: all are online, and none is held. */
    static AdminModel of(int number, Idset ranks) {
        NaiveState state = new NaiveState();
        Hostlist hosts = Hostlist.parse("node[" + ranks + "]");
        state.define(ResourceSet.of(hosts, ranks, Idset.of(0), Idset.EMPTY, Map.of()), Liveness.Status.ONLINE, NOW);
        return new AdminModel(number, ranks, state);
    }

    String name() {
        return "a" + number;
    }

    private boolean ownsExpiration() {
        return number == 0;
    }

    Idset up() {
        return state.ranksWhere(NaiveState.Rank::isUp);
    }

    private Idset drained() {
        return state.ranksWhere(rank -> !rank.holds.isEmpty());
    }

    private Idset excluded() {
        return state.ranksWhere(rank -> !rank.absent.isEmpty());
    }

    private Idset offline() {
        return state.ranksWhere(rank -> rank.status == Liveness.Status.OFFLINE);
    }

    /** The answers to queries about an admin's ranks. Each reason is used once, so that an observation identifies the last change. */
    record Observation(
            SortedMap<Integer, String> reasons,
            Idset excluded,
            Idset offline,
            SortedMap<String, Idset> properties,
            double expiration) {}

    /** The answers that queries must give in this state. */
    Observation expected() {
        SortedMap<Integer, String> reasons = new TreeMap<>();
        state.ranks.forEach((id, rank) ->
                rank.holds.values().forEach(hold -> reasons.put(id, Objects.requireNonNullElse(hold.reason(), ""))));
        return new Observation(reasons, excluded(), offline(), state.properties(), state.expiration());
    }

    /** The answers of a daemon about the same ranks. */
    Observation observed(StatusAnswer status, ResourceSet r) {
        SortedMap<Integer, String> reasons = new TreeMap<>();
        status.drain()
                .forEach((reason, held) -> held.intersect(ranks).forEach(rank -> reasons.put(rank, reason.reason())));
        return new Observation(
                reasons,
                status.exclude().intersect(ranks),
                status.offline().intersect(ranks),
                own(r.properties()),
                ownsExpiration() ? r.expiration() : 0);
    }

    private SortedMap<String, Idset> own(Map<String, Idset> properties) {
        SortedMap<String, Idset> own = new TreeMap<>(properties);
        own.keySet().removeIf(property -> !property.startsWith(name() + "p"));
        return own;
    }

    /** A scheduler's knowledge of an admin's ranks. */
    record Knowledge(Idset up, SortedMap<String, Idset> properties, double expiration) {}

    /** The knowledge of a scheduler that was offered {@code offered}, in this state. */
    Knowledge knownIfOffered(Idset offered) {
        return new Knowledge(
                up().intersect(offered), SchedulerModel.among(offered, state.properties()), state.expiration());
    }

    /** The knowledge of a scheduler about the same ranks. */
    Knowledge knownBy(SchedulerModel scheduler) {
        return new Knowledge(
                scheduler.up().intersect(ranks),
                own(scheduler.properties()),
                ownsExpiration() ? scheduler.expiration() : 0);
    }

    /** A request, and the state after it. */
    record Change(String topic, ObjectNode payload, AdminModel after) {}

    /**
     * A random change that the daemon has no reason to refuse.
     *
     * @param change number of the change
     */
    Change random(Random random, int change) {
        while (true) {
            Change found = attempt(random, name() + "-" + change);
            if (found != null) {
                return found;
            }
        }
    }

    private @Nullable Change attempt(Random random, String reason) {
        return switch (random.nextInt(11)) {
            case 0, 1, 2 -> drain(some(random, ranks.subtract(excluded()).subtract(drained())), reason);
            case 3, 4 -> undrain(some(random, drained()));
            case 5 -> exclude(some(random, ranks.subtract(excluded())), reason);
            case 6 -> include(some(random, excluded()));
            case 7 -> report("offline", some(random, ranks.subtract(offline())));
            case 8 -> report("online", some(random, offline()));
            case 9 -> property(random, name() + "p" + random.nextInt(5));
            default -> ownsExpiration() ? expire(2_000_000_000.0 + random.nextInt(1_000_000)) : null;
        };
    }

    /** One to four of the ids, or none if there are none. */
    private static Idset some(Random random, Idset of) {
        Idset.Builder builder = Idset.builder();
        for (int i = 0, n = of.isEmpty() ? 0 : 1 + random.nextInt(4); i < n; i++) {
            builder.add(of.nth(random.nextInt(of.size())));
        }
        return builder.build();
    }

    private @Nullable Change drain(Idset targets, String reason) {
        return change(
                "drain",
                targets,
                reason,
                next -> next.drain(targets, reason, Mode.NONE, Hold.SHARED, 0, NOW, Principal.DAEMON));
    }

    private @Nullable Change undrain(Idset targets) {
        return change(
                "undrain", targets, "", next -> next.undrain(targets, List.of(), Mode.NONE, null, Principal.DAEMON));
    }

    private @Nullable Change exclude(Idset targets, String reason) {
        return change("exclude", targets, reason, next -> next.exclude(targets));
    }

    private @Nullable Change include(Idset targets) {
        return change("include", targets, "", next -> next.include(targets, List.of()));
    }

    private @Nullable Change report(String verb, Idset targets) {
        return change(verb, targets, "", next -> next.report(verb, targets, NOW));
    }

    private @Nullable Change property(Random random, String name) {
        Idset having = state.properties().getOrDefault(name, Idset.EMPTY);
        boolean add = random.nextBoolean();
        Idset targets = some(random, add ? ranks.subtract(having) : having);
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.putObject("properties").put(name, targets.toString());
        return targets.isEmpty()
                ? null
                : change(
                        "property-" + (add ? "add" : "remove"), payload, next -> next.edit(add, Map.of(name, targets)));
    }

    private Change expire(double when) {
        ObjectNode payload = JsonNodeFactory.instance.objectNode().put("expiration", when);
        return change("expiration-update", payload, next -> next.expire(when));
    }

    private @Nullable Change change(String verb, Idset targets, String reason, NaiveState.Effect effect) {
        ObjectNode payload = JsonNodeFactory.instance.objectNode().put("targets", targets.toString());
        if (!reason.isEmpty()) {
            payload.put("reason", reason);
        }
        return targets.isEmpty() ? null : change(verb, payload, effect);
    }

    private Change change(String verb, ObjectNode payload, NaiveState.Effect effect) {
        NaiveState next = state.copy();
        assertThat(effect.on(next))
                .as("%s %s is refused by the model", verb, payload)
                .isNull();
        return new Change("resource." + verb, payload, new AdminModel(number, ranks, next));
    }
}
