package io.muster.cli;

import io.muster.daemon.config.Key;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the source of the man page muster.toml(5) at build time, from the enum {@link Key} and the commented example. */
public final class ConfigPage {
    private ConfigPage() {}

    /** @param arguments the example, and the file to write */
    public static void main(String[] arguments) throws IOException {
        Files.writeString(Path.of(arguments[1]), of(Files.readString(Path.of(arguments[0]))));
    }

    /** Returns the page as AsciiDoc. */
    static String of(String example) {
        StringBuilder page = new StringBuilder("""
                :doctype: manpage
                :manmanual: Muster Manual
                :mansource: muster
                = muster.toml(5)

                == Name

                muster.toml - the configuration of the resource service Muster

                == Description

                The daemon reads */etc/muster/muster.toml* if root or systemd runs it, and *~/.config/muster/muster.toml* otherwise; \
                *muster serve -c* names another file, or a directory of files. Every key is optional. *muster check* reports every \
                problem of a file with its line, and *muster check -e* shows the value of every key and where the value comes from. \
                SIGHUP makes the daemon read the file again; a file with a problem changes nothing.

                == Keys

                """);
        for (Key key : Key.values()) {
            page.append("*+")
                    .append(key)
                    .append("+*::\n  +++")
                    .append(sentence(key.about()))
                    .append("+++. ");
            page.append(effect(key.effect())).append("\n\n");
        }
        return page.append("== Example\n\nAll keys with their defaults, as the package installs the file.\n\n....\n")
                .append(example)
                .append("....\n\n== See also\n\n*muster-check*(1), *muster-serve*(1), *flux-config-resource*(5)\n")
                .toString();
    }

    private static String sentence(String about) {
        return Character.toUpperCase(about.charAt(0)) + about.substring(1);
    }

    private static String effect(Key.Effect effect) {
        return switch (effect) {
            case RELOAD -> "A change takes effect at SIGHUP.";
            case RESTART -> "A change takes effect at the next start.";
            case BROKER -> "Only a Flux broker uses this key; Muster accepts and ignores it.";
        };
    }
}
