package io.muster.daemon.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.core.Rig;
import io.muster.daemon.service.Stage;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that arrive while their peer does not read the answers to earlier requests, or while changes wait for the disk. */
class BacklogTest extends LinkFixture {
    private static final String OVERWRITE = "{\"targets\":\"1\",\"mode\":\"force-overwrite\"}";

    BacklogTest() {
        super(1 << 20);
    }

    @AfterEach
    void nothingIsLeft() {
        channel.finishAndReleaseAll();
        settle();
        assertThat(memory.held()).isZero();
        assertThat(stage.rig.acquires.isAcquired()).isFalse();
        stage.close();
    }

    private void drain(int count) {
        for (int tag = 1; tag <= count; tag++) {
            write("resource.drain", OVERWRITE, 0, tag);
        }
    }

    @Test
    void requestsAreServedInOrderWhenThePeerReadsAgain() throws ProtocolException {
        stopReading();
        for (int tag = 1; tag <= 3000; tag += 3) {
            write("resource.drain", OVERWRITE, 0, tag);
            write("attr.get", "{\"name\":\"size\"}", 0, tag + 1);
            write("resource.drain", OVERWRITE, Header.NORESPONSE, 0);
            assertThat(channel.config().isAutoRead()).isTrue();
        }
        settle();
        assertThat(read()).isEmpty();
        assertThat(stage.counted).isEmpty();
        readAgain();
        assertThat(read()).hasSize(2000).doesNotHaveDuplicates().noneMatch(answer -> answer.contains("EAGAIN"));
        assertThat(stage.counted).filteredOn("resource.drain 0"::equals).hasSize(2000);
    }

