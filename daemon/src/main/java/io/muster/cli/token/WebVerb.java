package io.muster.cli.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Pause;
import io.muster.daemon.config.ListenAddress;
import io.muster.daemon.token.Token;
import io.muster.daemon.token.TokenFile;
import io.muster.daemon.token.Tokens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster web}. */
@Command(
        name = "web",
        description = {
            "Print the address of the web page of the daemon, with a new token after the #, which browsers do not send.",
            "The page shows which hosts are out and why, a map of all hosts, their past, and the condition of the daemon. Everybody "
                    + "who has the address has the rights of the token until the token expires. Run this as the user that runs the "
                    + "daemon, or as root."
        },
        footer = {"  muster web", "  muster web --rights=change --for=1h", "  xdg-open \"$(muster web)\""})
public final class WebVerb extends TokenVerb {
    private static final String PREFIX = "web-";
    private static final int NAME_DIGITS = 8;
    private static final String SWITCH_ON =
            "add this to the configuration, and start the daemon again:\n  [[listen]]\n  http = \"127.0.0.1:8651\"";

    @Option(
            names = "--rights",
            paramLabel = "RIGHT",
            description = "Rights of the page: read, or hold or change to drain hosts on the page. Default: read.")
    private String right = "read";

    @Option(
            names = "--holder",
            paramLabel = "HOLDER",
            description = "With the right hold: the holder under which the page drains. Default: your name.")
    private @Nullable String holder;

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            description = "The token expires after this time, such as 30m or 5d. Default: 12h.")
    private String lifetime = "12h";

    public WebVerb(Console console) {
        super(console);
    }

    @Override
    int run(TokenFile file) throws IOException {
        String url = url(config().addresses());
        if (!List.of("read", "hold", "change").contains(right)) {
            throw new Failure(Exit.USAGE, "--rights: \"" + right + "\" is none of read, hold and change");
        }
        String user = user();
        List<String> rights = right.equals("read") ? List.of("read", "follow") : List.of("read", "follow", right);
        String name = PREFIX + user + "-" + UUID.randomUUID().toString().substring(0, NAME_DIGITS);
        String under = right.equals("hold") && holder == null ? user : holder;
        String text = Token.newText();
        Token token = new TokenOrder(name, rights, under, lifetime)
                .token(Token.digest(text), console().now());
        edit(file, tokens -> TokenOrder.with(withoutExpired(tokens, token.created()), token));
        Pause.of(TimeUnit.SECONDS.toMillis(
                Tokens.EVERY_SECONDS)); // so that the daemon accepts the token when somebody sees it
        String address = url + "/#token=" + text;
        if (json()) {
            ObjectNode document = document();
            describe(document, token);
            console().json(document.put("url", address));
        } else {
            console().println(address);
        }
        return Exit.OK;
    }

    /** Returns the user for whom the journal is to name the token, also if the user became root. */
    private String user() {
        String sudo = console().environment().getOrDefault("SUDO_USER", "");
        String name = sudo.isEmpty() ? System.getProperty("user.name", "") : sudo;
        String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_-]", "");
        return Token.nameFault(PREFIX + plain) == null && !plain.isEmpty() ? plain : "user";
    }

    /** Leaves out tokens of this verb that have expired, since nobody would revoke them. */
    private static List<Token> withoutExpired(List<Token> tokens, double now) {
        List<Token> kept = new ArrayList<>(tokens);
        kept.removeIf(token -> token.name().startsWith(PREFIX) && token.isExpired(now));
        return kept;
    }

    /** Returns the URL of the page, without a slash at its end. An address with TLS is preferred, since it works on other hosts. */
    private static String url(List<ListenAddress> addresses) throws IOException {
        for (ListenAddress.Kind kind : List.of(ListenAddress.Kind.HTTPS, ListenAddress.Kind.HTTP)) {
            Optional<ListenAddress> found =
                    addresses.stream().filter(each -> each.kind() == kind).findFirst();
            if (found.isPresent()) {
                return kind.word() + "://" + host(found.get().inet());
            }
        }
        boolean isSocket = addresses.stream().anyMatch(each -> each.kind() == ListenAddress.Kind.HTTP_SOCKET);
        throw new Failure(
                Exit.ERROR,
                "the daemon serves no page: the configuration has no [[listen]] with https or http"
                        + (isSocket ? ", and browsers cannot use http-socket" : ""),
                SWITCH_ON);
    }

    private static String host(InetSocketAddress address) throws IOException {
        InetAddress ip = address.getAddress();
        String name = ip.isAnyLocalAddress() ? InetAddress.getLocalHost().getCanonicalHostName() : ip.getHostAddress();
        return (name.contains(":") ? "[" + name + "]" : name) + ":" + address.getPort();
    }
}
