package io.muster.daemon.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    private final MemoryBudget budget = new MemoryBudget(100, true);
    private final List<String> closed = new ArrayList<>();

    private final class Peer implements MemoryBudget.Holder {
        private final String name;
        private final MemoryBudget.Account account;
        private long own;

        Peer(String name) {
            this.name = name;
            this.account = budget.open(this);
        }

        void hold(long bytes) {
            own = bytes;
            account.update();
        }

        @Override
        public long holds() {
            return own;
        }

        @Override
        public void closeNow(String why) {
            closed.add(name);
            account.close();
        }
    }

    @Test
    void thePeersThatUseMostAreClosedUntilTheOthersFit() {
        Peer small = new Peer("small");
        Peer large = new Peer("large");
        Peer larger = new Peer("larger");
        large.hold(40);
        larger.hold(59);
        small.hold(1);
        assertThat(closed).isEmpty();
        small.hold(2);
        assertThat(closed).containsExactly("larger");
        small.hold(39);
        large.hold(90);
        assertThat(closed).containsExactly("larger", "large");
        assertThat(budget.held()).isEqualTo(39);
    }

    @Test
    void aPeerWhoseRequestExceedsTheBudgetIsClosedIfItUsesMost() {
        Peer one = new Peer("one");
        new Peer("other").hold(30);
        one.hold(71);
        assertThat(closed).containsExactly("one");
        one.hold(1000);
        assertThat(budget.held()).as("who is gone counts no more").isEqualTo(30);
    }

    @Test
    void thePeerThatIsAloneMayExceedTheBudget() {
        Peer idle = new Peer("idle");
        Peer alone = new Peer("alone");
        idle.hold(0);
        alone.hold(100_000);
        assertThat(closed).isEmpty();
        idle.hold(1);
        assertThat(closed).containsExactly("alone");
    }

    @Test
    void anAnswerThatSeveralPeersWaitForCountsOnce() {
        String answer = "answer";
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Peer peer = new Peer("reader " + i);
            peers.add(peer);
            peer.account.waits(answer, 90);
            peer.hold(0);
        }
        assertThat(budget.held()).isEqualTo(90);
        peers.subList(0, 25).forEach(peer -> peer.account.isRead(answer));
        peers.subList(25, 49).forEach(peer -> peer.account.close());
        assertThat(budget.held()).isEqualTo(90);
        peers.get(49).account.isRead(answer);
        assertThat(budget.held()).isZero();
        assertThat(closed).isEmpty();
    }

    @Test
    void differentAnswersWithEqualContentCountSeparately() {
        new Peer("first").account.waits(new Object(), 30);
        Peer second = new Peer("second");
        second.account.waits(new Object(), 30);
        assertThat(budget.held()).isEqualTo(60);
        second.hold(50);
        assertThat(closed).containsExactly("second");
    }

    @Test
    void usageIsRecountedBeforeAPeerIsClosed() {
        Peer sent = new Peer("sent");
        sent.hold(90);
        sent.own = 0;
        new Peer("next").hold(50);
        assertThat(closed).isEmpty();
        assertThat(budget.held()).isEqualTo(50);
    }

    @Test
    void atLeastRaisesTheBudgetAndNeverLowersIt() {
        budget.atLeast(200);
        new Peer("one").hold(90);
        Peer other = new Peer("other");
        other.hold(100);
        assertThat(closed).isEmpty();
        budget.atLeast(10);
        other.hold(10);
        other.hold(11);
        assertThat(closed).containsExactly("one");
    }

    @Test
    void fromHalfOfTheBudgetOnOnlyPeersWithManyWaitingRequestsAreRefused() {
        MemoryBudget large = new MemoryBudget(10 * MemoryBudget.FREE, false);
        long[] own = new long[2];
        List<MemoryBudget.Account> accounts = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int peer = i;
            accounts.add(large.open(new MemoryBudget.Holder() {
                @Override
                public long holds() {
                    return own[peer];
                }

                @Override
                public void closeNow(String why) {
                    closed.add(why);
                }
            }));
        }
        own[0] = 5 * MemoryBudget.FREE;
        accounts.get(0).update();
        assertThat(accounts.get(0).isTight()).isFalse();
        own[1] = MemoryBudget.FREE;
        accounts.get(1).update();
        assertThat(accounts).extracting(MemoryBudget.Account::isTight).containsExactly(true, false);
        own[0] = 10 * MemoryBudget.FREE;
        accounts.get(0).update();
        assertThat(accounts).extracting(MemoryBudget.Account::isFull).containsExactly(true, false);
        assertThat(closed).isEmpty();
    }

    @Test
    void onlyABudgetThatClosesNoPeerRefusesAnswers() {
        MemoryBudget refusing = new MemoryBudget(100, false);
        MemoryBudget.Account first = refusing.open(new Idle());
        MemoryBudget.Account second = refusing.open(new Idle());
        assertThat(first.refusal("long", 1000)).as("it is alone").isNull();
        first.waits("answer", 60);
        assertThat(second.refusal("answer", 60)).isNull();
        assertThat(second.refusal("other", 40)).isNull();
        assertThat(second.refusal("other", 41))
                .startsWith("there is no room for this answer of 41 bytes: answers that connections have not read"
                        + " take 60 of 100 bytes");
        first.isRead("answer");
        assertThat(second.refusal("other", 41)).isNull();
        MemoryBudget.Account guest = budget.open(new Idle());
        guest.waits("answer", 90);
        assertThat(guest.refusal("other", 90)).isNull();
    }

    /** Users that the configuration names could otherwise exhaust the memory of the daemon with a few large incomplete messages. */
    @Test
    void unservedMessagesOfNamedUsersShareALimitAndUnreadAnswersCloseNoPeer() {
        MemoryBudget named = new MemoryBudget(10 * MemoryBudget.FREE, false);
        Sender reader = new Sender(named);
        reader.unread = 20 * MemoryBudget.FREE;
        Sender alone = new Sender(named);
        alone.send(11 * MemoryBudget.FREE);
        assertThat(alone.why).as("nobody else sends anything").isNull();
        alone.send(6 * MemoryBudget.FREE);
        Sender other = new Sender(named);
        other.send(4 * MemoryBudget.FREE);
        assertThat(named.held()).isEqualTo(30 * MemoryBudget.FREE);
        assertThat(alone.why).as("as much as is allowed").isNull();
        other.send(5 * MemoryBudget.FREE);
        assertThat(alone.why).startsWith("messages that are unfinished or wait take ");
        assertThat(other.why).isNull();
        assertThat(reader.why).isNull();
        assertThat(named.held()).isEqualTo(25 * MemoryBudget.FREE);
    }

    private static final class Sender implements MemoryBudget.Holder {
        private final MemoryBudget.Account account;
        private long sent;
        private long unread;
        private @Nullable String why;

        Sender(MemoryBudget budget) {
            account = budget.open(this);
        }

        void send(long bytes) {
            sent = bytes;
            account.update();
        }

        @Override
        public long holds() {
            return sent + unread;
        }

        @Override
        public long unserved() {
            return sent;
        }

        @Override
        public void closeNow(String reason) {
            why = reason;
        }
    }

    private static final class Idle implements MemoryBudget.Holder {
        @Override
        public long holds() {
            return 0;
        }

        @Override
        public void closeNow(String why) {
            throw new AssertionError(why);
        }
    }
}
