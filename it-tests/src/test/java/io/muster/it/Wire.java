package io.muster.it;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;

/** Payloads in the short form that tests use. */
public final class Wire {
    private Wire() {}

    /** Parses JSON in which single quotes stand for double quotes. */
    public static ObjectNode json(String text) {
        try {
            return Json.parse(Bytes.text(text.replace('\'', '"')));
        } catch (ProtocolException e) {
            throw new IllegalArgumentException(text, e);
        }
    }
}
