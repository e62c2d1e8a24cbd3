package io.muster.daemon;

import io.muster.daemon.SimKills.Moment;
import io.muster.daemon.SimKills.Transition;
import io.muster.daemon.core.Answer;
import io.muster.inventory.axis.Boot;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.axis.Standing;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.CheckChanges;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.Once;
import io.muster.inventory.state.WorkChanges;
import io.muster.inventory.status.AttemptRow;
import io.muster.inventory.status.JobUsage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds that ask for a reboot and end by a check; the scripts that reboot hosts; and the hosts, which report boot ids and checks. {@link
 * SimKills} kills somebody at each transition of each hold. Nothing may be done twice for one attempt, and no host may be released that was
 * not checked after the action of the attempt.
 */
final class SimRepairs {
    private static final long MILLI = 1_000_000;
    private static final int SCRIPTS = 12;
    private static final double LEASE = 15;
    static final String HOLDER = "repair";
    private static final int FIRST_SCRIPT = 1200;
    private static final int FIRST_HOST = 1300;
    private static final Principal PERSON = new Principal(1100, "person", 7);

    /** No job uses any host. */
    private static final WorkChanges.Facts FACTS = AttemptRow.facts(
            List.of(new JobUsage("bridge", Idset.range(0, 1000), Idset.EMPTY, Double.MAX_VALUE)), action -> true);

    private final SimCluster cluster;
    private final SplittableRandom random;
    private final int wanted;
    private final int mostOpen;
    private int placed;
    /** The checks that counted, of which every second one passes. */
    private int checks;

    /** Whether a hold is on its way. */
    private boolean placing;

    private final List<Host> hosts = new ArrayList<>();
    private final List<Script> scripts = new ArrayList<>();
    /** The attempts, with their hosts, that a script acted on, that a claim was written for, and that passed a check. */
    private final Set<String> acted = new HashSet<>();

    private final Set<String> claimed = new HashSet<>();
    private final Set<String> passed = new HashSet<>();
    /** The last attempt on each host whose claim ran out. */
    private final Map<String, Long> ranOut = new TreeMap<>();

    final SimKills kills;

    int released;
    int lapsed;
    int refused;

    /**
     * @param wanted how many holds are placed, as long as faults happen
     * @param mostOpen how many of them there are at a time
     * @param one of how many transitions somebody is killed at one
     */
    SimRepairs(SimCluster cluster, int wanted, int mostOpen, int one) {
        this.cluster = cluster;
        this.wanted = wanted;
        this.mostOpen = mostOpen;
        this.random = cluster.simulation().choices().split();
        this.kills = new SimKills(cluster, random.split(), one);
        cluster.witness().watch(this::written);
    }

    void start() {
        for (int i = 0; i < SimCluster.RANKS; i++) {
            Host host = new Host(i);
            hosts.add(host);
            later(random.nextInt(1000), host::step);
        }
        for (int i = 0; i < SCRIPTS; i++) {
            Script script = new Script(i);
            scripts.add(script);
            later(random.nextInt(1000), script::step);
        }
        place();
    }

    boolean areDone() {
        return (placed == wanted || !cluster.isBusy()) && !placing && open() == 0 && kills.areMade();
    }

    private int open() {
        InventoryState state = cluster.witness().state();
        return hosts.stream().mapToInt(host -> repairs(state, host.name).size()).sum();
    }

    private void later(int millis, Runnable then) {
        cluster.simulation().after(MILLI * millis, then);
    }

    private static String key(String host, long attempt) {
        return host + " " + attempt;
    }

    /** As long as etcd has lost no event: it may have lost attempts, whose numbers are given again. */
    private void require(boolean condition, String fault) {
        SimWitness.require(condition || !cluster.witness().isWhole(), fault);
    }

