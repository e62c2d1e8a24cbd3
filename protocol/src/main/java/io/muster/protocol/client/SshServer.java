package io.muster.protocol.client;

import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server on another host, reached by a process {@code ssh HOST muster relay --stdio PATH} whose standard input and output
 * are the connection. The variables MUSTER_SSH and MUSTER_SSH_RCMD replace the words {@code ssh} and {@code muster}.
 *
 * @param login the host, with a user in front if the URI names one
 * @param port the port of ssh; -1 for the default of ssh
 * @param path the socket on the other host; "" for the default of the relay
 */
record SshServer(String login, int port, String path) {
    static final String SCHEME = "ssh://";
    private static final int BUFFER = 64 * 1024;

    /** No part may begin with a hyphen, because ssh would take it for an option. */
    private static final Pattern FORM = Pattern.compile("ssh://(?<user>[^-/@:\\s][^/@:\\s]*@)?"
            + "(?<host>[^-/@:\\s\\[][^/@:\\s]*|\\[[0-9a-fA-F:.]+])(:(?<port>[0-9]{1,5}))?(?<path>/[^\\x00-\\x1f]*)?");

    /** @throws IllegalArgumentException if the URI has another form */
    static SshServer parse(String uri) {
        Matcher parts = FORM.matcher(uri);
        if (!parts.matches()) {
            throw new IllegalArgumentException("address \"" + uri + "\": expected ssh://[USER@]HOST[:PORT][/PATH]");
        }
        String user = Objects.requireNonNullElse(parts.group("user"), "");
        String path = Objects.requireNonNullElse(parts.group("path"), "");
        int port = parts.group("port") == null ? -1 : Integer.parseInt(parts.group("port"));
        String host = parts.group("host").replaceAll("[\\[\\]]", ""); // ssh takes an IPv6 address without brackets
        return new SshServer(user + host, port, path.equals("/") ? "" : path);
    }

    /** @param terminal whether a person can answer ssh's questions; a script must not wait for the answer to one */
    List<String> command(Map<String, String> environment, boolean terminal) {
        String ssh = environment.getOrDefault("MUSTER_SSH", terminal ? "ssh" : "ssh -o BatchMode=yes");
        List<String> words = new ArrayList<>(words(ssh));
        if (port >= 0) {
            words.addAll(List.of("-p", String.valueOf(port)));
        }
        words.add(login);
        words.addAll(words(environment.getOrDefault("MUSTER_SSH_RCMD", "muster")));
        words.addAll(List.of("relay", "--stdio"));
        if (!path.isEmpty()) {
            words.add("'" + path.replace("'", "'\\''") + "'"); // ssh gives the words to a shell
        }
        return words;
    }

    private static List<String> words(String text) {
        return List.of(text.strip().split(" +", -1));
    }

    /** Returns whether ssh can ask a user for a password. Ssh asks on the controlling terminal of the process. */
    static boolean hasTerminal() {
        try (InputStream terminal = new FileInputStream("/dev/tty")) {
            return terminal.available() >= 0;
        } catch (IOException none) {
            return false;
        }
    }

    Transport connect() throws IOException {
        List<String> command = command(System.getenv(), hasTerminal());
        Process ssh;
        try {
            ssh = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            ConnectException explained =
                    new ConnectException("cannot run " + command.get(0) + " to reach " + login + ": " + e.getMessage());
            explained.initCause(e);
            throw explained;
        }
        Pipe in = Pipe.open();
        Pipe out = Pipe.open();
        pump("ssh-in", ssh.getInputStream(), Channels.newOutputStream(in.sink()));
        pump("ssh-out", Channels.newInputStream(out.source()), ssh.getOutputStream());
        Closeable closer = () -> {
            out.sink().close(); // ends the relay, and with it ssh
            in.source().close();
            ssh.destroy();
        };
        return new Transport(SCHEME + login, in.source(), out.sink(), closer);
    }

    /** Copies bytes on a separate thread, because the streams of a process have only blocking operations. */
    private static void pump(String name, InputStream from, OutputStream to) {
        Thread thread = new Thread(
                () -> {
                    byte[] buffer = new byte[BUFFER];
                    try (from;
                            to) {
                        for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
                            to.write(buffer, 0, count);
                            to.flush();
                        }
                    } catch (IOException e) {
                        // One side has closed the connection. Closing both streams closes it for the other side too.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }
}
