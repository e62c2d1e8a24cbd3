package io.muster.daemon.etcd;

import java.io.IOException;

/** What etcd holds does not continue what this daemon has, or cannot be read. The daemon neither follows nor leads then. */
final class ForeignException extends IOException {
    ForeignException(String sentence) {
        super(sentence);
    }

    ForeignException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
