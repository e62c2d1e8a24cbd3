package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.etcd.EtcdLedger;
import io.muster.daemon.etcd.EtcdModel;
import io.muster.daemon.etcd.SimLedger;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.ledger.Role;
import io.muster.daemon.machine.Simulation;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.acquire.Owner;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Three daemons that share a ledger, etcd, admins and a scheduler, in one thread and by one seed. */
final class SimCluster {
    static final int RANKS = 16;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1000 * MILLI;
    /** How long the cluster may take to be well after the last fault. */
    private static final long RECOVERY = 180 * SECOND;
    /** What a daemon says that does not follow the contents of etcd. */
    private static final Pattern NAMED = Pattern.compile("restored from a backup|etcd holds (no |a part of a )?ledger"
            + "|begins after event|somebody else has (written|deleted)|the log in etcd is incomplete");

    private final Simulation simulation;
    private final SplittableRandom random;
    private final EtcdModel etcd;
    /** Whether two daemons share a ledger of files, instead of three a ledger on etcd. */
    private final boolean files;

    private final SimWitness witness = new SimWitness(this::wallSeconds);
    private final List<SimDaemon> daemons = new ArrayList<>();
    private final List<SimAdmin> admins = new ArrayList<>();
    private final List<SimScheduler> schedulers = new ArrayList<>();
    /** Whether several schedulers may hold the resources. */
    private final boolean share;

    private final List<Config> configs;
    private @Nullable SimDaemon believed;
    private long floor;
    private long pieces;
    private boolean busy = true;
    private long faults;
    private final int thinkMillis;
    private final SimAlerts alerts;
    private final SimRobot robot;
    private final SimPolicies policies;
    /** Null if no hold asks for an action. */
    private @Nullable SimRepairs repairs;

    private final SimOperator operator;
    private final SimFaults table;
    /** Null if all daemons are of this version. */
    private final @Nullable SimUpgrade upgrade;

    /** Null if there is no relay. */
    private final @Nullable SimLoginHost login;

    /** Whether the first leader will have no room for its first events. */
    private boolean fills;

    private String last = "";
    private boolean isCalled;
    private long age;
    private long changedAt;
    /** The processes that know events which etcd has lost. */
    private final Map<SimDaemon, SimDaemon.Run> knowing = new LinkedHashMap<>();

    /** @param mix the group of {@link SimFaults} that is frequent; "" for none; with upgrades if it is "upgrade" */
    SimCluster(long seed, SimConfigs configs, Telemetry telemetry, String mix) {
        simulation = new Simulation(seed);
        random = simulation.choices().split();
        List<String> frequent = List.of(mix.split(" "));
        boolean relayed = frequent.contains("relay");
        files = frequent.contains("files") || ((mix.isEmpty() || relayed) && random.nextInt(6) == 0);
        etcd = new EtcdModel(simulation);
        etcd.onPut(this::put);
        etcd.onChange(this::changedInEtcd);
        thinkMillis = 10 + random.nextInt(random.nextInt(6) == 0 ? 3000 : 50);
        share = relayed || random.nextInt(3) == 0;
        this.configs = configs.of(share);
        SimWorld world = new SimWorld(simulation, witness, this.configs, telemetry);
        for (String name : files ? new String[] {"a", "b"} : new String[] {"a", "b", "c"}) {
            daemons.add(new SimDaemon(
                    name, world, files ? null : etcd, files && !daemons.isEmpty() ? daemons.get(0) : null));
        }
        Duration ttl = Duration.ofSeconds(random.nextInt(3) == 0 ? 10 : 2);
        daemons.forEach(each -> each.ttl = ttl);
        for (int i = 0; i < 4; i++) {
            admins.add(new SimAdmin(this, i));
        }
        schedulers.add(new SimScheduler(this, share || random.nextBoolean() ? new Owner("flux", 30) : null));
        schedulers.add(new SimScheduler(this, null));
        alerts = new SimAlerts(this);
        robot = new SimRobot(this);
        policies = new SimPolicies(this);
        operator = new SimOperator(this, etcd, daemons, random.split());
        upgrade = mix.equals("upgrade") ? new SimUpgrade(this, daemons, random.split()) : null;
        login = relayed ? new SimLoginHost(this) : null;
        table = new SimFaults(this, etcd, random.split(), mix, upgrade, login);
    }

