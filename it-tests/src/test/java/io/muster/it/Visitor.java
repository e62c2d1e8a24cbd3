package io.muster.it;

import io.muster.it.harness.Tool;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A process of another user that connects and sends one request. Its program is Perl, which every Debian has, because another user may be
 * unable to read our JDK and jars.
 *
 * @param welcome the byte of the handshake
 * @param answer the bytes that followed
 */
record Visitor(int welcome, ByteBuffer answer) {
    private static final String PROGRAM = """
            $SIG{PIPE} = 'IGNORE';
            socket(S, AF_UNIX, SOCK_STREAM, 0) or die $!;
            connect(S, sockaddr_un($ARGV[0])) or die $!;
            sysread(S, $welcome, 1);
            syswrite(S, pack('H*', $ARGV[1]));
            sysread(S, $answer, 65536) if $welcome eq "\\0";
            print unpack('H*', $welcome . $answer);
            """;

    /** Sends a request as the user {@code nobody}, or as this user if it may not become another. */
    static Visitor ask(Path socket, String topic, @Nullable String json) throws IOException {
        Request request = Request.of(topic, json == null ? null : Bytes.text(json), 0, 1);
        byte[] frame =
                Bytes.copyOf(FrameEncoder.of(Dialect.DEPLOYED).encode(request)).toByteArray();
        List<String> command = new ArrayList<>();
        if (Tool.isRoot()) {
            command.addAll(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        }
        command.addAll(List.of(
                "perl",
                "-MSocket",
                "-e",
                PROGRAM,
                socket.toString(),
                HexFormat.of().formatHex(frame)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        if (!said.matches("([0-9a-f]{2})+")) {
            throw new IOException("the visitor said: " + said);
        }
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(said));
        return new Visitor(bytes.get(), bytes);
    }

    Response response() throws IOException {
        return (Response) Objects.requireNonNull(new FrameDecoder(1 << 20).feed(answer), "a whole response");
    }
}
