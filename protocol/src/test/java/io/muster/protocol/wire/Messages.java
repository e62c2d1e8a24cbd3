package io.muster.protocol.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Generates random messages, pieces of their bytes, and damaged versions of their bytes. */
final class Messages {
    private static final int[] EDGES = {0, 1, 2, 253, 254, 255, 256, 4095, 4096, 4097};

    private final Random random;

    Messages(Random random) {
        this.random = random;
    }

    Message next() {
        Header header = new Header(random.nextInt(256) & ~Header.PARTS, credentials());
        return switch (random.nextInt(4)) {
            case 0 -> new Request(header, routes(), text(), payload(), random.nextInt(), random.nextInt());
            case 1 -> new Response(header, routes(), text(), payload(), random.nextInt(), random.nextInt());
            case 2 -> new EventMessage(header, text(), payload(), random.nextInt());
            default -> new Control(header, random.nextInt(), random.nextInt());
        };
    }

    List<Message> several() {
        List<Message> messages = new ArrayList<>();
        for (int i = random.nextInt(8); i >= 0; i--) {
            messages.add(next());
        }
        return messages;
    }

    Dialect dialect() {
        return random.nextBoolean() ? Dialect.DEPLOYED : Dialect.RFC3;
    }

    /** Returns a piece of the remaining bytes, of any size. */
    ByteBuffer cut(ByteBuffer rest) {
        int length = Math.min(rest.remaining(), random.nextBoolean() ? 1 + random.nextInt(9) : random.nextInt(3000));
        ByteBuffer piece = rest.slice(rest.position(), length);
        rest.position(rest.position() + length);
        return random.nextBoolean() ? piece : direct(piece);
    }

    /** Changes, adds, removes or repeats some bytes. */
    byte[] spoil(byte[] frame) {
        List<Byte> bytes = new ArrayList<>();
        for (byte b : frame) {
            bytes.add(b);
        }
        for (int i = random.nextInt(4); i >= 0; i--) {
            spoilOnce(bytes);
        }
        byte[] spoilt = new byte[bytes.size()];
        for (int i = 0; i < spoilt.length; i++) {
            spoilt[i] = bytes.get(i);
        }
        return spoilt;
    }

    private void spoilOnce(List<Byte> bytes) {
        int at = random.nextInt(bytes.size());
        int near = Math.min(at, random.nextInt(64)); // most of the structure is at the front
        switch (random.nextInt(5)) {
            case 0 -> bytes.set(near, (byte) random.nextInt());
            case 1 -> bytes.set(at, (byte) random.nextInt());
            case 2 -> bytes.set(near, (byte) (random.nextBoolean() ? 0xff : 0));
            case 3 -> bytes.add(near, (byte) random.nextInt());
            default -> {
                if (bytes.size() > 1) {
                    bytes.remove(at);
                }
            }
        }
    }

    private Credentials credentials() {
        return random.nextInt(3) == 0
                ? Credentials.UNSET
                : new Credentials(random.nextInt(), random.nextBoolean() ? random.nextInt(16) : random.nextInt());
    }

    private List<String> routes() {
        List<String> routes = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            routes.add("r" + text());
        }
        return routes;
    }

    private String text() {
        int length = random.nextInt(10) == 0 ? 250 + random.nextInt(10) : random.nextInt(20);
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.appendCodePoint(random.nextInt(8) == 0 ? 0xa0 + random.nextInt(0xd700) : 1 + random.nextInt(126));
        }
        return text.toString();
    }

    private @Nullable Bytes payload() {
        if (random.nextInt(4) == 0) {
            return null;
        }
        byte[] bytes = new byte[random.nextBoolean() ? random.nextInt(600) : EDGES[random.nextInt(EDGES.length)]];
        random.nextBytes(bytes);
        return Bytes.wrap(bytes);
    }

    private static ByteBuffer direct(ByteBuffer bytes) {
        return ByteBuffer.allocateDirect(bytes.remaining()).put(bytes).flip();
    }
}
