package io.muster.daemon.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A book with 8,000,000 bytes for all users: one user may have 1,000,000, guests together 4,000,000, and addresses half of that. */
class AccountBookTest {
    private static final int USER = 1_000_000;

    private final List<String> closed = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();
    private long nanos = -7;
    private final AccountBook book = new AccountBook(8 * USER, () -> nanos);

    AccountBookTest() {
        book.onRefusal((limit, line) -> refused.add(limit.word()));
    }

    private final class Peer implements Holding.Holder {
        private final String name;
        private final Holding memory;
        private long own;
        private boolean serves;
        private int asked;

        Peer(Account account, String name) {
            this.name = name;
            this.memory = account.open(this);
        }

        Peer hold(long bytes) {
            own = bytes;
            memory.update();
            return this;
        }

        @Override
        public long holds() {
            asked++;
            return own;
        }

        @Override
        public long unserved() {
            return serves ? 0 : own;
        }

        @Override
        public void closeNow(String why) {
            closed.add(name);
            memory.close();
        }
    }

    private Account guest(String who) {
        return book.account(Kind.GUEST, who);
    }

    private Account user(String who) {
        return book.account(Kind.USER, who);
    }

    /** Returns how often something succeeds before it is refused. */
    private static int count(int most, Runnable part) {
        for (int i = 0; i < most; i++) {
            try {
                part.run();
            } catch (Excess e) {
                return i;
            }
        }
        return most;
    }

    @Test
    void theConnectionsOfAGuestThatUseMostAreClosedUntilTheOthersFit() {
        Account guest = guest("eve");
        Peer small = new Peer(guest, "small");
        Peer large = new Peer(guest, "large").hold(400_000);
        new Peer(guest, "larger").hold(590_000);
        small.hold(10_000);
        assertThat(closed).isEmpty();
        small.hold(20_000);
        assertThat(closed).containsExactly("larger");
        large.hold(990_000);
        assertThat(closed).containsExactly("larger", "large");
        assertThat(guest.held()).isEqualTo(20_000);
        assertThat(book.held(true)).isEqualTo(20_000);
    }

    @Test
    void oneConnectionThatIsAloneMaySendAnyMessage() {
        Peer alone = new Peer(guest("eve"), "alone").hold(100 * USER);
        new Peer(guest("eve"), "idle").hold(0);
        assertThat(closed).isEmpty();
        alone.hold(101 * USER);
        assertThat(closed).isEmpty();
        new Peer(guest("eve"), "other").hold(1);
        assertThat(closed).containsExactly("alone");
    }

    @Test
    void inAFullTotalTheGuestWhoHoldsMostGivesWay() {
        for (int i = 0; i < 40; i++) {
            new Peer(guest("many" + i), "many" + i).hold(90_000);
        }
        new Peer(guest("bob"), "bob").hold(300_000);
        assertThat(closed).isEmpty();
        new Peer(guest("eve"), "eve").hold(110_000);
        assertThat(closed).containsExactly("bob");
        assertThat(book.held(true)).isEqualTo(40 * 90_000 + 110_000);
    }

