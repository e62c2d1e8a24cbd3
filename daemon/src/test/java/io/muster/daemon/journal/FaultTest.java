package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.ledger.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The journal on a failing disk: the journal refuses changes with the reason, loses no answered change, and recovers without a restart. */
class FaultTest {
    private static final JournalSettings SMALL = new JournalSettings(300, Duration.ZERO, 0);

    private final MemoryDisk memory = new MemoryDisk();
    private final FaultyDisk disk = new FaultyDisk(memory);

    @Test
    void onAFullDiskChangesAreRefusedUntilSpaceIsFreed() throws IOException {
        Client client = Client.open(disk);
        client.submit("before");
        client.settle();
        disk.fault((kind, name) -> kind == FaultyDisk.Kind.WRITE ? 7 : -1);
        client.submit("refused", "refused too");
        client.settle();
        assertThat(client.journal().status())
                .isEqualTo(new Ledger.Status(Condition.READ_ONLY, "No space left on device"));
        assertThat(Client.recovered(memory.copy())).containsExactly("1 before");
        client.submit("refused");
        client.settle();
        disk.fault(FaultyDisk.NONE);
        client.submit("after");
        client.close();

        Outcome full = Outcome.failed("No space left on device");
        assertThat(client.outcomes).containsExactly(Outcome.DURABLE, full, full, Outcome.DURABLE);
        assertThat(client.conditions.stream().map(Ledger.Status::condition))
                .containsExactly(Condition.READ_ONLY, Condition.WRITABLE);
        assertThat(Client.recovered(memory)).containsExactly("1 before", "2 after");
    }

    @Test
    void aProbeDetectsThatTheDiskWorksAgain() throws IOException {
        Client client = Client.open(disk);
        disk.fault((kind, name) -> kind == FaultyDisk.Kind.WRITE ? 0 : -1);
        client.submit("refused");
        client.journal().probe();
        client.settle();
        assertThat(client.journal().status().condition()).isEqualTo(Condition.READ_ONLY);
        disk.fault(FaultyDisk.NONE);
        client.journal().probe();
        client.settle();
        assertThat(client.journal().status()).isEqualTo(new Ledger.Status(Condition.WRITABLE, ""));
        client.close();
        assertThat(memory.names).containsOnlyKeys(Segment.name(1));
    }

    @Test
    void afterAFailedForceTheSegmentIsTruncatedRewrittenAndForced() throws IOException {
        Client client = Client.open(disk);
        client.submit("before");
        client.settle();
        failOnce(FaultyDisk.Kind.FORCE);
        int ops = memory.ops.size();
        client.submit("refused");
        client.settle();
        assertThat(client.journal().status()).isEqualTo(new Ledger.Status(Condition.READ_ONLY, "Input/output error"));
        List<MemoryDisk.Op> healing = List.copyOf(memory.ops.subList(ops + 1, memory.ops.size()));
        assertThat(healing).hasSize(3);
        assertThat(healing.get(0)).isInstanceOf(MemoryDisk.Truncated.class);
        assertThat(healing.get(1)).isInstanceOfSatisfying(MemoryDisk.Written.class, rewritten -> {
            assertThat(rewritten.at()).isZero();
            assertThat(rewritten.bytes().array()).isEqualTo(memory.content(Segment.name(1)));
        });
        assertThat(healing.get(2)).isInstanceOf(MemoryDisk.Forced.class);
        client.submit("after");
        client.close();

        assertThat(Client.recovered(memory)).containsExactly("1 before", "2 after");
    }