    private void put(String key, byte[] value) {
        String leader = SimLedger.PREFIX + "leader";
        witness.put(key, value, etcd.revision(leader));
        operator.written();
        pieces += key.startsWith(SimLedger.PREFIX + "part/") ? 1 : 0;
        if (key.equals(leader)) {
            String name =
                    Leader.parse(new String(value, StandardCharsets.UTF_8)).member();
            simulation.after(100 * MILLI, () -> elected(name, etcd.revision(leader)));
            if (fills) {
                fills = false;
                simulation.after(MILLI * random.nextInt(20), () -> etcd.full(true));
                simulation.after(SECOND * (1 + random.nextInt(8)), () -> etcd.full(false));
            }
        }
    }

    private void changedInEtcd() {
        String hole = witness.isImporting() ? "" : SimLedger.hole(etcd);
        SimWitness.require(hole.isEmpty(), () -> "a daemon with an empty directory cannot have the ledger: " + hole);
        if (!witness.isImporting()) {
            SimLedger.published(etcd, witness::published);
        }
    }

    /** Checks that no other daemon serves a scheduler, soon after a daemon was elected. */
    private void elected(String leader, long revision) {
        for (SimDaemon each : daemons) {
            Core core = each.core();
            boolean lasts = revision == etcd.revision(SimLedger.PREFIX + "leader")
                    && (age == 0 || simulation.now() - changedAt > RECOVERY);
            SimWitness.require(
                    !lasts
                            || each.name.equals(leader)
                            || core == null
                            || !each.isAwake()
                            || core.streams().acquires().size() == 0,
                    () -> each.name + " serves a scheduler, and " + leader + " leads");
        }
    }

    // ---- what the clients use

    Simulation simulation() {
        return simulation;
    }

    SimWitness witness() {
        return witness;
    }

    boolean isBusy() {
        return busy;
    }

    int thinkMillis() {
        return thinkMillis;
    }

    long delay(SplittableRandom of) {
        return 50_000 + of.nextInt(200_000) + (of.nextInt(200) == 0 ? MILLI * of.nextInt(1000) : 0);
    }

    double wallSeconds() {
        return 1_700_000_000 + simulation.now() / 1e9;
    }

    SimDaemon someDaemon(SplittableRandom by) {
        SimDaemon known = believed;
        if (known == null || by.nextInt(20) == 0) {
            known = anyDaemon(by);
            believed = known;
        }
        return known;
    }

    SimDaemon anyDaemon(SplittableRandom by) {
        return daemons.get(by.nextInt(daemons.size()));
    }

    List<SimDaemon> daemons() {
        return daemons;
    }

    /** Checks, before a change is answered, that the scheduler of the daemon was sent it. */
    void checkScheduler(SimDaemon daemon, long seq) {
        schedulers.forEach(each -> each.checkSent(daemon, seq));
    }

    /** Checks that this daemon may serve a scheduler. */
    void checkExclusive(SimScheduler served, SimDaemon daemon, InventoryState state) {
        schedulers.stream().filter(each -> !share && each != served).forEach(each -> each.checkGone(daemon, state));
    }

    void forget(SimDaemon daemon) {
        believed = believed == daemon ? null : believed;
    }

    long floor() {
        return floor;
    }

    void answered(long seq) {
        floor = Math.max(floor, seq);
    }

    // ---- the run

