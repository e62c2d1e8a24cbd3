package io.muster.daemon.http;

import io.muster.protocol.wire.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/**
 * A response.
 *
 * @param headers the headers besides Content-Type and Content-Length
 */
public record HttpAnswer(int status, String type, Map<String, String> headers, Bytes body) {
    public static final String JSON = "application/json";
    static final String PROBLEM = "application/problem+json";
    private static final int LEAST_COMPRESSED = 1024;

    public static HttpAnswer of(int status, String type, Bytes body) {
        return new HttpAnswer(status, type, Map.of(), body);
    }

    public static HttpAnswer text(int status, String type, String text) {
        return of(status, type, Bytes.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    public HttpAnswer with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new HttpAnswer(status, type, more, body);
    }

    /** Returns the response, compressed if the peer accepts that and the body is long. */
    public HttpAnswer packed(Ask ask) {
        HttpAnswer varied = with("vary", "accept-encoding");
        return ask.acceptsGzip() && body.length() >= LEAST_COMPRESSED ? varied.gzipped() : varied;
    }

    /** Returns the response, compressed. */
    public HttpAnswer gzipped() {
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length() / 8);
        try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
            for (var piece : body.toByteBuffers()) {
                byte[] bytes = new byte[piece.remaining()];
                piece.get(bytes);
                zip.write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new HttpAnswer(status, type, headers, Bytes.wrap(out.toByteArray())).with("content-encoding", Ask.GZIP);
    }
}
