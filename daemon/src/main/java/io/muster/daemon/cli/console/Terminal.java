package io.muster.daemon.cli.console;

import io.muster.daemon.cli.render.Style;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * What standard output and standard error are.
 *
 * @param isOutput whether output goes to a terminal
 * @param isError whether complaints, and so progress, do
 */
public record Terminal(boolean isOutput, boolean isError, Style style) {
    private static final int USUAL_WIDTH = 80;

    /** Looks at the links of /proc: System.console() wants standard input to be a terminal too, and since JDK 22 always is there. */
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

    /** Shells export COLUMNS only when told to; asking the terminal itself would take another process. */
    private static int width(Map<String, String> environment) {
        try {
            int columns = Integer.parseInt(environment.getOrDefault("COLUMNS", ""));
            return columns > 0 ? columns : USUAL_WIDTH;
        } catch (NumberFormatException e) {
            return USUAL_WIDTH;
        }
    }

    /** As setlocale(3): the first of these that is not empty. */
    private static boolean isUtf8(Map<String, String> environment) {
        for (String name : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
            String locale = environment.getOrDefault(name, "").toLowerCase(Locale.ROOT);
            if (!locale.isEmpty()) {
                return locale.contains("utf-8") || locale.contains("utf8");
            }
        }
        return false;
    }

    /** @param when always, never or auto */
    public Terminal withColor(String when) {
        boolean color = when.equals("always") || (when.equals("auto") && style.color());
        return new Terminal(isOutput, isError, new Style(color, style.marks(), style.width()));
    }
}