    @Test
    void anAnswerThatSeveralPeersWaitForCountsOnceForEachUserAndOnceInAll() {
        String answer = "answer";
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Peer peer = new Peer(guest("guest" + i % 2), "reader");
            peers.add(peer);
            peer.memory.waits(answer, 900_000);
            peer.hold(0);
        }
        assertThat(book.held(true)).isEqualTo(900_000);
        assertThat(guest("guest0").held()).isEqualTo(900_000);
        peers.subList(0, 25).forEach(peer -> peer.memory.isRead(answer));
        peers.subList(25, 49).forEach(peer -> peer.memory.close());
        assertThat(book.held(true)).isEqualTo(900_000);
        assertThat(guest("guest0").held()).isZero();
        peers.get(49).memory.isRead(answer);
        peers.get(49).memory.isRead(answer);
        assertThat(book.held(true)).isZero();
        assertThat(closed).isEmpty();
    }

    @Test
    void anAnswerThatIsLongerThanTheMemoryOfItsUserStopsNothingElseOfThatUser() {
        Peer scheduler = new Peer(user("flux"), "scheduler");
        scheduler.serves = true;
        assertThat(scheduler.memory.refusal("R", 3 * USER)).isNull();
        scheduler.memory.waits("R", 3 * USER);
        scheduler.hold(2 * Holding.FREE);
        assertThat(scheduler.memory.isTight()).isFalse();
        assertThat(scheduler.memory.isFull()).isFalse();
        user("flux").take(10_000, 5000);
        scheduler.hold(USER + 1);
        assertThat(scheduler.memory.isFull()).isTrue();
        assertThat(closed).isEmpty();
    }

    @Test
    void aGuestMayReadALongAnswerWhileOtherConnectionsOfTheGuestAreOpen() {
        Peer scheduler = new Peer(guest("flux"), "scheduler");
        scheduler.memory.waits("R", USER + 1);
        scheduler.hold(100);
        Peer other = new Peer(guest("flux"), "other").hold(100);
        assertThat(closed).isEmpty();
        other.memory.waits("another", USER + 2);
        other.hold(100);
        assertThat(closed).containsExactly("other");
    }

    @Test
    void anAnswerForWhichAnotherUserWaitsTakesNoFurtherRoomInTheTotal() {
        Peer first = new Peer(user("ada"), "first");
        first.memory.waits("R", 5 * USER);
        user("bob").take(USER / 2);
        user("eve").take(USER / 2);
        Peer second = new Peer(user("flux"), "second");
        assertThat(second.memory.refusal("other", 5 * USER)).isNotNull();
        assertThat(second.memory.refusal("R", 5 * USER)).isNull();
    }

    @Test
    void memoryThatGuestsHoldOverHttpClosesNoConnection() {
        Peer eve = new Peer(guest("eve"), "eve").hold(10_000);
        new Peer(guest("bob"), "bob").hold(10_000);
        for (int i = 0; i < 4; i++) {
            guest("web" + i).take(USER);
        }
        eve.hold(20_000);
        assertThat(book.held(true)).isGreaterThan(4 * USER);
        assertThat(closed).isEmpty();
    }

    @Test
    void aConnectionThatReadsALongAnswerDoesNotCauseALookAtAllOthersEachTime() {
        List<Peer> idle = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            idle.add(new Peer(guest("idle" + i), "idle"));
        }
        Peer reader = new Peer(guest("eve"), "reader");
        for (int i = 0; i < 1000; i++) {
            reader.hold(5 * USER - i % 50);
        }
        assertThat(idle.stream().mapToInt(each -> each.asked).sum()).isLessThanOrEqualTo(200);
        assertThat(closed).isEmpty();
    }

    @Test
    void aFullTotalIsNotBlamedOnTheUserWhoIsRefused() {
        for (int i = 0; i < 12; i++) {
            user("user" + i).take(USER / 2);
        }
        Account late = user("late");
        late.take(400_000);
        assertThatThrownBy(() -> late.take(100_000, 5000))
                .hasMessage("the daemon's memory for requests of all users but the owner is used up (6400000 of 6000000"
                        + " bytes): send this request again later");
    }

    @Test
    void usageIsRecountedBeforeAConnectionIsClosed() {
        new Peer(guest("eve"), "sent").hold(900_000).own = 0;
        new Peer(guest("eve"), "next").hold(500_000);
        assertThat(closed).isEmpty();
        assertThat(book.held(true)).isEqualTo(500_000);
    }

    @Test
    void onlyMessagesThatAreNotServedCloseConnectionsOfUsersWhomTheConfigurationNames() {
        Peer reader = new Peer(user("ada"), "reader");
        reader.serves = true;
        reader.hold(20 * USER);
        new Peer(user("ada"), "half").hold(600_000);
        assertThat(closed).isEmpty();
        new Peer(user("ada"), "other").hold(500_000);
        assertThat(closed).containsExactly("half");
        assertThat(user("ada").held()).isEqualTo(20 * USER + 500_000);
    }

    @Test
    void aRequestBeyondTheMemoryOfItsUserIsRefusedAndNobodyElses() {
        Account ada = user("ada");
        assertThat(count(10_000, () -> ada.take(10_000, 5000))).isEqualTo(100);
        assertThatThrownBy(() -> ada.take(10_000, 5000))
                .isInstanceOf(Excess.class)
                .hasMessageStartingWith("the requests and unread answers of ada take 1000000 of 1000000 bytes: ");
        ada.take(4000, 96);
        user("bob").take(10_000, 5000);
        assertThat(refused).containsExactly("bytes", "bytes");
        ada.give(104_000);
        ada.take(10_000, 5000);
    }

    @Test
    void aFullTotalKeepsAShareForEachUserAndAReserveForTheOwner() {
        for (int i = 0; i < 6; i++) {
            user("user" + i).take(USER);
        }
        Account late = user("late");
        assertThat(count(1000, () -> late.take(100_000, 5000)))
                .as("a seventh of 6,000,000")
                .isEqualTo(8);
        Account owner = book.account(Kind.OWNER, "root");
        assertThat(count(1000, () -> owner.take(100_000, 1 << 20)))
                .as("the reserve")
                .isGreaterThan(10);
    }

    @Test
    void anyOneMessageHasRoom() {
        Account ada = user("ada");
        ada.take(50 * USER, 0);
        assertThat(count(1, () -> ada.take(USER, 0))).isZero();
    }

    @Test
    void aUserForWhomARelaySpeaksIsChargedWithinTheRelayAndNotAsTheLocalUser() {
        Account relay = book.account(Kind.SPEAKER, "cert:login1");
        Account eve = relay.nested(1000);
        assertThat(relay.nested(1000)).isSameAs(eve);
        assertThat(count(10_000, () -> eve.take(10_000, 5000))).isEqualTo(100);
        assertThat(relay.held()).isEqualTo(USER);
        assertThat(user("uid=1000").held()).isZero();
        relay.nested(1001).take(10_000, 5000);
        assertThat(count(1000, eve::checkStreams)).isEqualTo(1000);
        assertThat(count(1000, () -> {
                    eve.checkStreams();
                    eve.beginStream();
                }))
                .isEqualTo(64);
    }

    @Test
    void theUsersOfARelayTogetherHaveTheMemoryOfTheRelay() {
        Account relay = book.account(Kind.SPEAKER, "cert:login1");
        int taken = 0;
        for (int uid = 0; uid < 10_000; uid++) {
            Account user = relay.nested(uid);
            taken += count(1000, () -> user.take(10_000, 5000));
        }
        assertThat(taken * 10_000L).isBetween(4L * USER, 8L * USER);
        user("ada").take(10_000, 5000);
    }

    @Test
    void accountsThatAreNotUsedVanishAndTheirNumberIsLimited() {
        Account ada = book.begin(Kind.USER, "ada", Limit.CONNECTIONS, 2, "connections");
        for (int i = 0; i < 65_536; i++) {
            String who = "uid=" + i;
            book.begin(Kind.GUEST, who, Limit.CONNECTIONS, 100_000, "connections")
                    .take(100);
        }
        assertThat(book.size()).isBetween(10_000, 10_010);
        assertThat(user("ada")).isSameAs(ada);
        AccountBook other = new AccountBook(USER, () -> nanos);
        for (int i = 0; i < 65_536; i++) {
            nanos += TimeUnit.SECONDS.toNanos(1);
            other.begin(Kind.GUEST, "uid=" + i, Limit.CONNECTIONS, 1, "connections")
                    .end(Limit.CONNECTIONS);
        }
        other.sweep();
        assertThat(other.size()).isZero();
    }

    @Test
    void addressesThatFillTheAccountsTakeNoneFromUsersAndGuests() {
        for (int i = 0; i < 10_100; i++) {
            book.account(Kind.STRANGER, "127.0." + (i >> 8) + "." + (i & 255)).guess();
        }
        assertThat(book.account(Kind.STRANGER, "late")).hasToString("the shared account of all addresses beyond 10000");
        assertThat(guest("eve")).hasToString("eve");
        assertThat(user("ada")).hasToString("ada");
        for (int i = 0; i < 10_100; i++) {
            guest("guest" + i).take(1);
            user("user" + i).take(1);
        }
        assertThat(guest("late").toString()).startsWith("the shared account of all guests beyond 10000");
        assertThat(user("late")).hasToString("late");
    }

    @Test
    void aRelayKeepsNoAccountForAUserWhoHasNothing() {
        Account relay = book.account(Kind.SPEAKER, "cert:login1");
        for (int uid = 0; uid < 65_536; uid++) {
            relay.nested(uid);
        }
        assertThat(relay.parts.get()).isLessThanOrEqualTo(20_000);
        book.sweep();
        assertThat(relay.parts).hasValue(0);
    }

    @Test
    void connectionsAreCountedForEachUserAndEachIsGivenBack() {
        Supplier<Account> begin = () -> book.begin(Kind.USER, "ada", Limit.CONNECTIONS, 3, "connections");
        assertThat(count(10, () -> assertThat(begin.get()).isNotNull())).isEqualTo(3);
        assertThatThrownBy(begin::get).hasMessage("ada has 3 connections already, which is the limit");
        user("ada").end(Limit.CONNECTIONS);
        assertThat(count(10, () -> assertThat(begin.get()).isNotNull())).isEqualTo(1);
    }

    @Test
    void changesAreLimitedByABurstAndARateAndCountByTheKibibyte() {
        Account monitor = user("monitor");
        assertThat(count(10_000, () -> monitor.change(200))).isEqualTo(5000);
        assertThatThrownBy(() -> monitor.change(200))
                .isInstanceOf(Excess.class)
                .hasMessageStartingWith("not done: monitor, who lacks the right change, makes more than 50 changes");
        nanos += TimeUnit.SECONDS.toNanos(10);
        assertThat(count(10_000, () -> monitor.change(200))).isEqualTo(500);
        nanos += TimeUnit.SECONDS.toNanos(1000);
        assertThat(count(10_000, () -> monitor.change(16 << 10)))
                .as("17 KiB are begun")
                .isEqualTo(5000 / 17);
        assertThat(count(10_000, () -> user("other").change(200))).isEqualTo(5000);
    }

    @Test
    void eachUserMayLogALimitedNumberOfLinesPerMinute() {
        Account eve = guest("eve");
        assertThat(Collections.nCopies(1000, eve).stream().filter(Account::mayLog))
                .hasSize(Account.A_MINUTE);
        assertThat(guest("bob").mayLog()).isTrue();
        nanos += TimeUnit.MINUTES.toNanos(1);
        assertThat(Collections.nCopies(1000, eve).stream().filter(Account::mayLog))
                .hasSize(Account.A_MINUTE);
    }

    @Test
    void onlyTheFirstWrongTokenOfAnAddressInEachMinuteIsLogged() {
        Account address = book.account(Kind.STRANGER, "10.0.0.7");
        assertThat(address.guess()).isTrue();
        assertThat(Collections.nCopies(1000, address).stream().filter(Account::guess))
                .isEmpty();
        assertThat(address.isGuessing()).isTrue();
        nanos += TimeUnit.MINUTES.toNanos(1);
        assertThat(address.isGuessing()).isFalse();
        assertThat(address.guess()).isTrue();
    }

    @Test
    void aRequestCostsItsRoutesAndALeastAmount() {
        assertThat(Account.size(Request.of("attr.get", null, 0, 1))).isEqualTo(520);
        List<String> routes = Collections.nCopies(1024, "r");
        Request far = new Request(Header.flags(0), routes, "attr.get", Bytes.text("12"), Request.NODEID_ANY, 1);
        assertThat(Account.size(far)).isEqualTo(520 + 3 + 1024 * 65);
    }
}