    /** Runs with faults until a number of them has happened, then until all is quiet, and checks everything. */
    void run(int most) {
        daemons.forEach(SimDaemon::start);
        admins.forEach(SimAdmin::start);
        schedulers.forEach(SimScheduler::start);
        alerts.start();
        fills = random.nextInt(6) == 0;
        robot.start();
        policies.start();
        if (login != null) {
            login.begin();
        }
        if (random.nextInt(4) == 0) {
            repairs = new SimRepairs(this, Integer.MAX_VALUE, 12, 6);
            repairs.start();
        }
        simulation.runUntil(simulation.now() + 20 * SECOND);
        while (faults < most) {
            simulation.runUntil(simulation.now() + MILLI * (100 + random.nextInt(4700)));
            fault();
        }
        heal();
    }

    /** Runs without other faults than those of the repairs, until these are done, and checks everything. */
    void run(SimRepairs only) {
        repairs = only;
        daemons.forEach(SimDaemon::start);
        schedulers.forEach(SimScheduler::start);
        simulation.runUntil(simulation.now() + 20 * SECOND);
        only.start();
        long end = simulation.now() + 100_000 * SECOND;
        while (!only.areDone()) {
            SimWitness.require(simulation.now() < end, () -> "the repairs do not end: " + only + "; " + describe());
            simulation.runUntil(simulation.now() + SECOND);
        }
        heal();
    }

    private void fault() {
        faults++;
        simulation.trace(faults);
        SimDaemon one = daemons.get(random.nextInt(daemons.size()));
        checkClaim(one);
        if (upgrade != null) {
            upgrade.check();
        }
        if (!operator.isWorking() && !isCalled && daemons.stream().anyMatch(this::refuses)) {
            isCalled = true;
            simulation.after(MILLI * (5000 + random.nextInt(25_000)), operator::act);
        }
        last = table.begin(one);
        simulation.note(() -> "fault " + faults + ", " + last + ": " + daemons + " " + etcd);
    }

    /** Starts a daemon, unless it runs or the operator has stopped it. */
    void start(SimDaemon daemon) {
        if (!daemon.isRunning() && !operator.isWorking()) {
            daemon.start();
        }
    }

    void reload(int number) {
        daemons.forEach(each -> simulation.after(MILLI * random.nextInt(3000), () -> each.reload(number)));
    }

    boolean isOnFiles() {
        return files;
    }

    /** All daemons that use the disk of this one lose their power. */
    void powerLost(SimDaemon daemon) {
        for (SimDaemon each : daemons) {
            if (each.disk == daemon.disk) {
                each.kill();
                simulation.after(MILLI * random.nextInt(15_000), () -> start(each));
            }
        }
        daemon.powerLost();
    }

    // ---- etcd that loses its contents

    /** Whether etcd has everything that was ever written to it, and no daemon refuses it. */
    boolean isIntact() {
        return !operator.isWorking() && !isCalled;
    }

    /** How many times etcd has lost or changed its contents. */
    long age() {
        return age;
    }

    void restore(EtcdModel.@Nullable Backup backup, long seq) {
        knowing.clear();
        for (SimDaemon each : daemons) {
            SimDaemon.Run run = each.process();
            if (run != null && each.core() != null && each.inventory().seq() > seq) {
                knowing.put(each, run);
            }
        }
        etcd.restore(backup);
        witness.restored(seq);
        changed();
    }

    /** The operator has acted. */
    void repaired() {
        isCalled = false;
        knowing.clear();
        changed();
    }

    private void changed() {
        age++;
        changedAt = simulation.now();
        floor = 0;
    }

    /** Whether a daemon refuses the contents of etcd, and says why. */
    boolean refuses(SimDaemon daemon) {
        EtcdLedger ledger = daemon.ledger();
        String reason = daemon.core() == null || ledger == null
                ? daemon.refusal
                : ledger.status().condition() == Condition.READ_ONLY
                        ? ledger.status().reason()
                        : "";
        return daemon.isRunning() && NAMED.matcher(reason).find();
    }

