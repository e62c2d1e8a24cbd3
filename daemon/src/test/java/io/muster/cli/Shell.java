package io.muster.cli;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;

/** Runs the command in this process, as a user's shell would. */
public final class Shell {
    private final Map<String, String> environment = new HashMap<>(Map.of("LANG", "C.UTF-8", "TZ", "UTC"));
    private boolean terminal;
    private InputStream in = new ByteArrayInputStream(new byte[0]);

    /** The result of a command. */
    public record Result(int exit, String out, String err) {}

    public Shell with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    public Shell onTerminal(int columns) {
        terminal = true;
        return with("COLUMNS", Integer.toString(columns));
    }

    public Shell typing(String text) {
        in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    public Shell reading(InputStream from) {
        in = from;
        return this;
    }

    public Result run(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit = Muster.run(console(out, err), arguments);
        return new Result(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Runs a command whose output pipe is closed from the start. */
    int runIntoClosedPipe(String... arguments) {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        return Muster.run(console(closed, OutputStream.nullOutputStream()), arguments);
    }

    public Console console(OutputStream out, OutputStream err) {
        return new Console(
                in,
                out,
                err,
                environment,
                Terminal.of(environment, terminal, terminal, terminal),
                InstantSource.system());
    }
}
