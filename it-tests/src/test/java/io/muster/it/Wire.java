package io.muster.it;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;

/** Payloads as tests write them. */
final class Wire {
    private Wire() {}

    /** Single quotes stand for double ones. */
    static ObjectNode json(String text) {
        try {
            return Json.parse(Bytes.text(text.replace('\'', '"')));
        } catch (ProtocolException e) {
            throw new IllegalArgumentException(text, e);
        }
    }
}
