package io.muster.daemon.etcd;

import io.muster.daemon.journal.JournalRecord;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the log as it is committed to etcd: the witness of what happened. */
public final class LogReader {
    /** A transaction of the log. */
    public record Group(long first, long last, String txn, String previous, Level level, List<JournalRecord> records) {
        /** The term in which the transaction was written. */
        public long term() {
            return Long.parseLong(txn.split("-", 4)[1], 16);
        }
    }

    private final Map<String, byte[]> pieces = new TreeMap<>();

    /** @return the group that is committed with this key; null if the key is another one */
    public @Nullable Group committed(String key, byte[] value) {
        if (key.startsWith(SimLedger.PREFIX + "part/")) {
            pieces.put(key, value);
        }
        if (!key.startsWith(SimLedger.PREFIX + "log/")) {
            return null;
        }
        try {
            EventGroup group = EventGroup.parse(new Etcd.Entry(key, value, 1, 0));
            if (group.parts() > 0) {
                String parts = new Keys(SimLedger.PREFIX).parts(group.txn());
                java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
                for (int i = 0; i < group.parts(); i++) {
                    all.writeBytes(pieces.get(Keys.piece(parts, i)));
                }
                group = group.with(all.toByteArray());
            }
            List<JournalRecord> records = new ArrayList<>();
            group.commands().forEach(records::addAll);
            return new Group(group.first(), group.last(), group.txn(), group.previous(), group.level(), records);
        } catch (IOException e) {
            throw new AssertionError(String.format(Locale.ROOT, "%s: %s", key, e.getMessage()), e);
        }
    }
}
