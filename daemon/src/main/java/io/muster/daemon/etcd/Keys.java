package io.muster.daemon.etcd;

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
        return prefix + "log/" + digits(first, 16);
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
        return parts + digits(number, 4);
    }

    /** A number with so many digits at least: keys are sorted as text. */
    static String digits(long number, int least) {
        String text = Long.toString(number);
        return "0".repeat(Math.max(0, least - text.length())) + text;
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
