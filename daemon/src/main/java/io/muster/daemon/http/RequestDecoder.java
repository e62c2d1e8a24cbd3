package io.muster.daemon.http;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;

/** Decodes requests, and keeps Content-Length beside Transfer-Encoding, so that {@link Head} can refuse requests that have both. */
final class RequestDecoder extends HttpRequestDecoder {
    RequestDecoder(HttpDecoderConfig limits) {
        super(limits);
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        // Netty's method would remove the header Content-Length.
    }
}
