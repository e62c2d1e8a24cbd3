package io.muster.cli.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * Which standard streams are terminals, and the style of the output.
 *
 * @param isInput whether standard input is a terminal
 * @param isOutput whether standard output is a terminal
 * @param isError whether standard error, to which complaints and progress are written, is a terminal
 * @param height the number of lines of the terminal; 0 if there is none or its height is not known
 */
public record Terminal(boolean isInput, boolean isOutput, boolean isError, Style style, int height) {
    private static final int USUAL_WIDTH = 80;

    /**
     * Returns the terminal of this process. The links in /proc tell whether there is one: System.console() also requires
     * that standard input is a terminal, and since JDK 22 it is never null.
     */
    static Terminal ofProcess(Map<String, String> environment) {
        boolean out = isTerminal(1);
        return of(environment, isTerminal(0), out, isTerminal(2));
    }

    public static Terminal of(Map<String, String> environment, boolean isInput, boolean isOutput, boolean isError) {
        boolean plain = !environment.getOrDefault("NO_COLOR", "").isEmpty()
                || environment.getOrDefault("TERM", "").equals("dumb");
        Style style = new Style(
                isOutput && !plain, isUtf8(environment), isOutput ? size(environment, "COLUMNS", USUAL_WIDTH) : 0);
        return new Terminal(isInput, isOutput, isError, style, isOutput ? size(environment, "LINES", 0) : 0);
    }

    /** Returns whether a user can be asked a question and can answer it. */
    public boolean canAsk() {
        return isInput && isError;
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
     * Returns the width or the height of the terminal. The launcher sets the variables, because querying the terminal itself
     * would need another process here too.
     */
    private static int size(Map<String, String> environment, String variable, int usual) {
        try {
            int size = Integer.parseInt(environment.getOrDefault(variable, ""));
            return size > 0 ? size : usual;
        } catch (NumberFormatException e) {
            return usual;
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
        return new Terminal(isInput, isOutput, isError, new Style(color, style.marks(), style.width()), height);
    }
}
