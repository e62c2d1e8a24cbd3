package io.muster.cli.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.When;
import io.muster.inventory.axis.Times;
import io.muster.protocol.admin.WebRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster web}. */
@Command(
        name = "web",
        description = {
            "Print the address of the web page of the daemon, with a new token after the #, which browsers do not send.",
            "The page shows which hosts are out and why, a map of all hosts, their past, and the condition of the daemon. Everybody who "
                    + "has the address has the rights of the token until the token expires. You need the right follow, and "
                    + "the right that you give to the page."
        },
        footer = {"  muster web", "  muster web --rights=change --for=1h", "  xdg-open \"$(muster web)\""})
public final class WebVerb extends ServerVerb {
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
            description =
                    "With the right hold: the holder under which the page drains. Default: the holder of your [[grant]], "
                            + "or your name.")
    private @Nullable String holder;

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            description = "The token expires after this time, such as 30m or 5d, at most 30d. Default: 12h.")
    private String lifetime = "12h";

    public WebVerb(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        if (!List.of("read", "hold", "change").contains(right)) {
            throw new Failure(Exit.USAGE, "--rights: \"" + right + "\" is not one of read, hold and change");
        }
        if (holder != null && !right.equals("hold")) {
            throw new Failure(Exit.USAGE, "--holder: has no effect without --rights=hold");
        }
        ObjectNode made;
        try {
            made = client.rpc(WebRequest.TOPIC, new WebRequest(right, seconds(), holder).toJson());
        } catch (RpcException e) {
            throw Failure.of(e, e.errno().equals(Errno.ENOENT) ? SWITCH_ON : "");
        }
        String address =
                made.path("url").asText() + "/#token=" + made.path("token").asText();
        if (json()) {
            made.remove(List.of("url", "token"));
            for (String time : List.of("created", "expires")) {
                made.put(time, Times.rfc3339(made.path(time).asDouble()));
            }
            printDocument(made.put("url", address));
        } else {
            console().println(address);
        }
        return Exit.OK;
    }

    private long seconds() {
        String refusal = "--for: \"" + lifetime + "\" is not a duration from 1s to 30d, such as 12h";
        return (long) When.duration(lifetime, 1, WebRequest.LONGEST, refusal).seconds();
    }
}