    /** Looks at each event before it is applied. */
    private void written(Entry entry, InventoryState before) {
        if (entry.event() instanceof WorkChanges.Worked step) {
            String key = key(step.targets().nodelist(), step.attempt());
            if (step.step().equals("lapsed")) {
                lapsed++;
                ranOut.put(step.targets().nodelist(), step.attempt());
            }
            require(!step.step().equals("claimed") || claimed.add(key), "the attempt " + key + " is claimed twice");
            require(!step.step().equals("done") || acted.contains(key), key + " is done without an act");
            HoldSet set = before.holds().on(step.targets().ranks().first());
            Hold hold = set == null ? null : set.of(step.holder());
            Standing claim = hold == null ? null : hold.standing();
            boolean isLapsed = claim != null && claim.until() > 0 && claim.until() <= entry.timestamp();
            require(
                    step.step().equals("lapsed") == isLapsed,
                    "the claim of attempt " + key + " ends late or early with " + step.step() + ": " + claim);
            kills.at(step.holder(), Transition.of(step.step()), Moment.WRITTEN, self(entry.by()));
        } else if (entry.event() instanceof HoldChanges.Undrained end
                && end.holder().startsWith(HOLDER)) {
            HoldSet set = before.holds().on(end.targets().ranks().first());
            Hold hold = set == null ? null : set.of(end.holder());
            String key = hold == null ? "none" : key(end.targets().nodelist(), hold.attempt());
            require(passed.contains(key), "the hold of attempt " + key + " ends without a check");
            released++;
        } else if (entry.event() instanceof HoldChanges.Drained begun) {
            kills.at(begun.holder(), Transition.PLACED, Moment.WRITTEN, null);
        } else if (entry.event() instanceof CheckChanges.Booted boot) {
            String on = boot.targets().nodelist();
            hosts.stream()
                    .filter(host -> host.name.equals(on))
                    .forEach(host -> kills.at(host.repaired, Transition.BOOTED, Moment.WRITTEN, host::die));
        }
    }

    /** Returns how the process dies that acts as this user; null if it is a daemon, or the person. */
    private @Nullable Runnable self(Principal by) {
        int host = by.uid() - FIRST_HOST;
        int script = by.uid() - FIRST_SCRIPT;
        return host >= 0 && host < hosts.size()
                ? hosts.get(host)::die
                : script >= 0 && script < scripts.size() ? scripts.get(script)::die : null;
    }

    /** Sends a change at whatever daemon until an answer says what came of it, as long as the sender wants it. */
    private void send(Command command, Principal by, BooleanSupplier wants, Consumer<Answer> then) {
        UUID id = new UUID(random.nextLong(), random.nextLong());
        new Sending(new Once(command, ChangeId.of(id, command.toString())), by, wants, then).attempt();
    }

    private final class Sending {
        private final Command command;
        private final Principal by;
        private final BooleanSupplier wants;
        private final Consumer<Answer> then;
        private int tries;

        Sending(Command command, Principal by, BooleanSupplier wants, Consumer<Answer> then) {
            this.command = command;
            this.by = by;
            this.wants = wants;
            this.then = then;
        }

        void attempt() {
            if (!wants.getAsBoolean()) {
                return;
            }
            int attempt = ++tries;
            SimDaemon to = cluster.someDaemon(random);
            to.ask(
                    cluster.delay(random),
                    (core, process) -> core.inventory()
                            .submit(
                                    command,
                                    by,
                                    answer -> to.answer(process, cluster.delay(random), () -> {
                                        if (tries == attempt && wants.getAsBoolean()) {
                                            told(answer, to);
                                        }
                                    })));
            again(attempt, 1500 + random.nextInt(1000), to);
        }

        private void told(Answer answer, SimDaemon to) {
            if (answer instanceof Answer.Failed) {
                again(tries, 50 + random.nextInt(300), to);
            } else {
                tries = -1;
                then.accept(answer);
            }
        }

        private void again(int attempt, int millis, SimDaemon to) {
            later(millis, () -> {
                if (tries == attempt) {
                    cluster.forget(to);
                    attempt();
                }
            });
        }
    }

    /** Asks some daemon, which may be behind, for its state. */
    private void ask(BooleanSupplier wants, Consumer<InventoryState> then) {
        SimDaemon to = random.nextInt(4) == 0 ? cluster.anyDaemon(random) : cluster.someDaemon(random);
        AtomicBoolean answered = new AtomicBoolean();
        later(2500, () -> {
            if (!answered.get()) {
                cluster.forget(to);
            }
        });
        to.ask(cluster.delay(random), (core, process) -> {
            InventoryState state = core.inventory().state();
            to.answer(process, cluster.delay(random), () -> {
                answered.set(true);
                if (wants.getAsBoolean()) {
                    then.accept(state);
                }
            });
        });
    }

