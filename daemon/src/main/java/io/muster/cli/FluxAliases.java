package io.muster.cli;

import java.util.Arrays;

/** Recognises command lines that people type by habit from other commands: {@code help drain}, {@code --version}. */
final class FluxAliases {
    private FluxAliases() {}

    /** Removes {@code --help} from a line that names no verb, because the help would hide that mistake. */
    static String[] withoutHelp(String... line) {
        return Arrays.stream(line)
                .filter(word -> !word.equals("--help") && !word.equals("-h"))
                .toArray(String[]::new);
    }

    /** Returns the command line in the syntax of {@code muster}. */
    static String[] meant(String... line) {
        String first = line.length == 0 ? "" : line[0];
        if (first.equals("help")) {
            String[] meant = Arrays.copyOfRange(line, 1, line.length + 1);
            meant[line.length - 1] = "--help";
            return meant;
        }
        if (first.equals("--version") || first.equals("-V")) {
            String[] meant = line.clone();
            meant[0] = "version";
            return meant;
        }
        return line;
    }
}
