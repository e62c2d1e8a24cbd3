package io.muster.daemon.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.MembershipChanges;
import org.junit.jupiter.api.Test;

class RecentEventsTest {
    private static final int MEBI = 1 << 20;

    private final RecentEvents recent = new RecentEvents(1000);

    private void add(int seq, int length) {
        Event.Targets targets = new Event.Targets(Idset.of(0), "x".repeat(length));
        Event event = new MembershipChanges.Excluded(targets, Membership.Kind.ADMIN, null);
        Entry entry = new Entry(seq, seq, Principal.DAEMON, event);
        recent.add(entry, entry.toBytes());
    }

    @Test
    void longEventsAreLimitedByTheirTotalLength() {
        for (int seq = 1; seq <= 40; seq++) {
            add(seq, MEBI);
        }
        assertThat(recent.firstSeq(0))
                .as("15 with their names and users, where 16 bare ones would fit")
                .isEqualTo(26);
        assertThat(recent.droppedAt()).isEqualTo(25.0);
        recent.keep(2);
        assertThat(recent.firstSeq(0)).isEqualTo(39);
        for (int seq = 41; seq <= 60; seq++) {
            add(seq, 10);
        }
        recent.keep(1000);
        add(61, 10);
        assertThat(recent.firstSeq(0)).as("what is dropped makes room").isEqualTo(59);
    }

    @Test
    void aGapIsKnownIfOnlyTheFirstEventIsMissing() {
        recent.keep(1);
        add(2, 10);
        assertThat(recent.addEarlier(1, 1.0, "exclude", () -> new byte[0])).isFalse();
        assertThat(recent.droppedAt()).isEqualTo(1.0);
    }

    @Test
    void theLastEventIsKeptRegardlessOfItsLength() {
        add(1, 10);
        add(2, 17 * MEBI);
        assertThat(recent.firstSeq(0)).isEqualTo(2);
    }
}
