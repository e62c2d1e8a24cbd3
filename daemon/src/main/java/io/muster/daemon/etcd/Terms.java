package io.muster.daemon.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The last terms in which the ledger was written, at most {@value #MOST}. Two histories that agree in the term of an event agree in all
 * events up to it: one daemon writes in a term, that daemon continues the events that it has found, and it writes nothing more in the
 * term when etcd does not have its last event. So the terms prove that an event is in a ledger whose log no longer has the event, also
 * if etcd was restored from a backup, which gives out the same revisions again and keeps its cluster id. Immutable.
 *
 * @param all in order
 */
record Terms(List<Term> all) {
    /** As many leaders may follow one another while a daemon is away. The list is part of each snapshot. */
    static final int MOST = 1024;

    static final Terms NONE = new Terms(List.of());

    /** A transaction: the first seq, the term, a count within the term, and the nonce of the writer. */
    private static final Pattern TXN = Pattern.compile("\\d{16}-(\\w+)-\\w+-(\\w+)");

    /**
     * @param first the first event that is known to be of this term
     * @param name the part that all transactions of the term have in common
     */
    record Term(long first, String name) {}

    Terms {
        all = List.copyOf(all.subList(Math.max(0, all.size() - MOST), all.size()));
    }

    static String name(String txn) {
        Matcher parts = TXN.matcher(txn);
        return parts.matches() ? parts.group(1) + "-" + parts.group(2) : txn;
    }

    static Terms parse(JsonNode json) {
        List<Term> found = new ArrayList<>();
        json.forEach(term -> found.add(
                new Term(term.path("first").asLong(), term.path("name").asText())));
        return new Terms(found);
    }

    ArrayNode toJson() {
        ArrayNode json = JsonNodeFactory.instance.arrayNode();
        all.forEach(term -> json.addObject().put("first", term.first).put("name", term.name));
        return json;
    }

    /** Adds the term of a transaction, unless it is the last term. */
    Terms with(String txn, long first) {
        String name = name(txn);
        if (!all.isEmpty() && all.get(all.size() - 1).name.equals(name)) {
            return this;
        }
        List<Term> more = new ArrayList<>(all);
        more.add(new Term(first, name));
        return new Terms(more);
    }

    Terms until(long seq) {
        return new Terms(all.stream().filter(term -> term.first <= seq).toList());
    }

    /** The name of the term of an event; "" if it is not known. */
    String at(long seq) {
        String name = "";
        for (Term term : all) {
            name = term.first <= seq ? term.name : name;
        }
        return name;
    }

    /** Whether an event of this seq and this term is known to be in the ledger; the event must not be later than the ledger's last one. */
    boolean have(long seq, String name) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).name.equals(name)) {
                return i + 1 == all.size() || seq < all.get(i + 1).first;
            }
        }
        return false;
    }
}
