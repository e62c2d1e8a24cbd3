package io.muster.inventory.state;

import static io.muster.inventory.state.Decision.Rejection.Kind.EXISTS;
import static io.muster.inventory.state.Decision.Rejection.Kind.HELD_BY_OTHER;
import static io.muster.inventory.state.Decision.Rejection.Kind.INVALID;

import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Remap;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request to change the inventory. {@link #decide} says which events it leads to; a command is carried out as a whole or not
 * at all. Targets are text (an idset or a hostlist), because only the current state knows which hosts exist.
 */
public sealed interface Command {
    Decision decide(InventoryState state, double now, Principal by);

    /** How a drain treats targets that are drained already (flux-core's {@code mode}). */
    enum Mode {
        /** Refuse the request if any target is already drained. */
        NONE,
        /** Leave targets that have a reason unchanged. */
        UPDATE,
        /** Replace the reason. */
        OVERWRITE,
        /** Replace the reason and the time. */
        FORCE_OVERWRITE;

        Event.Overwrite overwrite() {
            return switch (this) {
                case NONE, UPDATE -> Event.Overwrite.NOTHING;
                case OVERWRITE -> Event.Overwrite.REASON;
                case FORCE_OVERWRITE -> Event.Overwrite.REASON_AND_TIME;
            };
        }

        boolean forces() {
            return this == OVERWRITE || this == FORCE_OVERWRITE;
        }
    }

    /**
     * @param holder {@link Hold#SHARED} or the name of a holder
     * @param until time at which the hold ends; 0 for none
     */
    record Drain(String targets, @Nullable String reason, Mode mode, String holder, double until) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Targets.resolve(state, targets, fault(now), ranks -> drain(state, ranks, by));
        }

        private @Nullable String fault(double now) {
            String reasonFault = Wording.fault("reason", reason);
            String wordingFault = reasonFault == null ? Hold.holderFault(holder) : reasonFault;
            return wordingFault == null ? untilFault(now) : wordingFault;
        }

        private @Nullable String untilFault(double now) {
            if (until == 0) {
                return null;
            }
            if (!(until <= Epoch.LAST)) {
                return "the time until which to drain is not a date before the year 10000";
            }
            boolean future = until > now && Epoch.rounded(until) > now;
            return future ? null : "the time until which to drain is not in the future";
        }

        private Decision drain(InventoryState state, Idset ranks, Principal by) {
            Idset absent = state.membership().absent(ranks);
            Idset drained = state.holds().matching(ranks, holder, h -> h != null && h.reason() != null);
            boolean clash = mode == Mode.NONE && !drained.isEmpty();
            if (clash || !absent.isEmpty()) {
                return refuse(state, clash ? drained : Idset.EMPTY, absent);
            }
            Idset changed = mode.forces() ? ranks : ranks.subtract(unchanged(state, ranks));
            Idset protectedRanks = mode.forces()
                    ? Idset.EMPTY
                    : state.holds().matching(changed, holder, h -> h != null && !h.mayBeChangedBy(by));
            if (!protectedRanks.isEmpty()) {
                return Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, protectedRanks, holder));
            }
            return changed.isEmpty() ? Decision.accept() : Decision.accept(event(state, changed));
        }

        /**
         * Returns the ranks that are drained already and keep their hold unchanged, because this request adds neither a reason
         * nor an end.
         */
        private Idset unchanged(InventoryState state, Idset ranks) {
            boolean silent = reason == null && until == 0;
            return state.holds().matching(ranks, holder, h -> h != null && (silent || h.reason() != null));
        }

        private Event event(InventoryState state, Idset changed) {
            return new Event.Drain(
                    Event.Targets.of(state, changed), reason, mode.overwrite(), holder, Epoch.rounded(until));
        }

        /** Refuses with flux-core's sentence and error number: EEXIST if any rank was drained, else EINVAL. */
        private static Decision refuse(InventoryState state, Idset drained, Idset absent) {
            List<String> faults = new ArrayList<>();
            if (!drained.isEmpty()) {
                faults.add("already drained");
            }
            if (absent.intersects(state.membership().excluded())) {
                faults.add("excluded");
            }
            if (absent.intersects(state.membership().lost())) {
                faults.add("lost");
            }
            return Decision.reject(
                    drained.isEmpty() ? INVALID : EXISTS,
                    Targets.say(state, drained.union(absent), String.join(" or ", faults)));
        }
    }

    /**
     * Ends holds, on departed hosts too: a hold that nobody wants any more must not stay until its host returns.
     *
     * @param holder holder whose hold ends; null for the shared hold or, with mode FORCE_OVERWRITE, for the holds of all
     *     holders
     */
    record Undrain(
            String targets,
            @Nullable String reason,
            Mode mode,
            @Nullable String holder) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Targets.resolveWithDeparted(state, targets, fault(), found -> undrain(state, found, by));
        }

        private @Nullable String fault() {
            String reasonFault = Wording.fault("reason", reason);
            return reasonFault == null && holder != null ? Hold.holderFault(holder) : reasonFault;
        }

        private boolean everybody() {
            return holder == null && mode == Mode.FORCE_OVERWRITE;
        }

        private String holderName() {
            return holder == null ? Hold.SHARED : holder;
        }

        private Decision undrain(InventoryState state, Targets.Found found, Principal by) {
            Decision refusal = refusal(state, found.ranks(), by);
            refusal = refusal == null ? refusal(state, found.departed(), by) : refusal;
            if (refusal != null) {
                return refusal;
            }
            Idset held = everybody()
                    ? found.ranks().intersect(state.holds().held())
                    : state.holds().matching(found.ranks(), holderName(), h -> h != null);
            Hostlist heldDeparted = state.departed(
                    found.departed(),
                    departed -> everybody() ? departed.holds() != null : departed.holdOf(holderName()) != null);
            return held.isEmpty() && heldDeparted.isEmpty()
                    ? Decision.accept()
                    : Decision.accept(new Event.Undrain(
                            Event.Targets.of(state, held, heldDeparted),
                            reason,
                            mode.overwrite(),
                            everybody() ? Event.Undrain.EVERYBODY : holderName()));
        }

        private @Nullable Decision refusal(InventoryState state, Idset ranks, Principal by) {
            Idset unheld = state.holds().matching(ranks, holderName(), h -> h == null);
            if (mode == Mode.NONE && !unheld.isEmpty()) {
                Idset heldByOthers = unheld.intersect(state.holds().held());
                return heldByOthers.isEmpty()
                        ? Decision.reject(EXISTS, Targets.say(state, unheld, "not drained"))
                        : Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, heldByOthers, holderName()));
            }
            Idset protectedRanks = state.holds().matching(ranks, holderName(), h -> h != null && !h.mayBeChangedBy(by));
            return mode.forces() || protectedRanks.isEmpty()
                    ? null
                    : Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, protectedRanks, holderName()));
        }

        private @Nullable Decision refusal(InventoryState state, Hostlist hosts, Principal by) {
            Hostlist unheld = state.departed(hosts, departed -> departed.holdOf(holderName()) == null);
            if (mode == Mode.NONE && !unheld.isEmpty()) {
                Hostlist heldByOthers = state.departed(unheld, departed -> departed.holds() != null);
                return heldByOthers.isEmpty()
                        ? Decision.reject(EXISTS, unheld + " (departed) not drained")
                        : Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, heldByOthers, holderName()));
            }
            Hostlist protectedHosts = state.departed(hosts, departed -> {
                Hold hold = departed.holdOf(holderName());
                return hold != null && !hold.mayBeChangedBy(by);
            });
            return mode.forces() || protectedHosts.isEmpty()
                    ? null
                    : Decision.reject(HELD_BY_OTHER, Targets.heldByOther(state, protectedHosts, holderName()));
        }
    }

    /** Ends the holds that have expired. The daemon itself issues this command when a deadline passes. */
    record LiftExpired() implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            List<Event> events = new ArrayList<>();
            for (Map.Entry<Hold, Idset> due : state.holds().expired(now).entrySet()) {
                events.add(new Event.Undrain(
                        Event.Targets.of(state, due.getValue()),
                        "the hold ran out",
                        Event.Overwrite.NOTHING,
                        due.getKey().holder()));
            }
            return new Decision(events, null);
        }
    }

    record Exclude(String targets, @Nullable String reason) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Targets.resolve(state, targets, Wording.fault("reason", reason), ranks -> {
                Idset fresh = ranks.subtract(state.membership().ranks(Membership.Kind.ADMIN));
                return fresh.isEmpty()
                        ? Decision.accept()
                        : Decision.accept(
                                new Event.Exclude(Event.Targets.of(state, fresh), Membership.Kind.ADMIN, reason));
            });
        }
    }

    /** Undoes exclusions and shrinks by admins, for departed hosts too. Admins cannot include what the configuration excludes. */
    record Include(String targets, @Nullable String reason) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Targets.resolveWithDeparted(state, targets, Wording.fault("reason", reason), found -> {
                Idset ranks = found.ranks();
                Idset configured = ranks.intersect(state.membership().ranks(Membership.Kind.CONFIG));
                if (!configured.isEmpty()) {
                    return Decision.reject(
                            INVALID,
                            Targets.name(state, configured)
                                    + " excluded by the configuration: change resource.exclude there and reload it");
                }
                Hostlist absentHosts = state.departed(
                        found.departed(), departed -> !departed.absences().isEmpty());
                Event.Targets included =
                        Event.Targets.of(state, state.membership().absent(ranks), absentHosts);
                return included.isEmpty()
                        ? Decision.accept()
                        : Decision.accept(new Event.Include(included, Membership.Kind.ADMIN, reason));
            });
        }
    }

    /**
     * Sets the ranks that the configuration excludes; ranks that it no longer excludes come back. The exclusion applies to
     * hosts, whose ranks may differ from {@code configured} because an admin may have loaded another R.
     *
     * @param configured R of the configuration
     * @param ranks ranks excluded in {@code configured}
     */
    record ExcludeByConfig(ResourceSet configured, Idset ranks) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            Idset current = state.membership().ranks(Membership.Kind.CONFIG);
            Idset wanted = Remap.between(configured, state.resources()).translate(ranks);
            List<Event> events = new ArrayList<>();
            Idset included = current.subtract(wanted);
            Idset excluded = wanted.subtract(current);
            if (!included.isEmpty()) {
                events.add(new Event.Include(
                        Event.Targets.of(state, included), Membership.Kind.CONFIG, "no longer in resource.exclude"));
            }
            if (!excluded.isEmpty()) {
                events.add(new Event.Exclude(
                        Event.Targets.of(state, excluded), Membership.Kind.CONFIG, "resource.exclude"));
            }
            return new Decision(events, null);
        }
    }

    /**
     * Removes ranks from the instance for good (RFC 28 {@code shrink}). At least one member stays, because schedulers hang
     * without any.
     */
    record Shrink(String targets, @Nullable String reason) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Targets.resolve(state, targets, Wording.fault("reason", reason), ranks -> {
                Idset leaving = ranks.subtract(state.membership().lost());
                if (leaving.isEmpty()) {
                    return Decision.accept();
                }
                Idset members = state.members();
                if (!members.isEmpty() && leaving.containsAll(members)) {
                    return Decision.reject(
                            INVALID,
                            Targets.name(state, leaving)
                                    + " would leave no rank on offer: drain instead, or stop the daemon");
                }
                return Decision.accept(
                        new Event.Exclude(Event.Targets.of(state, leaving), Membership.Kind.LOST, reason));
            });
        }
    }

    /** @param name online, offline, torpid or lively */
    record Report(String name, String targets, String cause) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Targets.resolve(state, targets, Wording.fault("cause", cause), ranks -> {
                Liveness live = state.liveness();
                Idset moving = switch (name) {
                    case "online" -> ranks.subtract(live.online());
                    case "offline" -> ranks.subtract(live.in(Liveness.Status.OFFLINE, ranks));
                    case "torpid" -> ranks.intersect(live.online());
                    case "lively" -> ranks.intersect(live.torpid());
                    default -> throw new IllegalArgumentException("no such report: " + name);
                };
                return moving.isEmpty()
                        ? Decision.accept()
                        : Decision.accept(new Event.Report(name, Event.Targets.of(state, moving), cause));
            });
        }
    }

    /**
     * Reports ranks as offline, like flux-core's {@code monitor-force-down}. Ranks that do not exist or are offline already are
     * ignored.
     */
    record ForceDown(Idset ranks) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            Idset known = ranks.intersect(state.resources().ranks());
            Idset falling = known.subtract(state.liveness().in(Liveness.Status.OFFLINE, known));
            return falling.isEmpty()
                    ? Decision.accept()
                    : Decision.accept(new Event.Report("offline", Event.Targets.of(state, falling), "forced down"));
        }
    }

    record SetExpiration(double expiration) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            if (!(expiration >= 0 && expiration <= Epoch.LAST)) {
                return Decision.reject(
                        INVALID, "expiration must be 0 (never) or seconds since the epoch, before the year 10000");
            }
            double wanted = Epoch.rounded(expiration);
            String fault = Definition.expirationFault(state.resources(), wanted);
            if (fault != null) {
                return Decision.reject(INVALID, fault);
            }
            return wanted == state.resources().expiration()
                    ? Decision.accept()
                    : Decision.accept(new Event.Update(wanted));
        }
    }

    /** @param properties targets by name of the property */
    record Properties(boolean add, SortedMap<String, String> properties) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            SortedMap<String, Idset> changes = new TreeMap<>();
            for (Map.Entry<String, String> property : properties.entrySet()) {
                String name = property.getKey();
                String fault = add ? ResourceSet.propertyNameFault(name) : null;
                if (fault != null) {
                    return Decision.reject(INVALID, fault);
                }
                Decision resolved = Targets.resolve(state, property.getValue(), null, ranks -> {
                    Idset has = state.resources().properties().getOrDefault(name, Idset.EMPTY);
                    Idset change = add ? ranks.subtract(has) : ranks.intersect(has);
                    if (!change.isEmpty()) {
                        changes.put(name, change);
                    }
                    return Decision.accept();
                });
                if (resolved.rejection() != null) {
                    return resolved;
                }
            }
            return changes.isEmpty() ? Decision.accept() : Decision.accept(new Event.Properties(add, changes));
        }
    }

    /**
     * Replaces R and, at the same time, the exclusions by the configuration, so that no scheduler is offered an excluded host
     * in between.
     *
     * @param method RFC 44's word for the source of R
     * @param exclusions null to keep the current exclusions, which follow their hosts
     */
    record Define(
            ResourceSet resources,
            String method,
            Liveness.Status initial,
            @Nullable ExcludeByConfig exclusions) implements Command {
        public Define(ResourceSet resources, String method, Liveness.Status initial) {
            this(resources, method, initial, null);
        }

        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            List<Event> events = new ArrayList<>();
            if (!resources.equals(state.definition().base())) {
                events.add(new Event.Define(method, resources, initial));
            }
            if (exclusions != null) {
                InventoryState defined = events.isEmpty() ? state : state.apply(events.get(0), now, by);
                events.addAll(exclusions.decide(defined, now, by).events());
            }
            return new Decision(events, null);
        }
    }

    record Restart() implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Decision.accept(new Event.Restart(
                    Event.Targets.of(state, state.resources().ranks()),
                    state.liveness().online()));
        }
    }
}
