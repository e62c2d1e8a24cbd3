package io.muster.daemon.etcd;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one member of etcd, over which one thread at a time sends requests in JSON. It implements the part of
 * HTTP/1.1 that etcd's gateway uses. Each request has a deadline, by which the whole answer must have arrived.
 */
final class EtcdConnection implements Closeable {
    /** The longest line of a head, and the longest answer, that are accepted. */
    private static final int LONGEST_LINE = 64 << 10;

    private static final int LONGEST_ANSWER = 512 << 20;

    /** A request that is longer than this may fill the send buffer, so that writing it waits for the peer. */
    private static final int SHORT = 8 << 10;

    private static final ScheduledThreadPoolExecutor DEADLINES = deadlines();

    private final Socket socket;
    /** The connection below TLS: it can be closed while another thread writes. */
    private final Socket plain;

    private final InputStream in;
    private final String host;
    private long deadline;

    /** An answer of any status. */
    static final class Response {
        private final int status;
        private final byte[] body;

        Response(int status, byte[] body) {
            this.status = status;
            this.body = body;
        }

        int status() {
            return status;
        }

        byte[] body() {
            return body;
        }
    }

    /** @param tls null for an endpoint without TLS */
    EtcdConnection(URI endpoint, @Nullable SSLSocketFactory tls, int connectMillis) throws IOException {
        host = endpoint.getRawAuthority();
        plain = new Socket();
        Socket opened = plain;
        boolean connected = false;
        try {
            plain.setTcpNoDelay(true);
            plain.setSoTimeout(connectMillis);
            plain.connect(new InetSocketAddress(bare(endpoint.getHost()), endpoint.getPort()), connectMillis);
            if (tls != null) {
                opened = encrypted(plain, endpoint, tls);
            }
            in = new BufferedInputStream(opened.getInputStream(), 1 << 16);
            connected = true;
        } finally {
            if (!connected) {
                plain.close();
            }
        }
        socket = opened;
    }

    private static String bare(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private static Socket encrypted(Socket plain, URI endpoint, SSLSocketFactory tls) throws IOException {
        SSLSocket socket = (SSLSocket) tls.createSocket(plain, bare(endpoint.getHost()), endpoint.getPort(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /** @param token the token of the user; "" for none */
    Response post(String path, String token, byte[] body, int timeoutMillis) throws IOException {
        deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        String authorization = token.isEmpty() ? "" : "Authorization: " + token + "\r\n";
        byte[] head = ("POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\n"
                        + authorization + "Content-Length: " + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        byte[] all = new byte[head.length + body.length];
        System.arraycopy(head, 0, all, 0, head.length);
        System.arraycopy(body, 0, all, head.length, body.length);
        write(all, timeoutMillis);
        String status = line();
        if (!status.matches("HTTP/1\\.[01] \\d{3}.*")) {
            throw new IOException("no answer in HTTP/1.1: is this etcd's client URL?");
        }
        int code = Integer.parseInt(status.substring(9, 12));
        int length = -1;
        for (String line = line(); !line.isEmpty(); line = line()) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = number(line.substring("content-length:".length()).strip(), 10);
            }
        }
        return new Response(code, length >= 0 ? exactly(length) : chunks());
    }

    /** Writes a request. A peer that does not read it loses the connection at the deadline, which ends the write. */
    private void write(byte[] request, int timeoutMillis) throws IOException {
        if (request.length <= SHORT) {
            socket.getOutputStream().write(request);
            return;
        }
        Future<?> end = DEADLINES.schedule(
                () -> {
                    plain.close();
                    return null;
                },
                timeoutMillis,
                TimeUnit.MILLISECONDS);
        try {
            socket.getOutputStream().write(request);
        } finally {
            end.cancel(false);
        }
    }

    private static ScheduledThreadPoolExecutor deadlines() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "deadlines");
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }

    private static int number(String digits, int radix) throws IOException {
        try {
            int value = Integer.parseInt(digits, radix);
            if (value >= 0 && value <= LONGEST_ANSWER) {
                return value;
            }
        } catch (NumberFormatException e) {
            // refused below
        }
        throw new IOException("a wrong length in the answer: " + digits);
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (true) {
            int length = number(line(), 16);
            if (length == 0) {
                while (!line().isEmpty()) {
                    // trailers, which the gateway sends after an error
                }
                return all.toByteArray();
            }
            all.write(exactly(length));
            if (all.size() > LONGEST_ANSWER) {
                throw new IOException("the answer is too long");
            }
            line();
        }
    }

    private byte[] exactly(int length) throws IOException {
        byte[] bytes = new byte[length];
        int at = 0;
        while (at < length) {
            arm();
            int read = in.read(bytes, at, length - at);
            if (read < 0) {
                throw new EOFException("the connection ended within the answer");
            }
            at += read;
        }
        return bytes;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        arm();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0 || line.length() > LONGEST_LINE) {
                throw new EOFException("the connection ended before the answer");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** Limits the next read by the deadline. */
    private void arm() throws IOException {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
            throw new IOException("no answer in time");
        }
        socket.setSoTimeout((int) Math.min(Integer.MAX_VALUE, left));
    }

    /** Closes the connection below TLS: to close TLS would write to a member that may not read, and wait for its last word. */
    @Override
    public void close() {
        try {
            plain.close();
        } catch (IOException e) {
            // the connection is gone in either case
        }
    }
}
