package io.muster.cli.look;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.cli.ask.Lifetime;
import io.muster.cli.ask.ReadVerb;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code muster expiration get}. */
@Command(
        name = "get",
        description = "Show when the resources expire.",
        footer = {"  muster expiration get", "  muster expiration get --json"})
public final class ExpirationGet extends ReadVerb {
    @Mixin
    private final ZoneOption zone = new ZoneOption();

    public ExpirationGet(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        StateDocument service = StateDocument.ask(client, StateDocument.SERVICE, JsonNodeFactory.instance.objectNode());
        double expiration = service.time("expiration");
        if (json()) {
            console().json(service.json());
        } else {
            console()
                    .println(
                            expiration == 0 ? "never" : Lifetime.time(expiration, service.now(), zone.zone(console())));
        }
        return Exit.OK;
    }
}