    /** Whether a daemon serves, calls itself well, and has read etcd since its contents changed. */
    boolean follows(SimDaemon daemon) {
        EtcdLedger ledger = daemon.ledger();
        if (files) {
            return daemon.core() != null;
        }
        if (daemon.core() == null || ledger == null || ledger.status().condition() != Condition.WRITABLE) {
            return false;
        }
        Role role = ledger.role();
        boolean isCurrent = role.age() * 1e9 < simulation.now() - changedAt;
        return isCurrent && (role.leader() != null || role.term() != 0);
    }

    /** Checks that a daemon that calls itself well has a state that the log had. */
    private void checkClaim(SimDaemon daemon) {
        SimWitness.require(
                !follows(daemon)
                        || witness.has(
                                daemon.inventory().state(), daemon.inventory().seq()),
                () -> daemon.name + " calls itself well with a state that the log has not: " + describe());
    }

    private void heal() {
        etcd.noTrap();
        if (login != null) {
            login.heal();
        }
        simulation.runUntil(simulation.now() + SimFaults.LONGEST);
        busy = false;
        if (upgrade != null) {
            upgrade.settle();
        }
        await(() -> isWell() || isDecided());
        knowing.forEach((daemon, run) -> SimWitness.require(
                daemon.process() != run || refuses(daemon),
                () -> daemon.name + " knows events that etcd has lost, and does not say so: " + describe()));
        for (int i = 0; i < 3 && !isWell(); i++) { // a daemon may have a directory that is older than the last import
            operator.act();
            await(() -> isWell() || isDecided());
        }
        awaitWell();
        if (upgrade != null) {
            upgrade.exercise();
        }
        policies.exercise();
        if (random.nextInt(3) == 0) {
            schedulers.get(0).leave();
            simulation.runUntil(simulation.now() + 60 * SECOND);
            awaitWell();
            schedulers.get(0).checkReleased(witness.state());
        }
        int number = random.nextInt(configs.size());
        daemons.forEach(each -> each.reload(number));
        await(() -> isWell() && isInForce(configs.get(number)));
        long end = simulation.now() + RECOVERY;
        long seq;
        do { // until the files have everything too
            SimWitness.require(simulation.now() < end, () -> "the log does not come to an end: " + describe());
            seq = witness.lastSeq();
            simulation.runUntil(simulation.now() + 5 * SECOND);
        } while (!isWell() || seq != witness.lastSeq());
        check();
    }

    /** Whether the leader has the R of a configuration, or waits for schedulers that it cannot tell this R. */
    private boolean isInForce(Config config) {
        Core core = Objects.requireNonNull(leader()).core();
        return core != null
                && (core.inventory()
                                .state()
                                .definition()
                                .base()
                                .equals(config.resources().set())
                        || !core.inventory().redefinition().waiting().isEmpty());
    }

    void awaitWell() {
        await(this::isWell);
    }

    void await(BooleanSupplier condition) {
        long end = simulation.now() + RECOVERY;
        while (!condition.getAsBoolean()) {
            SimWitness.require(simulation.now() < end, () -> "the cluster is not well again: " + describe());
            simulation.runUntil(simulation.now() + SECOND);
            daemons.forEach(this::checkClaim);
        }
    }

    /** Whether all daemons have found out what they think of the contents of etcd, and some refuse them. */
    private boolean isDecided() {
        return !operator.isWorking()
                && daemons.stream().anyMatch(this::refuses)
                && daemons.stream().allMatch(each -> refuses(each) || (each.core() != null && isCurrent(each)));
    }

    boolean isWell() {
        return leader() != null
                && !operator.isWorking()
                && admins.stream().allMatch(SimAdmin::isIdle)
                && daemons.stream().allMatch(this::isWell)
                && isServed()
                && alerts.agree(witness.state())
                && policies.agree(witness.state())
                && (repairs == null || repairs.areDone())
                && (login == null || login.agrees())
                && !isOverdue(witness.state().holds().nextDeadline())
                && !isOverdue(witness.state().plans().nextDeadline());
    }

