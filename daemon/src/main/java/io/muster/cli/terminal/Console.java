package io.muster.cli.terminal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.hostlist.Listing;
import io.muster.inventory.problem.Text;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The input and output of a verb. Output is UTF-8 in every locale, because names of hosts and reasons must not be changed.
 * If the reader closes the pipe, the process ends at once and silently, as with SIGPIPE.
 */
public final class Console {
    /** The text of the error EPIPE by strerror(3). The JDK gives no error number. */
    private static final String BROKEN_PIPE = "Broken pipe";

    private final InputStream in;
    private final OutputStream out;
    private final OutputStream err;
    private final Map<String, String> environment;
    private final Terminal terminal;
    private final InstantSource clock;
    private final Zone zone = new Zone(this, null);
    private List<String> arguments = List.of();
    private boolean lost;
    private boolean isOfProcess;

    public Console(
            InputStream in,
            OutputStream out,
            OutputStream err,
            Map<String, String> environment,
            Terminal terminal,
            InstantSource clock) {
        this.in = in;
        this.out = out;
        this.err = err;
        this.environment = environment;
        this.terminal = terminal;
        this.clock = clock;
    }

    public static Console ofProcess() {
        Map<String, String> environment = System.getenv();
        Console console = new Console(
                // Buffered, because an unbuffered stream asks for its position at the end of a pipe, and JDK 17 fails
                // then.
                new BufferedInputStream(new FileInputStream(FileDescriptor.in)),
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16),
                new FileOutputStream(FileDescriptor.err),
                environment,
                Terminal.ofProcess(environment),
                InstantSource.system());
        console.isOfProcess = true;
        return console;
    }

    /** Ends the process when the reader of the output has gone, for a verb that may wait long before it writes again. */
    public void endWithReader() {
        if (isOfProcess) {
            OutputReader.endWith();
        }
    }

    /** Remembers the arguments of the command. */
    public void began(String... words) {
        arguments = List.of(words);
    }

    /** Returns the command as a line to copy into a shell. */
    public String line() {
        StringBuilder line = new StringBuilder("muster");
        for (String word : arguments) {
            boolean plain = word.matches("[\\w@%+=:,./-]+");
            line.append(' ').append(plain ? word : "'" + word.replace("'", "'\\''") + "'");
        }
        return line.toString();
    }

    public InputStream in() {
        return in;
    }

    /** Returns standard output for bytes that are not text. */
    public OutputStream out() {
        return out;
    }

    public Map<String, String> environment() {
        return environment;
    }

    public Terminal terminal() {
        return terminal;
    }

    public Style style() {
        return terminal.style();
    }

    /** Returns the zone of the user's times, unless an option names another. */
    public Zone zone() {
        return zone;
    }

    /** Returns the time in seconds since the epoch. */
    public double now() {
        return Math.max(Epoch.FIRST, clock.millis() / 1e3);
    }

    public InstantSource clock() {
        return clock;
    }

    /**
     * Prints text for people, of any number of lines. Characters other than colours that a terminal would obey are replaced,
     * because they can only come from data.
     */
    public void print(String text) {
        write(Printable.lines(text, style().color()).getBytes(StandardCharsets.UTF_8));
    }

    public void println(String line) {
        print(line);
        print("\n");
    }

    /** Returns a line with a list of hosts, which is cut if the line would be longer than the terminal is wide. */
    public String cutHosts(String label, String hosts) {
        int room = style().width() - Printable.width(label);
        return label + (style().width() == 0 ? hosts : Listing.HOSTS.cut(hosts, room));
    }

    /** Prints a JSON document as one line. Callers put the schema's version first. */
    public void json(ObjectNode document) {
        Bytes encoded = Json.encode(document);
        json(encoded.first(encoded.length() - 1).text());
    }

    /**
     * Prints a line of JSON. Characters that a terminal would obey are escaped as in JSON, which does not change the meaning
     * for a program.
     */
    public void json(String line) {
        write((Text.escaped(line) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a writer for JSON that is written piece by piece, and escaped like a line of JSON. */
    public Writer jsonWriter() {
        OutputStream bytes = new OutputStream() {
            @Override
            public void write(int b) {
                Console.this.write(new byte[] {(byte) b});
            }

            @Override
            public void write(byte[] chunk, int offset, int length) {
                Console.this.write(Arrays.copyOfRange(chunk, offset, offset + length));
            }
        };
        return new FilterWriter(new OutputStreamWriter(bytes, StandardCharsets.UTF_8)) {
            @Override
            public void write(int c) throws IOException {
                write(new char[] {(char) c}, 0, 1);
            }

            @Override
            public void write(char[] text, int offset, int length) throws IOException {
                write(new String(text, offset, length), 0, length);
            }

            /** A surrogate pair may be split between two calls; the encoder joins it. */
            @Override
            public void write(String text, int offset, int length) throws IOException {
                for (int i = offset; i < offset + length; i++) {
                    char c = text.charAt(i);
                    out.write(Character.isSurrogate(c) ? String.valueOf(c) : Text.escaped(String.valueOf(c)));
                }
            }
        };
    }

    private void write(byte[] bytes) {
        if (lost) {
            return;
        }
        try {
            out.write(bytes);
        } catch (IOException e) {
            throw lost(e);
        }
    }

    /** Flushes the output, for readers that wait for single lines. The end of the process flushes too. */
    public void flush() {
        if (lost) {
            return;
        }
        try {
            out.flush();
        } catch (IOException e) {
            throw lost(e);
        }
    }

    /**
     * Returns the exception for failed output. A reader that closed the pipe is no failure; a full disk is one. Nothing is
     * written afterwards.
     */
    private RuntimeException lost(IOException e) {
        lost = true;
        return BROKEN_PIPE.equals(e.getMessage())
                ? new ClosedPipeException(e)
                : new Failure(Exit.ERROR, "standard output: " + e.getMessage());
    }

    /** Prints a line for the user on standard error, after all output so far. */
    public void complain(String line) {
        complainRaw(Printable.of(line) + "\n");
    }

    /** Prints lines on standard error, each of which has a newline already. */
    public void complainLines(String text) {
        complainRaw(Printable.lines(text, style().color()));
    }

    /** Asks on standard error whether to continue after this sentence, and fails unless the user agrees. */
    public void confirm(String sentence) throws IOException {
        String answer = ask(sentence + " Continue? [y/N]");
        if (!answer.equalsIgnoreCase("y") && !answer.equalsIgnoreCase("yes")) {
            throw new Failure(Exit.ERROR, "not confirmed", "nothing was changed");
        }
    }

    /** Asks a question on standard error and returns the line that the user types; "" at the end of the input. */
    public String ask(String question) throws IOException {
        complainRaw(Printable.of(question) + " ");
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            line.write(b);
        }
        return line.toString(StandardCharsets.UTF_8).strip();
    }

    /**
     * Draws a line of standard error anew, to show progress. An empty text clears the line. The terminal cuts a long line, because the
     * next call could not clear a second one.
     */
    public void redraw(String line) {
        complainRaw("\r\033[?7l" + Printable.of(line) + "\033[K\033[?7h");
    }

    private void complainRaw(String text) {
        flush();
        try {
            err.write(text.getBytes(StandardCharsets.UTF_8));
            err.flush();
        } catch (IOException e) {
            throw new ClosedPipeException(e);
        }
    }
}
