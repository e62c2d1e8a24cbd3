package io.muster.daemon.etcd;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A network between a daemon and one member of etcd, which a test can cut. The proxy can also forward requests and hold back the answers,
 * or hold back requests and deliver them later, even if their sender has given up in the meantime.
 */
public final class Proxy implements Closeable {
    private static final String LOGIN = "POST /v3/auth/authenticate ";

    private final URI target;
    private final ServerSocket listener;
    private final List<Socket> open = new ArrayList<>();
    private boolean cut;
    private boolean keepsAnswers;
    private boolean keepsRequests;
    private boolean closed;
    private volatile long delayNanos;
    private volatile long loginNanos;
    private final AtomicInteger logins = new AtomicInteger();

    public Proxy(URI target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("accept", this::accept);
    }

    public URI uri() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, "proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                if (isCut()) {
                    client.close();
                    continue;
                }
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target.getPort());
                synchronized (this) {
                    if (cut) { // the proxy was cut after isCut()
                        client.close();
                        server.close();
                        continue;
                    }
                    open.add(client);
                    open.add(server);
                }
                start("requests", () -> pump(client, server, true));
                start("answers", () -> pump(server, client, false));
            } catch (IOException e) {
                // the member is not running, or the proxy is closed
            }
        }
    }

    private void pump(Socket from, Socket to, boolean requests) {
        byte[] bytes = new byte[1 << 16];
        try (from) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                pass(requests);
                long start = System.nanoTime();
                if (requests && new String(bytes, 0, length, StandardCharsets.ISO_8859_1).contains(LOGIN)) {
                    logins.incrementAndGet();
                    await(start + loginNanos);
                }
                await(start + delayNanos);
                out.write(bytes, 0, length);
            }
        } catch (IOException e) {
            // the other side has closed the connection
        }
        close(to, requests);
    }

    /** Closes the other side; the side of a server stays open while requests for it are held back. */
    private synchronized void close(Socket to, boolean requests) {
        try {
            if (!requests || !keepsRequests) {
                to.close();
            }
        } catch (IOException e) {
            // the socket is closed in either case
        }
    }

    private synchronized void pass(boolean requests) throws IOException {
        try {
            while (!closed && (requests ? keepsRequests : keepsAnswers)) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static void await(long until) {
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private synchronized boolean isCut() {
        return cut;
    }

    /** Closes all connections and refuses new ones. */
    public synchronized void cut() throws IOException {
        cut = true;
        for (Socket socket : open) {
            socket.close();
        }
        open.clear();
    }

    public synchronized void mend() {
        cut = false;
        keepsAnswers = false;
        keepsRequests = false;
        notifyAll();
    }

    /** Delays each request and each answer. */
    public void delay(Duration by) {
        delayNanos = by.toNanos();
    }

    /** Delays each login, as a slow hash of the password does. */
    public void delayLogins(Duration by) {
        loginNanos = by.toNanos();
    }

    /** Returns the number of logins that were sent. */
    public int logins() {
        return logins.get();
    }

    /** Forwards requests and holds back the answers, until {@link #mend}. */
    public synchronized void keepAnswers() {
        keepsAnswers = true;
    }

    /** Holds back requests until {@link #mend}. */
    public synchronized void keepRequests() {
        keepsRequests = true;
    }

    @Override
    public void close() throws IOException {
        cut();
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        listener.close();
    }
}
