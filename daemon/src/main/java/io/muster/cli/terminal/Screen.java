package io.muster.cli.terminal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * The whole terminal, for a verb that draws it again and again and reads single keys. The terminal is restored when the
 * process ends for any reason except SIGKILL. Lines are made printable, so that no text from data can control the terminal.
 */
public final class Screen implements AutoCloseable {
    /** The second screen, without a cursor, on which long lines are not wrapped. */
    private static final String ENTER = "\033[?1049h\033[?25l\033[?7l";

    private static final String LEAVE = "\033[?7h\033[?25h\033[?1049l";
    private static final String INVERSE = "\033[7m";
    private static final String OFF = "\033[0m";
    private static final Pattern COLOUR = Pattern.compile("\033\\[[0-9;]*m");
    private static final int NONE = -1;
    private static final int CTRL_B = 2;
    private static final int CTRL_F = 6;
    private static final int USUAL_ROWS = 24;
    private static final int USUAL_COLUMNS = 80;

    private final Console console;
    private final String settings;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Thread whenKilled = new Thread(this::restore, "screen");
    private int rows = USUAL_ROWS;
    private int columns = USUAL_COLUMNS;
    private long measured;
    /** A key that was read together with the Escape before it. */
    private int early = NONE;

    private Screen(Console console, String settings) {
        this.console = console;
        this.settings = settings;
    }

    /** Takes control of the terminal; fails if input or output is not a terminal. */
    public static Screen open(Console console) throws IOException {
        if (!console.terminal().isInput() || !console.terminal().isOutput()) {
            throw new Failure(Exit.USAGE, "this verb needs a terminal", "`muster status` prints the same once");
        }
        Screen screen = new Screen(console, stty("-g"));
        Runtime.getRuntime().addShutdownHook(screen.whenKilled);
        stty("-icanon", "-echo", "min", "0", "time", "0", "susp", "undef");
        screen.write(ENTER);
        return screen;
    }

    private static String stty(String... words) throws IOException {
        String[] command = new String[words.length + 1];
        command[0] = "stty";
        System.arraycopy(words, 0, command, 1, words.length);
        Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    public int rows() throws IOException {
        measure();
        return rows;
    }

    public int columns() throws IOException {
        measure();
        return columns;
    }

    /** Asks for the size at most once a second, because each answer needs a process. */
    private void measure() throws IOException {
        long now = System.nanoTime();
        if (measured != 0 && now - measured < TimeUnit.SECONDS.toNanos(1)) {
            return;
        }
        measured = now;
        String[] size = stty("size").split(" ", -1);
        if (size.length == 2 && size[0].matches("\\d{1,5}") && size[1].matches("\\d{1,5}")) {
            rows = Math.max(1, Integer.parseInt(size[0]));
            columns = Math.max(1, Integer.parseInt(size[1]));
        }
    }

    /**
     * Draws lines from the top, as many as there is room for.
     *
     * @param marked the number of the line that is shown inverse; -1 for none
     */
    public void draw(List<String> lines, int marked) throws IOException {
        StringBuilder out = new StringBuilder("\033[H");
        int most = Math.min(rows(), lines.size());
        for (int i = 0; i < most; i++) {
            String bare = COLOUR.matcher(lines.get(i)).replaceAll("");
            boolean plain = i == marked || Printable.width(bare) > columns;
            String line = Printable.lines(
                    plain ? Printable.cut(bare, columns) : lines.get(i),
                    console.style().color());
            out.append(i == 0 ? "" : "\r\n");
            // Erased before it is written: after a line as wide as the terminal, the cursor is still on its last
            // character.
            out.append(i == most - 1 ? "\033[J" : "\033[K").append(i == marked ? INVERSE + line + OFF : line);
        }
        write(out.toString());
    }

    private void write(String text) throws IOException {
        console.out().write(text.getBytes(StandardCharsets.UTF_8));
        console.out().flush();
    }

    /** Returns the keys that were pressed since the last call, such as {@code q}, {@code /} or {@code up}; "" for none. */
    public String key() throws IOException {
        int first = early;
        early = NONE;
        if (first == NONE) {
            first = console.in().available() == 0 ? NONE : console.in().read();
        }
        if (first == NONE) {
            return "";
        }
        if (first == '\033' && console.in().available() > 0) {
            int second = console.in().read();
            if (second != '[' && second != 'O') { // two keys, one soon after the other
                early = second;
                return "escape";
            }
            return named(sequence());
        }
        return switch (first) {
            case '\033' -> "escape";
            case '\r', '\n' -> "enter";
            case '\b', 0x7f -> "back";
            case CTRL_B -> "page up";
            case CTRL_F -> "page down";
            default -> first < ' ' ? "other" : character(first);
        };
    }

    /** Reads the rest of a sequence that a key sends: parameters, and the character that ends it. */
    private String sequence() throws IOException {
        StringBuilder all = new StringBuilder();
        do {
            all.append((char) console.in().read());
        } while (all.charAt(all.length() - 1) < '@' && console.in().available() > 0);
        return all.toString();
    }

    private static String named(String sequence) {
        return switch (sequence) {
            case "A" -> "up";
            case "B" -> "down";
            case "5~" -> "page up";
            case "6~" -> "page down";
            case "H", "1~", "7~" -> "home";
            case "F", "4~", "8~" -> "end";
            default -> "other";
        };
    }

    /** Reads the rest of a character in UTF-8. */
    private String character(int first) throws IOException {
        int more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        byte[] bytes = new byte[1 + more];
        bytes[0] = (byte) first;
        int length = 1;
        while (length < bytes.length && console.in().available() > 0) {
            bytes[length++] = (byte) console.in().read();
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private void restore() {
        if (closed.compareAndSet(false, true)) {
            try {
                write(LEAVE);
                stty(settings);
            } catch (IOException gone) {
                // The terminal does not exist any more.
            }
        }
    }

    @Override
    public void close() {
        restore();
        try {
            Runtime.getRuntime().removeShutdownHook(whenKilled);
        } catch (IllegalStateException ending) {
            // The hook runs already.
        }
    }
}
