package io.muster.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The HTTP API of a daemon on a loopback address, and tokens for it. */
public record HttpListener(int port) {
    /** The warning about a new token that a client sends before the daemon has read the file of tokens again. */
    public static final String NOT_YET = "127.0.0.1: refused an unknown token";

    /** Returns the TOML for the listener. */
    public String config() {
        return "[[listen]]\nhttp = \"127.0.0.1:" + port + "\"";
    }

    public String url() {
        return "http://127.0.0.1:" + port;
    }

    /**
     * Creates a token with the command.
     *
     * @param holder "" for none
     * @return the file with the token, beside the state directory
     */
    public Path token(DaemonProcess daemon, String name, String rights, String holder) {
        String jars = Jars.classPath();
        List<String> command = new ArrayList<>(List.of(
                Tool.jdk("java"),
                "-cp",
                jars,
                "io.muster.cli.Muster",
                "token",
                "create",
                "--state-dir=" + daemon.stateDir(),
                "--rights=" + rights,
                name));
        if (!holder.isEmpty()) {
            command.add("--holder=" + holder);
        }
        try {
            String token = Tool.run(new ProcessBuilder(command));
            return Files.writeString(daemon.stateDir().resolveSibling(name + ".token"), token);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
