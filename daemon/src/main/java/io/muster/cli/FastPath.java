package io.muster.cli;

import io.muster.cli.ask.ServerVerb;
import io.muster.cli.change.Drain;
import io.muster.cli.change.Undrain;
import io.muster.cli.look.Status;
import io.muster.cli.terminal.Console;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the verbs that scripts call in loops, in their simplest forms: {@code status}, and {@code drain} and {@code undrain}
 * with {@code [-f | -u] TARGETS WORD...}. These forms are read without picocli, which takes longer to start than all other
 * parts together. Picocli reads every line with another option, and would read the forms here in the same way.
 */
final class FastPath {
    private FastPath() {}

    /** Returns the verb of a simple line; null if the line is not simple. */
    static @Nullable ServerVerb read(Console console, String... line) {
        if (line.length == 0) {
            return null;
        }
        return switch (line[0]) {
            case "status" -> line.length == 1 ? new Status(console) : null;
            case "drain", "undrain" -> change(console, line);
            default -> null;
        };
    }

    private static @Nullable ServerVerb change(Console console, String... line) {
        boolean option = line.length > 1 && (line[1].equals("-f") || line[1].equals("-u"));
        int at = option ? 2 : 1;
        if (line.length == at || hasOption(line, at)) {
            return null;
        }
        String force = option ? line[1] : "";
        String[] words = Arrays.copyOfRange(line, at + 1, line.length);
        return line[0].equals("drain")
                ? new Drain(console, force, line[at], words)
                : new Undrain(console, force, line[at], words);
    }

    private static boolean hasOption(String[] line, int from) {
        for (int i = from; i < line.length; i++) {
            if (line[i].isEmpty() || line[i].startsWith("-")) {
                return true;
            }
        }
        return false;
    }
}
