package io.muster.daemon.server;

import io.muster.protocol.wire.Request;
import java.util.List;

/** RFC 6: a stream is named by its sender and its matchtag; a router may send for several. */
record StreamKey(List<String> sender, int matchtag) {
    static StreamKey of(Request request) {
        return new StreamKey(request.routes(), request.matchtag());
    }
}
