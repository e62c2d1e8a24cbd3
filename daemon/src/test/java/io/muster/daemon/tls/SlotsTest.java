package io.muster.daemon.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Which handshake begins and which one gives way, with a clock that the test sets. */
final class SlotsTest {
    private final Slots slots = new Slots();
    private final AtomicLong nanos = new AtomicLong(1);
    private int gaveWay;

    /** Adds a handshake whose peer has sent nothing. */
    private Handshake connect(String address) {
        Handshake handshake =
                new Handshake(address, Runnable::run, part -> new ChannelInboundHandlerAdapter(), () -> {}, nanos::get);
        slots.add(handshake);
        new EmbeddedChannel(handshake);
        return handshake;
    }

    /** Adds a handshake whose peer has sent its first bytes. */
    private Handshake add(String address) {
        Handshake handshake = connect(address);
        ((EmbeddedChannel) handshake.channel()).writeInbound(Unpooled.buffer(1).writeByte(22));
        return handshake;
    }

    private List<Handshake> begin() {
        List<Handshake> begun = new ArrayList<>();
        for (Handshake next = slots.next(); next != null; next = slots.next()) {
            next.begin();
            begun.add(next);
        }
        return begun;
    }

    /** Begins all handshakes that may begin after others have given way to them. */
    private List<Handshake> serve() {
        List<Handshake> begun = new ArrayList<>(begin());
        for (Handshake silent = slots.givingWay(); silent != null; silent = slots.givingWay()) {
            slots.remove(silent);
            gaveWay++;
            begun.addAll(begin());
        }
        return begun;
    }

    @Test
    void theHandshakeThatArrivedFirstBeginsFirstOfTheAddressThatHasBegunTheFewest() {
        Handshake first = add("192.0.2.1");
        Handshake second = add("192.0.2.1");
        Handshake third = add("192.0.2.1");
        Handshake other = add("192.0.2.2");
        assertThat(begin()).containsExactly(first, other, second, third);
        assertThat(slots.isCrowded()).isFalse();
    }

    @Test
    void aSilentHandshakeIsInProgressForAShortTimeOnly() {
        List<Handshake> silent = new ArrayList<>();
        for (int i = 0; i < Slots.IN_PROGRESS; i++) {
            silent.add(add("192.0.2.1"));
        }
        assertThat(begin()).isEqualTo(silent);
        Handshake next = add("192.0.2.1");
        nanos.addAndGet(Slots.TURN_NANOS - 1);
        assertThat(begin()).isEmpty();
        nanos.addAndGet(1);
        assertThat(begin()).containsExactly(next);
        assertThat(slots.isCrowded()).isFalse();
    }

    /** The attack: one address begins 50 handshakes a second and answers none; a peer at the same address connects once a second. */
    @Test
    void silentHandshakesOfAnAddressDelayNoOther() {
        int attacks = 50 * 60;
        for (int i = 1; i <= attacks; i++) {
            nanos.addAndGet(20_000_000);
            assertThat(slots.late()).isEmpty();
            Handshake attack = add("192.0.2.1");
            assertThat(serve()).containsExactly(attack);
            if (i % 50 == 0) {
                Handshake same = add("192.0.2.1");
                Handshake other = add("192.0.2.2");
                assertThat(serve()).as("second %d", i / 50).containsExactly(other, same);
                slots.remove(same);
                slots.remove(other);
            }
        }
        assertThat(gaveWay).isBetween(attacks - Slots.BEGUN, attacks - Slots.BEGUN + 2 * 60);
    }

    @Test
    void ifAllSlotsAreTakenTheLongestSilentHandshakeOfTheAddressWithMostGivesWay() {
        Handshake few = add("192.0.2.2");
        begin();
        List<Handshake> many = new ArrayList<>();
        while (many.size() < Slots.BEGUN - 1) {
            many.add(add("192.0.2.1"));
            nanos.addAndGet(Slots.TURN_NANOS);
            begin();
        }
        nanos.addAndGet(Slots.PATIENCE_NANOS);
        assertThat(slots.givingWay()).as("none waits").isNull();
        Handshake next = add("192.0.2.3");
        assertThat(begin()).isEmpty();
        assertThat(slots.givingWay()).isSameAs(many.get(0)).isNotSameAs(few);
        slots.remove(many.get(0));
        assertThat(slots.givingWay()).isNull();
        assertThat(begin()).containsExactly(next);
    }

    @Test
    void noHandshakeGivesWayBeforeItsPeerHasBeenSilentForLong() {
        for (int i = 0; i < Slots.MOST; i++) {
            connect("address " + i % 3);
        }
        assertThat(slots.isFull()).isTrue();
        nanos.addAndGet(Slots.PATIENCE_NANOS - 1);
        assertThat(slots.givingWay()).isNull();
        nanos.addAndGet(1);
        assertThat(slots.givingWay()).isNotNull();
    }

    @Test
    void anAddressHasHalfOfTheConnectionsAtMost() {
        for (int i = 0; i < Slots.MOST_OF_ADDRESS; i++) {
            assertThat(slots.hasRoom("192.0.2.1")).isTrue();
            connect("192.0.2.1");
        }
        assertThat(slots.hasRoom("192.0.2.1")).isFalse();
        assertThat(slots.hasRoom("192.0.2.2")).isTrue();
    }

    @Test
    void theAddressesOfAnIPv6NetworkCountAsOne() throws Exception {
        assertThat(key("2001:db8::1")).isEqualTo(key("2001:db8:0:0:ffff::2")).isNotEqualTo(key("2001:db8:0:1::1"));
        assertThat(key("192.0.2.1")).isEqualTo(key("::ffff:192.0.2.1")).isNotEqualTo(key("192.0.2.2"));
    }

    private static String key(String address) throws UnknownHostException {
        return Handshakes.key(new InetSocketAddress(InetAddress.getByName(address), 1));
    }

    @Test
    void aHandshakeThatEndsBeforeItBeginsIsRemoved() {
        Handshake handshake = add("192.0.2.1");
        Handshake other = add("192.0.2.1");
        slots.remove(handshake);
        assertThat(begin()).containsExactly(other);
        slots.remove(add("192.0.2.1"));
        assertThat(slots.isCrowded()).isFalse();
    }
}
