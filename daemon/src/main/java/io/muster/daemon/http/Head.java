package io.muster.daemon.http;

import io.muster.daemon.access.Identity;
import io.muster.protocol.wire.Bytes;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks the heads of requests. A head that two programs could understand differently is refused: a path with escapes or dots, two
 * lengths, two values where one is meant.
 */
final class Head {
    private static final int MOST_PARAMS = 64;
    /** The possessive quantifiers make the match of a long path need no deep recursion. */
    private static final Pattern PATH = Pattern.compile("/|(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*+)++");

    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._~-]*(:\\d*)?|\\[[0-9A-Fa-f:.]+](:\\d*)?");
    private static final Pattern PORT = Pattern.compile(":\\d*$");
    private static final List<String> SINGLE = List.of(
            "host",
            "content-length",
            "transfer-encoding",
            "content-type",
            "authorization",
            "origin",
            "expect",
            "if-match",
            "idempotency-key",
            "last-event-id");
    private static final String MISDIRECTED =
            "the Host header must name localhost, 127.0.0.1 or [::1], because the daemon listens here on a loopback "
                    + "address: ask for http://localhost:PORT/, or let the daemon listen on an address of this host";

    private Head() {}

    /**
     * Reads a head.
     *
     * @param loopback whether the connection came to a loopback address
     * @throws Refusal if the request is refused
     */
    static Ask read(HttpRequest request, boolean loopback, @Nullable Identity peer) {
        check(request.decoderResult());
        HttpVersion version = request.protocolVersion();
        if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
            throw new Refusal(505, "the daemon speaks HTTP/1.1 and HTTP/1.0");
        }
        Map<String, List<String>> headers = headers(request.headers());
        for (String name : SINGLE) {
            if (headers.getOrDefault(name, List.of()).size() > 1) {
                throw new Refusal(400, "the request has the header " + name + " twice");
            }
        }
        checkHost(version, headers, loopback);
        checkBody(request.method().name(), headers);
        String target = request.uri();
        int end = target.indexOf('?');
        String path = end < 0 ? target : target.substring(0, end);
        if (!PATH.matcher(path).matches()) {
            throw new Refusal(400, "the path must be plain: names of letters, digits, -, _ and . after single slashes");
        }
        return new Ask(request.method().name(), path, params(target, path), headers, Bytes.EMPTY, peer, "");
    }

    /** @throws Refusal if the decoder did not understand a part of the request */
    static void check(DecoderResult result) {
        if (result.isFailure()) {
            Throwable cause = result.cause();
            if (cause instanceof TooLongHttpLineException) {
                throw new Refusal(414, "the first line is longer than " + HttpServer.LONGEST_LINE + " bytes");
            } else if (cause instanceof TooLongHttpHeaderException) {
                throw new Refusal(431, "the headers are longer than " + HttpServer.LONGEST_HEADERS + " bytes");
            }
            throw new Refusal(400, "this is not HTTP/1.1: " + cause.getMessage());
        }
    }

    private static Map<String, List<String>> headers(HttpHeaders all) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        all.forEach(
                header -> headers.computeIfAbsent(header.getKey().toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                        .add(header.getValue()));
        return headers;
    }

    private static void checkHost(HttpVersion version, Map<String, List<String>> headers, boolean loopback) {
        List<String> hosts = headers.getOrDefault("host", List.of());
        if (hosts.isEmpty() && version.equals(HttpVersion.HTTP_1_1)) {
            throw new Refusal(400, "the request has no Host header");
        }
        String host = hosts.isEmpty() ? "" : hosts.get(0);
        if (!HOST.matcher(host).matches()) {
            throw new Refusal(400, "the Host header must be a name or an address, and a port");
        }
        if (loopback && !hosts.isEmpty() && !namesLoopback(host)) {
            throw new Refusal(421, MISDIRECTED);
        }
        for (String origin : headers.getOrDefault("origin", List.of())) {
            if (!origin.equalsIgnoreCase("http://" + host) && !origin.equalsIgnoreCase("https://" + host)) {
                throw Refusal.ofOtherSite();
            }
        }
    }

    /**
     * Returns whether the Host header of a request names this host. It does not if a web page has a browser on this host
     * send the request, by making the page's name resolve to this host (DNS rebinding): the header then has the page's name.
     * Such a page must not read the response.
     */
    private static boolean namesLoopback(String host) {
        String name = PORT.matcher(host.strip()).replaceFirst("");
        InetAddress address = NetUtil.createInetAddressFromIpAddressString(name);
        return address == null ? name.equalsIgnoreCase("localhost") : address.isLoopbackAddress();
    }

    private static void checkBody(String method, Map<String, List<String>> headers) {
        String length = headers.getOrDefault("content-length", List.of("")).get(0);
        String coding = headers.getOrDefault("transfer-encoding", List.of("")).get(0);
        if (!length.isEmpty() && !NUMBER.matcher(length).matches()) {
            throw new Refusal(400, "Content-Length is not a number");
        } else if (!coding.isEmpty() && !length.isEmpty()) {
            throw new Refusal(400, "the request has Content-Length and Transfer-Encoding");
        } else if (!coding.isEmpty() && !coding.equalsIgnoreCase("chunked")) {
            throw new Refusal(400, "Transfer-Encoding must be chunked");
        } else if (headers.containsKey("content-encoding")) {
            throw new Refusal(415, "the body must not be compressed: the daemon supports no Content-Encoding");
        }
        boolean isPost = method.equals("POST");
        boolean empty = coding.isEmpty() && (length.isEmpty() || Long.parseLong(length) == 0);
        if (!isPost && !empty) {
            throw new Refusal(400, "only POST requests have a body");
        } else if (isPost && coding.isEmpty() && length.isEmpty()) {
            throw new Refusal(411, "the request has no Content-Length");
        } else if (!length.isEmpty() && Long.parseLong(length) > HttpServer.LONGEST_BODY) {
            throw tooLong();
        }
        String expect = headers.getOrDefault("expect", List.of("100-continue")).get(0);
        if (!expect.equalsIgnoreCase("100-continue")) {
            throw new Refusal(417, "of the header Expect, the daemon supports only 100-continue");
        }
    }

    static Refusal tooLong() {
        return new Refusal(413, "the body is longer than " + HttpServer.LONGEST_BODY + " bytes");
    }

    static boolean wantsContinue(Ask ask) {
        return ask.headers().containsKey(HttpHeaderNames.EXPECT.toString());
    }

    private static Map<String, List<String>> params(String target, String path) {
        if (target.length() == path.length()) {
            return Map.of();
        }
        try {
            String query = target.substring(path.length() + 1);
            if (query.chars().filter(c -> c == '&').count() >= MOST_PARAMS) {
                throw new Refusal(400, "the query has more than " + MOST_PARAMS + " parameters");
            }
            return new QueryStringDecoder(query, StandardCharsets.UTF_8, false, MOST_PARAMS, true).parameters();
        } catch (IllegalArgumentException e) {
            throw new Refusal(400, "the query has an escape that is not of the form %41");
        }
    }
}
