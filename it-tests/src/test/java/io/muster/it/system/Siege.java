package io.muster.it.system;

import io.muster.it.cast.RecordingAdmin;
import io.muster.it.harness.Peer;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.wire.Header;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Repeats one attack on a daemon; the program runs several of them at once until its standard input ends. */
final class Siege extends Thread {
    /** The number of hosts of the daemon. */
    static final int HOSTS = 16_384;

    private static final int IN_FLIGHT = 20_000;
    private static final int DEPLOYED_MAGIC = 0x1200eeff;
    private static final int LARGEST = 1 << 20;
    private static final ByteBuffer STATUS = frame("resource.status", "", 0);
    private static final List<String> NONSENSE = List.of(
            "",
            "{}",
            "[]",
            "{'targets': 5, 'jobspec': [], 'R': 'x', 'up': -1, 'properties': [1], 'name': {}}",
            "{'targets': 'x[0-1048575]', 'reason': '\\u0000\\u001b\\u202e'}",
            "{'targets': '0-999999999999', 'up': 1e308, 'expiration': -1e308, 'matchtag': 1.5}",
            "{'properties': {'\\u0000': '0', '\\u009b': '1'}, 'idset': '1-0', 'ranks': '--'}");

    /** Ways to attack. */
    enum Attack {
        /** Sends all requests before it reads an answer, as does a libflux client that calls flux_rpc in a loop. */
        PIPELINE,
        /** Sends, on two hundred connections, the queries that take longest to answer. */
        ASK,
        /** Sends queries until the daemon's socket accepts no more; half of the connections read an answer now and then, half read none. */
        DEAF,
        /** Announces a megabyte and sends half of it. */
        HALF,
        /** Takes all connections of the HTTP endpoint and does not finish its requests. */
        SEATS,
        /** Asks whether a job could run on eighteen million hosts that are not there. */
        HOSTLISTS,
        /** Sends every topic with payloads that do not belong to it, and with wrong bytes. */
        NONSENSE,
        /** Connects and closes the connection. */
        CHURN,
        /** Needs an admin's rights: sends twenty thousand drains and undrains before it reads an answer. */
        CHANGES,
        /** Needs a scheduler's rights: acquires on three hundred connections and does not read. */
        ACQUIRE,
        /** Needs the right to follow: sends requests of a megabyte, and many small ones, that wait for hosts that are not there. */
        WAIT,
        /** Needs the right to hold: drains one host again and again, with another reason of 16 KB each time. */
        REASONS,
        /** Needs a token with the right to follow: opens two thousand readers of events and reads nothing. */
        READERS;
    }

    private final Attack attack;
    private final Path socket;
    private final URI http;
    private final String token;
    private final Random random = new Random(1);
    private final List<Peer> peers = new ArrayList<>();

    private Siege(Attack attack, Path socket, URI http, String token) {
        super(attack.name());
        setDaemon(true);
        this.attack = attack;
        this.socket = socket;
        this.http = http;
        this.token = token;
    }

    /** @param args the socket, the URI of an HTTP endpoint, a token for it, the names of attacks */
    public static void main(String[] args) throws IOException {
        for (String name : List.of(args).subList(3, args.length)) {
            new Siege(Attack.valueOf(name), Path.of(args[0]), URI.create(args[1]), args[2]).start();
        }
        System.in.readAllBytes();
    }

    /** Starts again when the attack is done, or when the daemon has closed one of its connections. */
    @Override
    public void run() {
        while (true) {
            try {
                for (Peer peer : peers) {
                    peer.close();
                }
                peers.clear();
                once();
            } catch (IOException closed) {
                pause(10);
            }
        }
    }