    private static List<Hold> repairs(InventoryState state, String host) {
        Idset ranks = state.resources().ranksOf(host);
        HoldSet set = ranks.isEmpty() ? null : state.holds().on(ranks.first());
        return set == null
                ? List.of()
                : set.holds().stream()
                        .filter(hold -> hold.holder().startsWith(HOLDER))
                        .toList();
    }

    /** A person places one hold after the other, several for each host at a time. */
    private void place() {
        if (placed == wanted || !cluster.isBusy()) {
            return;
        }
        if (open() >= mostOpen) {
            later(200, this::place);
            return;
        }
        int rank = random.nextInt(SimCluster.RANKS);
        String holder = HOLDER + placed;
        Purpose purpose = new Purpose("", "", "nhc", "reboot");
        placing = true;
        kills.at(holder, Transition.PLACED, Moment.SENT, null);
        send(
                new HoldChanges.Drain("node" + rank, "slow", HoldChanges.Mode.NONE, holder, 0, 0, 0, purpose),
                PERSON,
                () -> true,
                answer -> {
                    placing = false;
                    placed += answer instanceof Answer.Done ? 1 : 0; // R may lack the host
                    kills.at(holder, Transition.PLACED, Moment.ANSWERED, null);
                    later(20 + random.nextInt(50), this::place);
                });
    }

    /** A script that claims work, reboots the host, and reports. After a kill, another process begins, which knows nothing. */
    private final class Script {
        private final Principal by;
        private int life;

        Script(int number) {
            by = new Principal(FIRST_SCRIPT + number, "script" + number, 7);
        }

        void step() {
            int own = life;
            BooleanSupplier lives = () -> life == own;
            later(3000, () -> resume(own)); // if no answer comes
            ask(lives, state -> {
                int first = random.nextInt(SimCluster.RANKS);
                for (int i = 0; i < SimCluster.RANKS; i++) {
                    int rank = (first + i) % SimCluster.RANKS;
                    for (Hold hold : repairs(state, hosts.get(rank).name)) {
                        if (hold.standing() == null && hold.attempt() > 0) {
                            life++;
                            claim(hosts.get(rank), hold.holder(), hold.attempt());
                            return;
                        }
                    }
                }
            });
        }

        private void resume(int of) {
            if (life == of) {
                life++;
                later(random.nextInt(200), this::step);
            }
        }

        private void die() {
            life++;
            int own = life;
            later(500 + random.nextInt(3000), () -> resume(own));
        }

        private void claim(Host host, String holder, long attempt) {
            int own = life;
            double sent = cluster.wallSeconds();
            BooleanSupplier lives = () -> life == own && cluster.wallSeconds() < sent + LEASE - 1;
            later((int) (1000 * LEASE), () -> {
                if (life == own) {
                    die();
                }
            });
            kills.at(holder, Transition.CLAIMED, Moment.SENT, this::die);
            send(new WorkChanges.ClaimWork(host.name, attempt, LEASE).with(FACTS), by, lives, answer -> {
                if (answer instanceof Answer.Done) {
                    act(host, holder, attempt, own);
                } else {
                    refused++;
                    die();
                }
            });
        }

        private void act(Host host, String holder, long attempt, int own) {
            kills.at(holder, Transition.CLAIMED, Moment.ANSWERED, this::die);
            if (life != own) {
                return;
            }
            require(acted.add(key(host.name, attempt)), "acted twice for attempt " + key(host.name, attempt));
            host.repaired = holder;
            host.reboot(500 + random.nextInt(4000));
            kills.at(holder, Transition.ACTED, Moment.ANSWERED, this::die);
            later(1000 + random.nextInt(6000), () -> report(host, holder, attempt, own));
        }

        private void report(Host host, String holder, long attempt, int own) {
            if (life != own) {
                return;
            }
            BooleanSupplier lives = () -> life == own;
            kills.at(holder, Transition.DONE, Moment.SENT, this::die);
            send(new WorkChanges.ReportWork(host.name, attempt, true, ""), by, lives, answer -> {
                boolean isUnproved = answer instanceof Answer.Rejected rejected
                        && rejected.rejection().text().contains("is not proved");
                if (isUnproved) {
                    later(500, () -> report(host, holder, attempt, own));
                } else {
                    refused += answer instanceof Answer.Done ? 0 : 1;
                    kills.at(holder, Transition.DONE, Moment.ANSWERED, this::die);
                    die();
                }
            });
        }
    }

