package io.muster.cli.past;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.history.Period;
import io.muster.inventory.hostlist.Hostlist;
import java.io.Closeable;
import java.io.IOException;

/** Answers questions about the past, from a disk or by asking a server. */
interface PastSource extends Closeable {
    /** Returns the hosts that ranks, {@code all} and {@code @PROPERTY} stand for now; a daemon also searches. */
    Hostlist hosts(String targets) throws IOException;

    /**
     * Returns the document that answers a question.
     *
     * @param topic the topic of the question
     */
    ObjectNode ask(String topic, ObjectNode question) throws IOException;

    /** The source's name, for messages. */
    String name();

    /** Returns a question about a period. */
    static ObjectNode question(Period period) {
        ObjectNode question = JsonNodeFactory.instance.objectNode();
        if (period.since() > 0) {
            question.set("since", Epoch.number(period.since()));
        }
        if (period.until() < Epoch.LAST) {
            question.set("until", Epoch.number(period.until()));
        }
        return question;
    }
}
