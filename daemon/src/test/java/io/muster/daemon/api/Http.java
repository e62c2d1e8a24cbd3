package io.muster.daemon.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.protocol.wire.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/** A client of the API that sends the given bytes unchanged. */
record Http(Path socket) {
    /** A response. The names of headers are in lower case. */
    record Reply(int status, Map<String, String> headers, Bytes content) {
        byte[] body() {
            return content.toByteArray();
        }

        String text() {
            return new String(body(), StandardCharsets.UTF_8);
        }

        JsonNode json() throws IOException {
            return JsonMapper.builder().build().readTree(body());
        }

        /** Returns the sentence in the problem document. */
        String detail() throws IOException {
            return json().path("detail").asText();
        }

        String header(String name) {
            return headers.getOrDefault(name, "");
        }

        Reply unzipped() throws IOException {
            try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body()))) {
                return new Reply(status, headers, Bytes.wrap(in.readAllBytes()));
            }
        }
    }

    /** Returns a text escaped as the value of a parameter. */
    static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    SocketChannel connect() throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        return channel;
    }

    static void write(SocketChannel channel, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Sends a request unchanged, and reads until the daemon closes its side. */
    Reply raw(String request) throws IOException {
        try (SocketChannel channel = connect()) {
            write(channel, request);
            return parse(Channels.newInputStream(channel).readAllBytes());
        }
    }

    static Reply parse(byte[] all) {
        String text = new String(all, StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            return new Reply(0, Map.of(), Bytes.wrap(all));
        }
        String[] lines = text.substring(0, end).split("\r\n", -1);
        Map<String, String> headers = new TreeMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            headers.put(
                    lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                    lines[i].substring(colon + 1).strip());
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(all, end + 4, all.length - end - 4);
        return new Reply(Integer.parseInt(lines[0].split(" ", -1)[1]), headers, Bytes.wrap(body.toByteArray()));
    }

    /** @param headers further header lines, each with its line end */
    Reply send(String method, String target, String headers) throws IOException {
        return raw(method + " " + target + " HTTP/1.1\r\nHost: muster\r\n" + headers + "\r\n");
    }

    Reply get(String target) throws IOException {
        return send("GET", target, "");
    }

    Reply post(String target, String headers, String json) throws IOException {
        int length = json.getBytes(StandardCharsets.ISO_8859_1).length;
        return raw("POST " + target + " HTTP/1.1\r\nHost: muster\r\nContent-Type: application/json\r\nContent-Length: "
                + length + "\r\n" + headers + "\r\n" + json);
    }

    Reply post(String target, String json) throws IOException {
        return post(target, "", json);
    }
}