    /** A host, which reports its boot id, and runs the check of each attempt that waits for one. */
    private final class Host {
        private final String name;
        private final Principal by;
        private int boots = 1;
        private int reported;
        private int life;
        private boolean isDown;
        /** The holder of the hold for which a script has booted the host last. */
        private String repaired = "";

        Host(int rank) {
            name = "node" + rank;
            by = new Principal(FIRST_HOST + rank, name, 1);
        }

        private String id() {
            return name + "-" + boots;
        }

        void reboot(int millis) {
            life++;
            isDown = true;
            int own = life;
            later(millis, () -> {
                if (life == own) {
                    boots++;
                    isDown = false;
                    begin();
                }
            });
        }

        private void die() {
            if (!isDown) {
                life++;
                begin();
            }
        }

        private void begin() {
            int own = life;
            later(300 + random.nextInt(1000), () -> {
                if (life == own && !isDown) {
                    step();
                }
            });
        }

        void step() {
            int own = life;
            BooleanSupplier lives = () -> life == own;
            later(8000, () -> {
                if (life == own && !isDown) {
                    die(); // no answer came
                }
            });
            int boot = boots;
            if (reported == boot) {
                ask(lives, state -> check(state, own));
                return;
            }
            kills.at(repaired, Transition.BOOTED, Moment.SENT, this::die);
            send(new CheckChanges.ReportBoot(name, id()), by, lives, answer -> {
                reported = answer instanceof Answer.Done ? boot : reported; // R may lack the host
                kills.at(repaired, Transition.BOOTED, Moment.ANSWERED, this::die);
                if (life == own) {
                    ask(lives, state -> check(state, own));
                }
            });
        }

        private void check(InventoryState state, int own) {
            Boot known = state.bootOf(name);
            reported = known != null && known.id().equals(id()) ? reported : 0; // etcd may have lost it
            for (Hold hold : repairs(state, name)) {
                Standing standing = hold.standing();
                boolean waits = standing != null
                        && (standing.step() == Standing.Step.DONE || standing.step() == Standing.Step.CHECK_FAILED);
                Long over = waits || random.nextInt(10) > 0 ? null : ranOut.get(name);
                if (waits || over != null) {
                    long attempt = over == null ? hold.attempt() : over;
                    later(50 + random.nextInt(1500), () -> finish(hold.holder(), attempt, waits, own));
                    return;
                }
            }
            die();
        }

        /** @param waits whether the daemon said that the attempt waits for the check; otherwise its claim has run out */
        private void finish(String holder, long attempt, boolean waits, int own) {
            if (life != own) {
                return;
            }
            boolean ok = !waits || ++checks % 2 == 0;
            if (waits && ok) {
                require(acted.contains(key(name, attempt)), "a check waits before the action");
                passed.add(key(name, attempt));
            }
            BooleanSupplier lives = () -> life == own;
            Transition made = ok ? Transition.PASSED : Transition.CHECK_FAILED;
            if (waits) {
                kills.at(holder, made, Moment.SENT, this::die);
            }
            send(new CheckChanges.ReportCheck(name, "nhc", attempt, ok, ""), by, lives, answer -> {
                refused += answer instanceof Answer.Done ? 0 : 1;
                if (waits) {
                    kills.at(holder, made, Moment.ANSWERED, this::die);
                }
                if (life == own) {
                    die();
                }
            });
        }
    }

    /** Returns what happened, for a person who reads the output of the test. */
    @Override
    public String toString() {
        InventoryState state = cluster.witness().state();
        List<String> open = hosts.stream()
                .flatMap(host -> repairs(state, host.name).stream()
                        .map(hold -> host.name + " " + hold + " after boot " + state.bootOf(host.name)))
                .toList();
        return "open " + open + ", " + released + " released, " + lapsed + " claims ran out, " + refused
                + " refused, kills " + kills;
    }
}
