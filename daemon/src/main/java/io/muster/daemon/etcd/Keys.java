package io.muster.daemon.etcd;

import java.util.Locale;

/** The names of the ledger's keys. */
record Keys(String prefix) {
    String id() {
        return prefix + "id";
    }

    String leader() {
        return prefix + "leader";
    }

    String head() {
        return prefix + "head";
    }

    String clock() {
        return prefix + "clock";
    }

    /** The key of the group whose first event has this seq. */
    String log(long first) {
        return prefix + "log/" + String.format(Locale.ROOT, "%016d", first);
    }

    String logEnd() {
        return prefix + "log0"; // the character after '/'
    }

    String parts() {
        return prefix + "part/";
    }

    /** The prefix of the pieces of a group. */
    String parts(String txn) {
        return parts() + txn + "/";
    }

    String snapshot() {
        return prefix + "snapshot";
    }

    String snapshots() {
        return prefix + "snapshot/";
    }

    String snapshots(String txn) {
        return snapshots() + txn + "/";
    }

    static String piece(String parts, int number) {
        return parts + String.format(Locale.ROOT, "%04d", number);
    }

    String members() {
        return prefix + "member/";
    }

    String member(String id) {
        return members() + id;
    }

    /** The end of the range of all keys that begin with {@code start}. */
    static String end(String start) {
        int last = start.length() - 1;
        return start.substring(0, last) + (char) (start.charAt(last) + 1);
    }
}
