package io.muster.cli.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * Whether standard output and standard error are terminals, and the style of the output.
 *
 * @param isOutput whether standard output is a terminal
 * @param isError whether standard error, to which complaints and progress are written, is a terminal
 */
public record Terminal(boolean isOutput, boolean isError, Style style) {
    private static final int USUAL_WIDTH = 80;

    /**
     * Returns the terminal of this process. The links in /proc tell whether there is one: System.console() also requires
     * that standard input is a terminal, and since JDK 22 it is never null.
     */
    static Terminal ofProcess(Map<String, String> environment) {
        boolean out = isTerminal(1);
        return of(environment, out, isTerminal(2));
    }

    public static Terminal of(Map<String, String> environment, boolean isOutput, boolean isError) {
        boolean plain = !environment.getOrDefault("NO_COLOR", "").isEmpty()
                || environment.getOrDefault("TERM", "").equals("dumb");
        Style style = new Style(isOutput && !plain, isUtf8(environment), isOutput ? width(environment) : 0);
        return new Terminal(isOutput, isError, style);
    }

    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /**
     * Returns the width of the terminal. Shells export COLUMNS only on demand, but querying the terminal itself would need
     * another process.
     */
    private static int width(Map<String, String> environment) {
        try {
            int columns = Integer.parseInt(environment.getOrDefault("COLUMNS", ""));
            return columns > 0 ? columns : USUAL_WIDTH;
        } catch (NumberFormatException e) {
            return USUAL_WIDTH;
        }
    }

    /** Returns whether the locale uses UTF-8. As in setlocale(3), the first of these variables that is not empty decides. */
    private static boolean isUtf8(Map<String, String> environment) {
        for (String name : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
            String locale = environment.getOrDefault(name, "").toLowerCase(Locale.ROOT);
            if (!locale.isEmpty()) {
                return locale.contains("utf-8") || locale.contains("utf8");
            }
        }
        return false;
    }

    /**
     * Returns this terminal with or without colours.
     *
     * @param when always, never or auto
     */
    public Terminal withColor(String when) {
        boolean color = when.equals("always") || (when.equals("auto") && style.color());
        return new Terminal(isOutput, isError, new Style(color, style.marks(), style.width()));
    }
}
