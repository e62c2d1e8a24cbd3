package io.muster.cli.change;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.EventLines;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Printable;
import io.muster.cli.terminal.Verb;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.Text;
import io.muster.protocol.admin.DryRunAnswer;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;

/** Prints the daemon's response to a dry run. */
record DryRunText(DryRunAnswer answer) {
    void print(Console console, Zone zone, boolean json) {
        if (json) {
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            document.put("schema_version", Verb.SCHEMA_VERSION).put("dry_run", true);
            document.setAll(answer.toJson());
            console.json(document);
        } else {
            console.print(text(console, zone));
        }
    }

    private String text(Console console, Zone zone) {
        StringBuilder out = new StringBuilder();
        if (answer.events().isEmpty()) {
            out.append("nothing would change\n");
        }
        for (ObjectNode event : answer.events()) {
            out.append("would ").append(EventLines.text(event, console, zone)).append('\n');
        }
        answer.rest().stillOut().forEach(sentence -> out.append(sentence).append('\n'));
        if (!answer.rest().available().isEmpty()) {
            out.append(again(answer.rest().available())).append('\n');
        }
        if (answer.updates().isEmpty() && !answer.events().isEmpty()) {
            out.append("no scheduler is connected\n");
        }
        for (DryRunAnswer.Update update : answer.updates()) {
            out.append("scheduler ").append(Printable.of(update.user()));
            out.append(update.pid() == 0 ? "" : " pid " + update.pid()).append(" would get ");
            out.append(update.payload() == null ? "nothing" : Text.escaped(asSent(update.payload())))
                    .append('\n');
        }
        return out.toString();
    }

    /** Returns the sentence that schedulers may use hosts again. */
    static String again(String hosts) {
        Hostlist list = Hostlist.parse(hosts);
        return list.abridged() + (list.size() == 1 ? " is" : " are") + " available again";
    }

    /**
     * Returns the payload exactly as it would be sent. The text of the JSON tree itself would write 2000000000.0 in another
     * form.
     */
    private static String asSent(ObjectNode payload) {
        Bytes encoded = Json.encode(payload);
        return encoded.first(encoded.length() - 1).text();
    }
}