    private boolean isServed() {
        SimDaemon leader = leader();
        List<SimScheduler> present =
                schedulers.stream().filter(each -> !each.hasLeft()).toList();
        return present.stream().filter(each -> each.knows(leader)).count() >= (share ? present.size() : 1);
    }

    /** Whether a hold should have ended or begun long ago. */
    private boolean isOverdue(double deadline) {
        return deadline > 0 && deadline < wallSeconds() - 10;
    }

    private boolean isWell(SimDaemon daemon) {
        boolean waits = files && daemon != leader() && daemon.refusal.contains("in use by");
        return waits || (daemon.core() != null && isCurrent(daemon) && !refuses(daemon));
    }

    private boolean isCurrent(SimDaemon daemon) {
        return (files || daemon.ledger() != null) && daemon.inventory().seq() == witness.lastSeq();
    }

    @Nullable
    SimDaemon leader() {
        SimDaemon found = null;
        for (SimDaemon each : daemons) {
            EtcdLedger ledger = each.ledger();
            Role role = ledger == null ? null : ledger.role();
            if (files ? each.core() != null : role != null && role.term() != 0) {
                found = each;
            }
        }
        return found;
    }

    private String describe() {
        StringBuilder text = new StringBuilder(
                "after " + last + ", witness at " + witness.lastSeq() + ", operator: " + operator.obstacle);
        for (SimDaemon each : daemons) {
            EtcdLedger ledger = each.ledger();
            text.append("; ").append(each.name);
            text.append(
                    each.core() == null
                            ? " starts " + each.refusal
                            : " at " + each.inventory().seq() + " "
                                    + each.inventory().clock().trouble());
            text.append(ledger == null ? "" : " " + ledger.status() + " " + ledger.role());
        }
        admins.forEach(admin -> text.append("; ").append(admin.state()));
        text.append("; alerts ").append(alerts.agree(witness.state()));
        text.append(", policies ").append(policies.agree(witness.state()));
        text.append(", schedulers ")
                .append(schedulers.stream().map(each -> each.knows(leader())).toList());
        text.append(", overdue holds ")
                .append(isOverdue(witness.state().holds().nextDeadline()))
                .append(" and plans ")
                .append(isOverdue(witness.state().plans().nextDeadline()));
        text.append(", repairs ").append(repairs).append(", relay ").append(login);
        return text.toString();
    }

    private void check() {
        for (SimDaemon each : daemons) {
            if (each.core() == null) {
                continue; // waits for the lock of the other
            }
            SimWitness.require(
                    witness.has(each.inventory().state(), witness.lastSeq()),
                    each.name + " has another state than the log");
        }
        SimDaemon leader = leader();
        if (leader == null) {
            throw new AssertionError("nobody leads: " + describe());
        }
        schedulers.forEach(each -> each.check(leader));
        admins.forEach(SimAdmin::check);
        SimCopies.check(simulation, daemons, witness);
        if (Boolean.getBoolean("muster.sim.counts")) {
            System.out.println(table.counts + ", " + operator.imports + " imports, " + operator.killed + " killed");
        }
    }

    /** Ends all processes. */
    void close() {
        daemons.forEach(SimDaemon::kill);
        if (login != null) {
            login.close();
        }
    }

    long faults() {
        return faults;
    }

    long changes() {
        return admins.stream().mapToLong(admin -> admin.done).sum() + (login == null ? 0 : login.done());
    }

    /** Returns how many events the log got. */
    long events() {
        return witness.events();
    }

    long pieces() {
        return pieces;
    }

    long messages() {
        return schedulers.stream().mapToLong(each -> each.messages).sum();
    }
}
