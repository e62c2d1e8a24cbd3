package io.muster.daemon.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the request of a connection, and keeps what Netty's decoder would hide from {@link Head}: Content-Length beside
 * Transfer-Encoding, lines of the head that continue the line before, and control characters between the words of the first line.
 */
final class RequestDecoder extends HttpRequestDecoder {
    private boolean isBody;
    private @Nullable String fault;
    private boolean isFirst = true;
    /** The number of bytes of the current line so far, except for carriage returns. */
    private int line;

    RequestDecoder(HttpDecoderConfig limits) {
        super(limits);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        if (!isBody && message instanceof ByteBuf bytes) {
            bytes.forEachByte(this::scan);
        }
        super.channelRead(ctx, message);
    }

    /** Looks at a byte of the head. Returns whether the head continues. */
    private boolean scan(byte next) {
        if (next == '\n') {
            isBody = !isFirst && line == 0;
            isFirst &= line == 0; // empty lines may precede the first one
            line = 0;
        } else if (next != '\r') {
            if (line == 0 && (next == ' ' || next == '\t')) {
                fault = "a line of the head begins with a space";
            } else if (isFirst && next >= 0 && next < ' ') {
                fault = "the first line has a control character";
            }
            line++;
        }
        return !isBody;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf buffer, List<Object> out) throws Exception {
        int before = out.size();
        super.decode(ctx, buffer, out);
        for (Object each : out.subList(before, out.size())) {
            if (fault != null
                    && each instanceof HttpRequest request
                    && request.decoderResult().isSuccess()) {
                request.setDecoderResult(DecoderResult.failure(new IllegalArgumentException(fault)));
            }
        }
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        // Netty's method would remove the header Content-Length.
    }
}
