package io.muster.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;

/** A request whose frame is 200 bytes, and an update that goes to many schedulers. */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class WireBenchmark extends ClusterBenchmark {
    private static final String PAYLOAD =
            "{\"targets\":\"0-3,17,1024-2047\",\"reason\":\"fan 3 failed, ticket 4711; back after the maintenance"
                    + " of the cooling loop in row B, third floor\",\"mode\":\"update\"}";

    @Param
    public Dialect dialect = Dialect.DEPLOYED;

    private final Bytes payload = Bytes.text(PAYLOAD);
    private final Request request = Request.of("resource.drain", payload, 0, 12345);
    private final Response update = Response.streamed(
            Request.of("resource.acquire", null, Header.STREAMING, 1),
            new Credentials(0, Credentials.OWNER | Credentials.LOCAL),
            Bytes.wrap(new byte[100_000]));
    private final ObjectNode object = object();
    private final FrameDecoder decoder = new FrameDecoder(1 << 20);
    private final ByteBuffer out = ByteBuffer.allocate(1 << 20);
    private @Nullable ByteBuffer frame;

    private static ObjectNode object() {
        try {
            return Json.parse(Bytes.text(PAYLOAD));
        } catch (ProtocolException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The frame, built on first use because it depends on the dialect. */
    private ByteBuffer frame() {
        ByteBuffer made = frame;
        if (made == null) {
            made = FrameEncoder.of(dialect).encode(request);
            frame = made;
        }
        return made.rewind();
    }

    /** The floor: the cost of copying the frame. */
    @Benchmark
    public ByteBuffer copy() {
        return out.clear().put(frame());
    }

    @Benchmark
    public @Nullable Message decode() throws ProtocolException {
        return decoder.feed(frame());
    }

    @Benchmark
    public ByteBuffer encode() {
        FrameEncoder.of(dialect).encode(request, out.clear());
        return out;
    }

    @Benchmark
    public ByteBuffer encodeToNewBuffer() {
        return FrameEncoder.of(dialect).encode(request);
    }

    /** The cost of each further scheduler when all are sent the same 100 kB. */
    @Benchmark
    public ByteBuffer encodeAroundSharedPayload() {
        FrameEncoder encoder = FrameEncoder.of(dialect);
        encoder.writeHead(update, out.clear());
        encoder.writeTail(update, out);
        return out;
    }

    @Benchmark
    public ObjectNode parseJson() throws ProtocolException {
        return Json.parse(payload);
    }

    @Benchmark
    public Bytes encodeJson() {
        return Json.encode(object);
    }
}