    private static void pause(long milliseconds) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(milliseconds));
    }

    private static ByteBuffer frame(String topic, String json, int flags) {
        return Peer.frame(Peer.request(topic, json.replace('\'', '"'), flags, 1));
    }

    private Peer connect() throws IOException {
        Peer peer = Peer.welcomed(socket);
        peers.add(peer);
        return peer;
    }

    private static void receive(Peer peer) throws IOException {
        if (peer.receive() == null) {
            throw new IOException("closed");
        }
    }

    private void once() throws IOException {
        switch (attack) {
            case PIPELINE -> pipeline();
            case ASK -> ask();
            case DEAF -> hardlyRead();
            case HALF -> sendHalf();
            case SEATS -> takeSeats();
            case HOSTLISTS -> checkHostlists();
            case NONSENSE -> talkNonsense();
            case CHURN -> comeAndGo();
            case CHANGES -> change();
            case ACQUIRE -> acquire();
            case WAIT -> waitForHosts();
            case REASONS -> giveReasons();
            case READERS -> readEvents();
        }
    }

    private void pipeline() throws IOException {
        pipeline(STATUS, STATUS);
    }

    private void pipeline(ByteBuffer even, ByteBuffer odd) throws IOException {
        Peer peer = connect();
        for (int i = 0; i < IN_FLIGHT; i++) {
            peer.send((i % 2 == 0 ? even : odd).duplicate());
        }
        for (int i = 0; i < IN_FLIGHT; i++) {
            receive(peer);
        }
    }

    private void ask() throws IOException {
        List<String> topics = List.of("resource.state", "resource.status", "resource.get", "resource.sched-status");
        for (int i = 0; i < 200; i++) {
            connect();
        }
        for (int round = 0; round < 100; round++) {
            ByteBuffer question = frame(topics.get(round % topics.size()), "", 0);
            for (Peer peer : peers) {
                peer.send(question.duplicate());
            }
            for (Peer peer : peers) {
                receive(peer);
            }
        }
    }

    private void hardlyRead() throws IOException {
        for (int i = 0; i < 50; i++) {
            Peer peer = connect();
            int asked = 0;
            while (asked < IN_FLIGHT && peer.fits(STATUS.duplicate())) {
                asked++;
            }
        }
        for (int i = 0; i < 50; i++) {
            pause(100);
            for (Peer peer : peers.subList(0, 25)) {
                receive(peer);
            }
        }
    }

    private void sendHalf() throws IOException {
        ByteBuffer half = ByteBuffer.allocate(LARGEST / 2)
                .putInt(DEPLOYED_MAGIC)
                .putInt(LARGEST)
                .clear();
        for (int i = 0; i < 200; i++) {
            connect().fits(half.duplicate());
        }
        pause(5000);
    }

    private void takeSeats() throws IOException {
        holdOpen(100, "GET /healthz HTTP/1.1\r\nHost: ", 2000);
    }

    /** Sends the same on many connections to the HTTP endpoint, and keeps them open for a while. */
    private void holdOpen(int count, String request, long milliseconds) throws IOException {
        List<Socket> connections = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                Socket connection = new Socket();
                connections.add(connection);
                connection.connect(new InetSocketAddress(http.getHost(), http.getPort()), 1000);
                connection.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            }
            pause(milliseconds);
        } finally {
            for (Socket connection : connections) {
                connection.close();
            }
        }
    }

    private void checkHostlists() throws IOException {
        String hosts =
                IntStream.range(0, 17).mapToObj(i -> "'x" + i + "[0-1048575]'").collect(Collectors.joining(","));
        ByteBuffer question = frame(
                "feasibility.check",
                "{'jobspec':{'version':1,'resources':[{'type':'slot','count':1,'label':'s','with':"
                        + "[{'type':'core','count':1}]}],'tasks':[{'command':['true'],'slot':'s','count':{'per_slot':1}}],"
                        + "'attributes':{'system':{'duration':60,'constraints':{'hostlist':[" + hosts + "]}}}}}",
                0);
        Peer peer = connect();
        for (int i = 0; i < 100; i++) {
            peer.send(question.duplicate());
            receive(peer);
        }
    }

    /** The bytes may be the beginning of a frame, so the daemon may close the connection only at the end of the peer's output. */
    private void talkNonsense() throws IOException {
        for (Operation<?, ?> method : Operations.all()) {
            String payload = NONSENSE.get(random.nextInt(NONSENSE.size()));
            ByteBuffer frame = frame(method.topic(), payload, random.nextBoolean() ? Header.STREAMING : 0);
            byte[] bytes = new byte[frame.remaining()];
            frame.get(bytes);
            for (int wrong = random.nextInt(3); wrong > 0; wrong--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
            }
            Peer peer = connect();
            peer.fits(ByteBuffer.wrap(bytes));
            peer.endSending();
            peer.isClosed();
        }
    }

    private void comeAndGo() throws IOException {
        for (int i = 0; i < 1000; i++) {
            try (Peer peer = Peer.connect(socket)) {
                if (i % 2 == 0) {
                    peer.welcome();
                }
            }
        }
    }

    /** Changes a rank that does not belong to the honest admin; only once a minute, because the daemon logs each change. */
    private void change() throws IOException {
        String target = "{'targets': '" + RecordingAdmin.RANKS + "'}";
        pipeline(frame("resource.drain", target, 0), frame("resource.undrain", target, 0));
        pause(60_000);
    }

    private void acquire() throws IOException {
        for (int i = 0; i < 300; i++) {
            connect().send(Peer.acquire(1));
        }
        pause(10_000);
    }

    private void waitForHosts() throws IOException {
        for (int i = 0; i < 10; i++) {
            connect();
        }
        for (int i = 0; i < 8192; i++) {
            String padding = "x".repeat(i < 128 ? 1_000_000 : 4_000);
            Peer peer = peers.get(i % peers.size());
            peer.send(frame("resource.monitor-waitup", "{'up': " + HOSTS + ", 'x': '" + padding + "'}", 0));
            if (i < 128) {
                receive(peer);
            }
        }
        pause(5_000);
    }

    private void giveReasons() throws IOException {
        Peer peer = connect();
        for (int i = 0; i < 6_000; i++) {
            String target =
                    "'targets': '" + (RecordingAdmin.RANKS + 1) + "', 'mode': 'force-overwrite', 'holder': 'health'";
            peer.send(frame("resource.drain", "{" + target + ", 'reason': '" + i + "x".repeat(16_000) + "'}", 0));
            receive(peer);
        }
    }

    private void readEvents() throws IOException {
        String head = "GET /v1/events?since=0 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ";
        holdOpen(2000, head + token + "\r\n\r\n", 5_000);
    }
}