    @Test
    void answersAreNotComputedBeforeThePeerReads() throws ProtocolException {
        stage.rig.define(Rig.nodes(String.join(
                ",", "a".repeat(1000), "b".repeat(1000), "c".repeat(1000), "d".repeat(1000), "e".repeat(1000))));
        stopReading();
        for (int tag = 1; tag <= 1000; tag++) {
            write("resource.state", "", 0, tag);
        }
        settle();
        assertThat(stage.counted).isEmpty();
        assertThat(memory.held()).isLessThan(100_000);
        readAgain();
        assertThat(read()).hasSize(1000).allMatch(answer -> answer.length() > 5000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"resource.get", "resource.status", "feasibility.check"})
    void requestsAfterAQueryWaitUndecodedWhileItsAnswerIsComputed(String query) throws ProtocolException {
        stage.answersHeld = true;
        String jobspec = "{\"resources\":[{\"type\":\"node\",\"count\":4}],\"padding\":\"" + "x".repeat(40_000) + "\"}";
        for (int tag = 1; tag <= 20; tag += 2) {
            write(query, jobspec, 0, tag);
            write("resource.drain", OVERWRITE, 0, tag + 1);
        }
        settle();
        assertThat(stage.heldAnswers).hasSize(1);
        assertThat(stage.counted).as("nothing after the query is begun").isEmpty();
        assertThat(memory.held())
                .as("all the others, and a jobspec that waits for its turn")
                .isBetween(9 * 40_000L, 10 * 41_000L + 5000);
        assertThat(channel.config().isAutoRead()).isFalse();

        for (int i = 0; i < stage.heldAnswers.size(); i++) {
            stage.heldAnswers.get(i).run();
            settle();
        }
        assertThat(read()).hasSize(20).noneMatch(answer -> answer.contains("EAGAIN"));
        assertThat(memory.held()).isZero();
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test
    void anUnansweredQueryCountsWithoutItsPayload() {
        stage.answersHeld = true;
        Request far = new Request(
                Header.flags(0),
                List.of("r".repeat(100_000)),
                "resource.status",
                Bytes.text("x".repeat(100_000)),
                Request.NODEID_ANY,
                1);
        write(frame(Dialect.DEPLOYED, far));
        assertThat(memory.held()).isBetween(100_000L, 101_000L);
        channel.close();
        assertThat(memory.held()).isZero();
        stage.heldAnswers.forEach(Runnable::run);
        settle();
        assertThat(stage.counted).containsExactly("resource.status " + Errno.ECANCELED.value());
    }

    /** An allocator without memory outside the heap. */
    private static final class Exhausted extends AbstractByteBufAllocator {
        Exhausted() {
            super(true);
        }

        @Override
        protected ByteBuf newHeapBuffer(int initial, int most) {
            return Unpooled.buffer(initial, most);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initial, int most) {
            throw new OutOfMemoryError("Cannot reserve direct buffer memory");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    @Test
    void anOutOfMemoryErrorForAnAnswerClosesOnlyItsConnection() throws ProtocolException {
        EmbeddedChannel poor = new EmbeddedChannel();
        connect(poor, memory);
        poor.config().setAllocator(new Exhausted());
        stage.answersHeld = true;
        write("resource.status", "", 0, 1);
        poor.writeInbound(Unpooled.wrappedBuffer(frame("resource.status", "", 0, 2)));
        write("resource.drain", OVERWRITE, 0, 3);
        for (int i = 0; i < stage.heldAnswers.size(); i++) {
            stage.heldAnswers.get(i).run();
            settle();
        }
        poor.runPendingTasks();
        assertThat(poor.isOpen()).isFalse();
        settle();
        assertThat(read()).hasSize(2);
    }

    @Test
    void aLargeAnswerBeyondTheMemoryBudgetIsRefused() {
        Stage.Caller caller = stage.join(Stage.owner());
        caller.refusal = new RpcException(Errno.EAGAIN, "no room");
        assertThat(caller.ask("resource.status", null)).isEqualTo("EAGAIN no room");
        assertThat(caller.ask("feasibility.check", "{\"resources\":[{\"type\":\"node\",\"count\":4}]}"))
                .isEqualTo("ok");
        assertThat(caller.ask("resource.drain", OVERWRITE)).isEqualTo("ok");
        assertThat(caller.stream("resource.acquire")).isEqualTo("EAGAIN no room");
        assertThat(caller.stream("resource.journal")).isEqualTo("EAGAIN no room");
        assertThat(stage.rig.acquires.isAcquired()).isFalse();
        assertThat(caller.session.mustRead()).as("nothing is open").isTrue();
        assertThat(stage.counted).contains("resource.status 11");

        caller.refusal = null;
        assertThat(caller.stream("resource.acquire")).startsWith("{\"resources\"");
        caller.session.close();
    }

    @Test
    void answersOfAllPeersShareOneBudgetAndASharedAnswerCountsOnce() throws ProtocolException {
        List<EmbeddedChannel> peers = new ArrayList<>();
        Bytes shared = Bytes.text("s".repeat(ROOM / 2));
        for (int i = 0; i < 20; i++) {
            EmbeddedChannel peer = new EmbeddedChannel();
            peers.add(peer);
            Link made = connect(peer, memory);
            peer.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
            assertThat(made.refusal(shared)).isNull();
            made.send(Response.success(
                    Request.of("resource.get", null, 0, i), Stage.owner().credentials(), shared));
            peer.runPendingTasks();
        }
        assertThat(memory.held()).isBetween(ROOM / 2L, ROOM / 2L + 20 * 200);
        RpcException refusal = connection.refusal(Bytes.text("t".repeat(ROOM / 2)));
        assertThat(refusal).hasMessageContaining("there is no room for this answer of " + (ROOM / 2 + 1) + " bytes");
        assertThat(connection.refusal(shared)).isNull();
        assertThat(connection.refusal(Bytes.text("small"))).isNull();
        peers.forEach(EmbeddedChannel::close);
        assertThat(memory.held()).isZero();
        assertThat(connection.refusal(Bytes.text("t".repeat(2 * ROOM))))
                .as("one answer always has room")
                .isNull();
    }

    @Test
    void aTurnServesALimitedNumberOfRequestsAndReadingResumesAfterTheLast() throws ProtocolException {
        ByteBuf all = Unpooled.buffer();
        for (int tag = 1; tag <= 2 * Link.TURN; tag++) {
            all.writeBytes(frame("attr.list", "", 0, tag));
        }
        channel.pipeline().fireChannelRead(all);
        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(stage.counted).hasSize(Link.TURN);
        settle();
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(read()).hasSize(2 * Link.TURN);
    }

    @Test
    void changesBeyondTheLimitOfPendingChangesWaitUndecided() throws ProtocolException {
        stage.rig.holdDisk();
        drain(5000);
        channel.runPendingTasks();
        assertThat(channel.config().isAutoRead())
                .as("the disk is what is waited for, and it answers")
                .isFalse();
        assertThat(read()).isEmpty();
        stage.rig.release();
        settle();
        assertThat(read()).hasSize(5000);
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test
    void requestsBeyondTheMemoryBudgetAreAnsweredWithEagainInOrder() throws ProtocolException {
        stopReading();
        int whole = 0;
        while (memory.held() <= ROOM / 2) {
            write("resource.drain", OVERWRITE, 0, ++whole);
        }
        String reason = "{\"targets\":\"2\",\"reason\":\"" + "x".repeat(4000) + "\"}";
        for (int i = 1; i <= 1000; i++) {
            write("resource.drain", reason, 0, whole + i);
        }
        assertThat(channel.isOpen()).isTrue();
        assertThat(memory.held()).as("not what they brought").isLessThan(ROOM);
        readAgain();
        List<String> answers = read();
        assertThat(answers).hasSize(whole + 1000);
        assertThat(answers.stream().filter(answer -> answer.endsWith(" ok"))).hasSize(whole);
        assertThat(
                        answers.stream()
                                .filter(
                                        answer -> answer.contains(
                                                " EAGAIN not done: too many requests of this connection wait, because it does not read the")))
                .hasSize(1000);
        assertThat(stage.rig.state().holds().held()).hasToString("1");
        assertThat(stage.counted).contains("resource.drain 11");

        write("resource.drain", reason.replace('x', 'y').replaceFirst("y+", "fan"), 0, 1);
        settle();
        assertThat(read()).containsExactly("1 ok");
    }

    @Test
    void requestsWithoutAResponseAreServedInOrderEvenBeyondTheMemoryBudget() throws ProtocolException {
        stopReading();
        write("resource.acquire", "", Header.STREAMING, 1);
        for (int tag = 2; memory.held() <= ROOM / 2; tag++) {
            write("resource.drain", OVERWRITE, 0, tag);
        }
        write("resource.drain", "{\"targets\":\"3\"}", Header.NORESPONSE, 0);
        write("resource.acquire-cancel", "{\"matchtag\":1}", Header.NORESPONSE, 0);
        write("resource.monitor-waitup", "{\"up\":4}", 0, 1_000_000);
        readAgain();
        List<String> answers = read();
        assertThat(answers).filteredOn(answer -> answer.startsWith("1 ")).last().isEqualTo("1 ECANCELED");
        assertThat(answers)
                .filteredOn(answer -> answer.startsWith("1000000 EAGAIN"))
                .hasSize(1);
        assertThat(stage.rig.state().holds().held()).hasToString("1,3");
        assertThat(stage.rig.acquires.isAcquired()).isFalse();
    }

    @Test
    void aPeerThatNeverReadsIsClosedWhenRefusalsExceedTheBudget() {
        stopReading();
        int sent = 0;
        while (channel.isOpen() && sent < ROOM) {
            write("attr.list", "", 0, ++sent);
        }
        assertThat(channel.isOpen()).isFalse();
        assertThat(sent).isGreaterThan(ROOM / 200);
        assertThat(memory.held()).isZero();
    }

    @Test
    void aPeerThatReadsIsNotRefusedBecauseOthersDoNotRead() throws ProtocolException {
        EmbeddedChannel deaf = new EmbeddedChannel();
        Link leaving = connect(deaf, memory);
        stopReading(deaf);
        while (memory.held() <= ROOM / 2) {
            deaf.writeInbound(Unpooled.wrappedBuffer(frame("attr.list", "", 0, 1)));
        }
        write("log.append", "x".repeat((1 << 20) - 1000), 0, 1);
        stage.rig.holdDisk();
        drain(5000);
        stage.rig.release();
        settle();
        assertThat(read()).hasSize(5001).noneMatch(answer -> answer.contains("EAGAIN"));
        leaving.closeNow("it never reads");
    }

    @Test
    void malformedBytesEndTheConnectionAfterEarlierRequestsAreServed() throws ProtocolException {
        stopReading();
        write("resource.drain", OVERWRITE, 0, 1);
        write(new byte[] {'G', 'E', 'T', ' ', '/'});
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.config().isAutoRead()).isFalse();
        readAgain();
        assertThat(channel.isOpen()).isFalse();
        assertThat(stage.rig.state().holds().held()).hasToString("1");
        channel.releaseOutbound();
    }

    @Test
    void waitingRequestsAreNotServedAfterTheDaemonBeginsToStop() {
        stopReading();
        drain(10);
        stopping = true;
        connection.stopServing();
        assertThat(channel.config().isAutoRead()).isFalse();
        channel.close();
        settle();
        assertThat(stage.rig.state().holds().held().isEmpty()).isTrue();
    }

    @Test
    void aPeerThatStopsReadingWithRequestsWaitingIsClosedEvenIfItHasAStream() {
        write("resource.acquire", "", Header.STREAMING, 1);
        settle();
        channel.releaseOutbound();
        stopReading();
        drain(10);
        connection.sweep(0);
        connection.sweep(TimeUnit.SECONDS.toNanos(599));
        assertThat(channel.isOpen()).isTrue();
        connection.sweep(TimeUnit.SECONDS.toNanos(600));
        assertThat(channel.isOpen()).isFalse();
        assertThat(memory.held()).isZero();
    }
}
