package io.muster.daemon.http;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Kind;
import io.muster.protocol.wire.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** Arbitrary bytes on a connection. */
final class HttpFuzzTest {
    /** Any bytes result in at most one response, at most one request is served, and all memory is released. */
    @FuzzTest
    void anyBytesResultInAtMostOneRequest(FuzzedDataProvider data) {
        boolean withHead = data.consumeBoolean();
        int piece = data.consumeInt(1, 64);
        byte[] rest = data.consumeRemainingAsBytes();
        byte[] head = "POST /v1/holds HTTP/1.1\r\nHost: localhost\r\n".getBytes(StandardCharsets.US_ASCII);
        Bytes input = withHead ? Bytes.join(Bytes.wrap(head), Bytes.wrap(rest)) : Bytes.wrap(rest);
        AtomicInteger served = new AtomicInteger();
        AccountBook accounts = new AccountBook(1L << 40, System::nanoTime);
        HttpServer.Terms terms = new HttpServer.Terms(site(served), 1, HttpServer.DEADLINE, accounts);
        EmbeddedChannel channel = new EmbeddedChannel(
                new RequestDecoder(HttpServer.LIMITS),
                new HttpResponseEncoder(),
                new HttpConnection(terms, true, null, accounts.account(Kind.STRANGER, "local")));
        byte[] bytes = input.toByteArray();
        for (int at = 0; at < bytes.length; at += piece) {
            channel.writeInbound(Unpooled.copiedBuffer(bytes, at, Math.min(piece, bytes.length - at)));
        }
        StringBuilder out = new StringBuilder();
        for (ByteBuf some = channel.readOutbound(); some != null; some = channel.readOutbound()) {
            out.append(some.toString(StandardCharsets.ISO_8859_1));
            some.release();
        }
        channel.finishAndReleaseAll();
        String text = out.toString().replace("HTTP/1.1 100 Continue\r\n\r\n", "");
        check(served.get() <= 1, "served twice");
        check(text.isEmpty() || text.startsWith("HTTP/1.1 "), text);
        check(text.split("HTTP/1.1 \\d\\d\\d ", -1).length <= 2, text);
        check(accounts.held(true) == 0, "memory stays taken");
    }

    private static Site site(AtomicInteger served) {
        return new Site() {
            @Override
            public void check(Ask head) {
                HttpFuzzTest.check(head.path().startsWith("/") && !head.path().contains(".."), head.path());
            }

            @Override
            public void serve(Exchange exchange) {
                served.incrementAndGet();
                exchange.answer(HttpAnswer.of(200, "text/plain", Bytes.EMPTY));
            }
        };
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
