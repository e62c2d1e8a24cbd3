package io.muster.daemon.net;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Kind;
import io.muster.daemon.core.Rig;
import io.muster.daemon.service.Stage;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

class LinkTest extends LinkFixture {
    private static final int MAX_FRAME = 1 << 16;

    LinkTest() {
        super(MAX_FRAME);
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
        channel.config().setAutoRead(true);
        assertThat(channel.finishAndReleaseAll())
                .as("nothing that nobody has read")
                .isFalse();
        assertThat(stage.rig.acquires.isAcquired()).isFalse();
        stage.close();
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void requestsMayArriveByteByByteAndAreAnsweredInTheirDialect(Dialect dialect) throws ProtocolException {
        Request drain = Request.of("resource.drain", Bytes.text("{\"targets\":\"1\"}"), 0, 1);
        Request get = Request.of("attr.get", Bytes.text("{\"name\":\"size\"}"), 0, 2);
        for (Request request : List.of(drain, get)) {
            for (byte one : frame(dialect, request)) {
                write(new byte[] {one});
            }
            settle();
        }
        assertThat(read()).containsExactly("1 ok", "2 {\"value\":\"4\",\"flags\":1}");
        assertThat(decoder.dialect()).isEqualTo(dialect);
    }

    @Test
    void severalMessagesMayArriveTogether() throws ProtocolException {
        byte[] one = frame("attr.get", "{\"name\":\"size\"}", 0, 1);
        byte[] two = frame("attr.get", "{\"name\":\"rank\"}", 0, 2);
        channel.writeInbound(Unpooled.wrappedBuffer(one, two));
        settle();
        assertThat(read()).containsExactly("1 {\"value\":\"4\",\"flags\":1}", "2 {\"value\":\"0\",\"flags\":1}");
    }

    @Test
    void aLargeAnswerArrivesComplete() throws ProtocolException {
        stage.rig.define(Rig.nodes(String.join(
                ",", "a".repeat(1000), "b".repeat(1000), "c".repeat(1000), "d".repeat(1000), "e".repeat(1000))));
        write("resource.status", "", 0, 1);
        settle();
        assertThat(read()).singleElement().asString().startsWith("1 {").contains("e".repeat(1000));
    }

    @Test
    void aLargeAnswerIsWrittenInPieces() throws ProtocolException {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        connection.send(response(1, "x".repeat(300_000)));
        settle();
        List<ByteBuf> pieces = new ArrayList<>();
        for (ByteBuf piece = channel.readOutbound(); piece != null; piece = channel.readOutbound()) {
            pieces.add(piece);
        }
        assertThat(pieces).hasSizeGreaterThan(9).allMatch(piece -> piece.readableBytes() <= 1 << 15);
        pieces.forEach(channel.outboundMessages()::add);
        assertThat(read()).singleElement().asString().hasSize(300_002);
    }

    private static Response response(int matchtag, String text) {
        Request request = Request.of("resource.ping", null, 0, matchtag);
        return Response.success(request, Stage.owner().credentials(), Bytes.text(text));
    }

    @Test
    void answersAfterALargeUnreadAnswerKeepTheirOrder() throws ProtocolException {
        stopReading();
        connection.send(response(1, "x".repeat(5000)));
        connection.send(response(2, "small"));
        connection.send(response(3, "y".repeat(5000)));
        connection.finish();
        settle();
        assertThat(read()).isEmpty();
        assertThat(channel.isOpen()).as("it has not read all").isTrue();
        readAgain();
        assertThat(read().stream().map(text -> text.substring(0, 3))).containsExactly("1 x", "2 s", "3 y");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void malformedBytesEndTheConnection() throws ProtocolException {
        write(new byte[] {'G', 'E', 'T', ' ', '/'});
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(read()).isEmpty();
    }

    @Test
    void theHeaderOfATooLargeMessageEndsTheConnection() {
        byte[] frame = frame("log.append", "x".repeat(MAX_FRAME), Header.NORESPONSE, 0);
        channel.writeInbound(Unpooled.copiedBuffer(frame, 0, 8));
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aConnectionBeyondTheLogBudgetIsClosedWithoutALogLine() {
        Logger log = (Logger) LoggerFactory.getLogger("peer");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        log.addAppender(lines);
        try {
            EmbeddedChannel quiet = new EmbeddedChannel();
            Account noisy = accounts.account(Kind.USER, "noisy");
            while (noisy.mayLog()) {
                assertThat(lines.list).isEmpty();
            }
            connect(quiet, noisy);
            quiet.writeInbound(Unpooled.copiedBuffer(new byte[] {'G', 'E', 'T', ' ', '/'}));
            assertThat(quiet.isOpen()).isFalse();
            assertThat(lines.list).isEmpty();
            write(new byte[] {'G', 'E', 'T', ' ', '/'});
            assertThat(lines.list).singleElement().asString().contains("closed: not a Flux message");
        } finally {
            log.detachAppender(lines);
        }
    }

    @Test
    void beyondTheMemoryBudgetOnlyTheConnectionThatUsesMostIsClosed() throws ProtocolException {
        AccountBook book = new AccountBook(4L * MAX_FRAME, System::nanoTime);
        Account memory = book.account(Kind.GUEST, "guest"); // an eighth
        byte[] large = frame("log.append", "x".repeat(MAX_FRAME - 1000), Header.NORESPONSE, 0);
        EmbeddedChannel first = new EmbeddedChannel();
        EmbeddedChannel second = new EmbeddedChannel();
        connect(first, memory);
        connect(second, memory);
        second.writeInbound(Unpooled.copiedBuffer(frame("attr.list", "", 0, 2), 0, 20));
        first.writeInbound(Unpooled.copiedBuffer(large, 0, 20_000));
        assertThat(first.isOpen()).as("there is room").isTrue();
        first.writeInbound(Unpooled.copiedBuffer(large, 20_000, large.length - 20_001));
        assertThat(first.isOpen()).isFalse();
        assertThat(second.isOpen()).isTrue();
        assertThat(memory.held()).isBetween(1L, 4096L);
        second.close();
        assertThat(memory.held()).isZero();

        EmbeddedChannel alone = new EmbeddedChannel();
        connect(alone, memory);
        alone.writeInbound(Unpooled.copiedBuffer(large));
        assertThat(alone.isOpen()).isTrue();
        assertThat(memory.held()).as("nothing once it is served").isZero();
        alone.close();
        channel.runPendingTasks();
        assertThat(read()).isEmpty();
    }

    @Test
    void aConnectionOverTheBudgetReleasesItsAcquisition() {
        AccountBook book = new AccountBook(4L * MAX_FRAME, System::nanoTime);
        Account memory = book.account(Kind.GUEST, "guest"); // an eighth
        EmbeddedChannel other = new EmbeddedChannel();
        connect(other, memory);
        other.writeInbound(Unpooled.copiedBuffer(frame("attr.list", "", 0, 2), 0, 20));
        EmbeddedChannel scheduler = new EmbeddedChannel();
        connect(scheduler, memory);
        scheduler.writeInbound(Unpooled.copiedBuffer(frame("resource.acquire", "", Header.STREAMING, 1)));
        settle();
        scheduler.releaseOutbound();
        assertThat(stage.rig.acquires.isAcquired()).isTrue();
        byte[] large = frame("log.append", "x".repeat(MAX_FRAME - 1000), Header.NORESPONSE, 0);
        scheduler.writeInbound(Unpooled.copiedBuffer(large, 0, large.length - 1));
        assertThat(scheduler.isOpen()).isFalse();
        assertThat(stage.rig.acquires.isAcquired()).isFalse();
        other.close();
    }

    @Test
    void openRequestsCountAgainstTheBudgetUntilTheyAreAnswered() {
        AccountBook book = new AccountBook(1 << 20, System::nanoTime);
        Account memory = book.account(Kind.OWNER, "ada");
        stage.rig.report("offline", "3");
        EmbeddedChannel waiting = new EmbeddedChannel();
        connect(waiting, memory);
        String wide = "{\"up\":4,\"padding\":\"" + "x".repeat(4000) + "\"}";
        for (int tag = 1; tag <= 4; tag++) {
            waiting.writeInbound(Unpooled.copiedBuffer(frame("resource.monitor-waitup", wide, 0, tag)));
        }
        assertThat(memory.held()).as("without the payloads").isBetween(4 * 512L, 4 * 600L);
        stage.rig.report("online", "3");
        settle();
        waiting.runPendingTasks();
        waiting.releaseOutbound();
        assertThat(memory.held()).isZero();
        waiting.close();
    }

    @Test
    void aConnectionThatEndsWithinAMessageReleasesItsStreams() {
        write("resource.acquire", "", Header.STREAMING, 1);
        settle();
        channel.releaseOutbound();
        channel.writeInbound(Unpooled.copiedBuffer(frame("attr.list", "", 0, 2), 0, 20));
        channel.close();
        assertThat(stage.rig.acquires.isAcquired()).isFalse();
    }

    @Test
    void requestsOfAPeerThatDoesNotReadAreReceivedAndWaitUndecoded() throws ProtocolException {
        stopReading();
        write("resource.drain", "{\"targets\":\"1\"}", 0, 1);
        settle();
        assertThat(stage.rig.state().holds().held().isEmpty()).as("it waits").isTrue();
        assertThat(channel.config().isAutoRead())
                .as("the peer may be in the middle of a write")
                .isTrue();
        assertThat(memory.held()).isBetween(100L, 300L);

        readAgain();
        assertThat(read()).containsExactly("1 ok");
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(memory.held()).isZero();
    }

    @Test
    void aSchedulerThatReadsAgainIsSentOneMergedUpdate() throws ProtocolException {
        write("resource.acquire", "", Header.STREAMING, 1);
        settle();
        read();
        stopReading();
        stage.rig.drain("1");
        stage.rig.drain("2");
        settle();
        assertThat(read()).isEmpty();
        readAgain();
        assertThat(read()).containsExactly("1 {\"down\":\"1-2\"}");
    }

    @Test
    void aLongHistoryIsSentWithoutRecursion() throws ProtocolException {
        for (int i = 0; i < 400; i++) {
            stage.rig.drain("1");
            stage.rig.undrain("1");
        }
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2)); // each response fills the buffer
        write("resource.journal", "", Header.STREAMING, 1);
        settle();
        List<String> responses = read();
        assertThat(responses).hasSizeGreaterThan(4);
        assertThat(responses).filteredOn("1 {\"events\":[]}"::equals).hasSize(1);
        assertThat(responses.get(responses.size() - 1)).isEqualTo("1 {\"events\":[]}");
    }

    @Test
    void anIncompleteMessageEndsTheConnectionAfterAMinute() {
        channel.writeInbound(Unpooled.copiedBuffer(frame("attr.list", "", 0, 2), 0, 20));
        connection.sweep(seconds(0));
        connection.sweep(seconds(59));
        assertThat(channel.isOpen()).isTrue();
        connection.sweep(seconds(60));
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void anIdlePeerIsNotClosed() throws ProtocolException {
        connection.sweep(seconds(0));
        connection.sweep(seconds(1_000_000));
        write("attr.get", "{\"name\":\"size\"}", 0, 2);
        connection.sweep(seconds(2_000_000));
        settle();
        assertThat(read()).hasSize(1);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void aPeerThatDoesNotReadIsClosedUnlessItHasAStream() throws ProtocolException {
        write("resource.acquire", "", Header.STREAMING, 1);
        settle();
        read();
        stopReading();
        connection.sweep(seconds(0));
        connection.sweep(seconds(100_000));
        assertThat(channel.isOpen()).as("a scheduler in a debugger").isTrue();

        readAgain();
        write("resource.acquire-cancel", "{\"matchtag\":1}", Header.NORESPONSE, 0);
        settle();
        read();
        stopReading();
        connection.sweep(seconds(200_000));
        connection.sweep(seconds(200_599));
        assertThat(channel.isOpen()).isTrue();
        connection.sweep(seconds(200_600));
        assertThat(channel.isOpen()).isFalse();
    }

    private static long seconds(int number) {
        return TimeUnit.SECONDS.toNanos(number);
    }

    @Test
    void afterTheStopBeginsNoRequestIsServedAndPendingAnswersAreSent() throws ProtocolException {
        stage.rig.holdDisk();
        write("resource.drain", "{\"targets\":\"1\"}", 0, 1);
        stopping = true;
        connection.stopServing();
        write("resource.drain", "{\"targets\":\"2\"}", 0, 2);
        stage.rig.release();
        settle();
        assertThat(read()).containsExactly("1 ok");
        assertThat(stage.rig.state().holds().held()).hasToString("1");
    }
}
