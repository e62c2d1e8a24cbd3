package io.muster.daemon.etcd;

import java.io.IOException;

/**
 * Thrown if the contents of etcd do not continue the state of this daemon, or cannot be read. The daemon then neither
 * follows nor leads.
 */
final class ForeignException extends IOException {
    ForeignException(String sentence) {
        super(sentence);
    }

    ForeignException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