    @Test
    void aWriteThatCannotBeUndoneIsReportedAsUncertain() throws IOException {
        Client client = Client.open(disk);
        client.submit("before");
        client.settle();
        disk.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.FORCE || kind == FaultyDisk.Kind.TRUNCATE) {
                throw FaultyDisk.broken();
            }
            return -1;
        });
        client.submit("refused");
        client.settle();
        assertThat(client.journal().status())
                .isEqualTo(new Ledger.Status(
                        Condition.UNCERTAIN,
                        "Input/output error; the write could not be undone (Input/output error),"
                                + " so the change may exist after a restart"));
        assertThat(Client.recovered(memory.copy())).containsExactly("1 before", "2 refused");
        Ledger.Status uncertain = client.journal().status();
        client.journal().probe();
        client.settle();
        assertThat(client.journal().status()).as("a probe does not forget why").isEqualTo(uncertain);
        disk.fault(FaultyDisk.NONE);
        client.journal().probe();
        client.settle();
        assertThat(client.journal().status().condition()).isEqualTo(Condition.WRITABLE);
        assertThat(Client.recovered(memory.copy())).containsExactly("1 before");
        client.close();
    }

    @Test
    void damageThatIsFoundAfterAFailedForceIsNotOverwritten() throws IOException {
        Client client = Client.open(disk);
        client.submit("before");
        client.settle();
        failOnce(FaultyDisk.Kind.FORCE);
        memory.content(Segment.name(1))[120] ^= 1;
        client.submit("refused");
        client.settle();

        assertThat(client.journal().status().condition()).isEqualTo(Condition.UNCERTAIN);
        assertThat(client.journal().status().reason())
                .contains("the write could not be undone (journal/0000000000000001.log line 2 ");
        client.close();
    }

    @Test
    void theRemovalOfTheSegmentInUseIsDetected() throws IOException {
        Client client = Client.open(memory);
        memory.delete(Segment.name(1));
        client.submit("refused");
        client.settle();

        assertThat(client.journal().status())
                .isEqualTo(new Ledger.Status(
                        Condition.READ_ONLY,
                        "journal/0000000000000001.log is no longer in /state:"
                                + " it was removed or replaced while the daemon ran"));
        client.close();
    }

    @Test
    void aSnapshotThatCannotBeWrittenDoesNotAffectThePreviousSnapshot() throws IOException {
        Client client = Client.open(disk);
        client.submit("a");
        client.settle();
        client.snapshot();
        client.submit("b");
        client.settle();
        for (FaultyDisk.Kind kind : List.of(FaultyDisk.Kind.OPEN, FaultyDisk.Kind.FORCE, FaultyDisk.Kind.RENAME)) {
            failOnce(kind);
            client.snapshot();
            client.settle();
        }
        client.submit("c");
        client.close();

        assertThat(client.outcomes.stream().filter(outcome -> !outcome.durable()))
                .hasSize(3)
                .allMatch(outcome ->
                        outcome.reason().equals("the snapshot at seq 2 cannot be written: Input/output error"));
        assertThat(client.journal().snapshotSeq()).isEqualTo(1);
        assertThat(Client.recovered(memory)).containsExactly("1 a", "2 b", "3 c");
    }

    @Test
    void aTornTailIsCutEvenIfThereIsNoSpaceForTheCopy() throws IOException {
        Client client = Client.open(memory);
        client.submit("a");
        client.close();
        byte[] whole = memory.content(Segment.name(1));
        memory.set(Segment.name(1), java.util.Arrays.copyOf(whole, whole.length - 1));
        disk.fault((kind, name) -> name.startsWith(Quarantine.DIRECTORY) && kind == FaultyDisk.Kind.WRITE ? 0 : -1);
        Client again = Client.open(disk);
        again.close();

        assertThat(again.warnings)
                .singleElement()
                .asString()
                .endsWith("; no copy could be kept: No space left on device");
        assertThat(Client.recovered(memory)).isEmpty();
    }

    /** Otherwise a start would find events in this segment that belong after the next segment, and would refuse the journal. */
    @Test
    void noEventIsWrittenWhileAnUnusedNewerSegmentCannotBeDeleted() throws IOException {
        Client client = Client.open(disk, SMALL);
        disk.fault((kind, name) -> {
            boolean begun = name.equals(Segment.name(4));
            if (begun && (kind == FaultyDisk.Kind.OPEN_EXISTING || kind == FaultyDisk.Kind.DELETE)) {
                throw FaultyDisk.broken();
            }
            return -1;
        });
        client.submit("a", "b", "c");
        client.settle();
        client.snapshot();
        client.snapshot();
        client.submit("refused");
        client.settle();
        client.journal().probe();
        client.settle();
        assertThat(client.journal().status()).isEqualTo(new Ledger.Status(Condition.READ_ONLY, "Input/output error"));
        assertThat(memory.names).containsKeys(Segment.name(1), Segment.name(4));
        assertThat(Client.recovered(memory.copy())).containsExactly("1 a", "2 b", "3 c");
        disk.fault(FaultyDisk.NONE);
        client.submit("d");
        client.close();

        assertThat(client.warnings).anyMatch(w -> w.startsWith("the unused new segment could not be deleted"));
        assertThat(Client.recovered(memory)).containsExactly("1 a", "2 b", "3 c", "4 d");
    }

    /** Each operation of a run fails once, with each kind of failure. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1, 50})
    void noSingleFailureLosesAnAnsweredChange(int part) throws IOException {
        int failing = 0;
        boolean reached = true;
        while (reached) {
            reached = runWith(failing++, 1, part);
        }
        assertThat(failing).isGreaterThan(60);
    }

    /** Every operation fails from a certain operation until the end. */
    @ParameterizedTest
    @EnumSource(value = FaultyDisk.Kind.class, names = "MAKE_DIRECTORY", mode = EnumSource.Mode.EXCLUDE)
    void aPermanentFailureLosesNoAnsweredChange(FaultyDisk.Kind kind) throws IOException {
        int failing = 0;
        boolean reached = true;
        while (reached) {
            reached = run(failing++, Integer.MAX_VALUE, -1, kind);
        }
        assertThat(failing).isGreaterThan(2);
    }

    /** A start on a failing disk is refused, or recovers everything. No data is discarded because of a disk that may work again later. */
    @ParameterizedTest
    @EnumSource(FaultyDisk.Kind.class)
    void aStartOnAFailingDiskIsRefusedOrRecoversEveryAnsweredChange(FaultyDisk.Kind kind) throws IOException {
        MemoryDisk torn = new MemoryDisk();
        List<String> answered = tornBehindSnapshotsAndSegments(torn);
        int operations = starts(kind, torn, answered);
        MemoryDisk bare = torn.copy();
        Segment.list(torn).forEach(segment -> bare.delete(segment.name()));
        operations += starts(kind, bare, answered.subList(0, 6));
        assertThat(operations).as("operations of these starts").isPositive();
    }

    private static int starts(FaultyDisk.Kind kind, MemoryDisk prepared, List<String> answered) throws IOException {
        int operations = 0;
        for (int times : List.of(1, Integer.MAX_VALUE)) {
            for (int part : kind == FaultyDisk.Kind.WRITE ? List.of(-1, 0, 50) : List.of(-1)) {
                int failing = 0;
                while (start(prepared.copy(), fault(kind, failing, times, part), answered)) {
                    failing++;
                }
                operations += failing;
            }
        }
        return operations;
    }

    /** @return the answered events; two snapshots contain some of them, and the last segment ends within a line */
    private static List<String> tornBehindSnapshotsAndSegments(MemoryDisk prepared) throws IOException {
        Client client = Client.open(prepared, new JournalSettings(300, Duration.ofDays(1), 1 << 20));
        for (int i = 0; i < 7; i++) {
            client.submit("x" + i, "y" + i);
            client.settle();
            if (i == 0 || i == 2) {
                client.snapshot();
            }
        }
        client.settle();
        List<String> answered = List.copyOf(client.durable);
        client.submit("torn");
        client.close();
        List<Segment> segments = Segment.list(prepared);
        assertThat(segments).filteredOn(segment -> segment.first() > 7).hasSizeGreaterThan(1);
        String last = segments.get(segments.size() - 1).name();
        byte[] whole = prepared.content(last);
        prepared.set(last, java.util.Arrays.copyOf(whole, whole.length - 9));
        prepared.set(Segment.name(99) + Segment.UNFINISHED, new byte[3]);
        return answered;
    }

    /** @return whether the start had enough operations to reach the fault */
    private static boolean start(MemoryDisk left, CountedFault fault, List<String> answered) throws IOException {
        try {
            Client client = Client.open(new FaultyDisk(left, fault));
            client.close();
            assertThat(client.durable).as(fault.toString()).isEqualTo(answered);
        } catch (IOException refused) {
            assertThat(refused)
                    .as(fault.toString())
                    .isNotInstanceOf(CorruptException.class)
                    .hasMessageMatching("(.*: )?(Input/output error|No space left on device)");
        }
        assertThat(Client.recovered(left)).as("later, after " + fault).isEqualTo(answered);
        return fault.reached();
    }

    private static CountedFault fault(FaultyDisk.Kind kind, int failing, int times, int part) {
        return new CountedFault(kind, failing, times, part, new AtomicInteger());
    }

    /** Makes operation number {@code failing} of its kind fail, and {@code times} operations in all. */
    private record CountedFault(FaultyDisk.@Nullable Kind only, int failing, int times, int part, AtomicInteger count)
            implements FaultyDisk.Fault {
        @Override
        public int before(FaultyDisk.Kind kind, String name) throws IOException {
            if (only != null && only != kind) {
                return -1;
            }
            int n = count.getAndIncrement();
            if (n < failing || n - failing >= times) {
                return -1;
            }
            if (kind == FaultyDisk.Kind.WRITE && part >= 0) {
                return part;
            }
            throw FaultyDisk.broken();
        }

        boolean reached() {
            return count.get() > failing;
        }
    }

    private boolean runWith(int failing, int times, int part) throws IOException {
        return run(failing, times, part, null);
    }

    /** @return whether the run had enough operations to reach the fault */
    private boolean run(int failing, int times, int part, FaultyDisk.@Nullable Kind only) throws IOException {
        MemoryDisk fresh = new MemoryDisk();
        FaultyDisk faulty = new FaultyDisk(fresh);
        Client client = Client.open(faulty, SMALL);
        CountedFault fault = new CountedFault(only, failing, times, part, new AtomicInteger());
        // The journal reads and truncates files only to undo a write that could not be forced.
        boolean healing = only == FaultyDisk.Kind.READ || only == FaultyDisk.Kind.TRUNCATE;
        AtomicInteger forces = new AtomicInteger();
        faulty.fault((kind, name) -> {
            boolean ofSegment = kind == FaultyDisk.Kind.FORCE && !name.endsWith(Segment.UNFINISHED);
            if (healing && ofSegment && forces.incrementAndGet() % 4 == 2) {
                throw FaultyDisk.broken();
            }
            return fault.before(kind, name);
        });
        for (int i = 0; i < 8; i++) {
            client.submit("x" + i, "y" + i);
            client.submit("z" + i);
            client.settle();
            if (i % 3 == 2) {
                client.snapshot();
            }
        }
        client.settle();
        boolean uncertain = client.journal().status().condition() == Condition.UNCERTAIN;
        faulty.fault(FaultyDisk.NONE);
        client.close();
        check(fresh, client, uncertain, failing);
        return fault.reached();
    }

    private static void check(MemoryDisk left, Client client, boolean uncertain, int failing) throws IOException {
        List<String> recovered = Client.recovered(left.copy());
        String how = "failing at " + failing + ": " + client.conditions + client.warnings;
        if (uncertain) {
            assertThat(recovered).as(how).startsWith(client.durable.toArray(String[]::new));
            assertThat(names(recovered.subList(client.durable.size(), recovered.size())))
                    .as(how)
                    .allMatch(client.refused::contains);
        } else {
            assertThat(recovered).as(how).isEqualTo(client.durable);
        }
        assertThat(client.bugs).as(how).isEmpty();
    }

    private static List<String> names(List<String> events) {
        List<String> names = new ArrayList<>();
        events.forEach(event -> names.add(event.substring(event.indexOf(' ') + 1)));
        return names;
    }

    private void failOnce(FaultyDisk.Kind failing) {
        AtomicInteger left = new AtomicInteger(1);
        disk.fault((kind, name) -> {
            if (kind == failing && left.getAndDecrement() == 1) {
                throw FaultyDisk.broken();
            }
            return -1;
        });
    }
}
