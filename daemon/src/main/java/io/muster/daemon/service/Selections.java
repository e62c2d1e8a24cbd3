package io.muster.daemon.service;

import io.muster.daemon.account.Account;
import io.muster.daemon.core.Inventory;
import io.muster.inventory.axis.Places;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.TargetExpression;
import io.muster.protocol.admin.FindRequest;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the hosts for targets as people write them: {@code all}, {@code @PROPERTY}, {@code @{EXPR}} and paths of vertices, besides
 * ranks and hosts. The searches of one request run one after the other. Runs on the core thread.
 */
public final class Selections {
    /** The highest number of parts of a text, each of which may select all hosts or need a search. */
    private static final int MOST_PARTS = 64;

    /** How often an expression is searched for. */
    private static final int MOST_ROUNDS = 3;

    private final Inventory inventory;
    private final Searches searches;
    private final Structures structures;

    public Selections(Inventory inventory, Searches searches, Structures structures) {
        this.inventory = inventory;
        this.searches = searches;
        this.structures = structures;
    }

    /** Returns the function that finds the places of the vertices that a path names in a state. */
    Function<String, Places> places(InventoryState state) {
        return structures.places(state);
    }

    /**
     * Passes the targets in the form that commands have: the same text if it has this form already.
     *
     * @param membersOnly whether excluded and lost hosts are left out unless they are named
     * @param reply is failed if a text is malformed or names something that does not exist
     */
    void find(List<String> texts, boolean membersOnly, Account asker, Replier reply, Consumer<List<String>> then) {
        find(new ArrayDeque<>(texts), new ArrayList<>(), new Terms(membersOnly, asker, reply), then);
    }

    /** Passes the items of a text, those that need a search replaced by the hosts that are found. */
    void replace(
            List<String> items,
            Predicate<String> needsSearch,
            Account asker,
            Replier reply,
            Consumer<List<String>> then) {
        find(items.stream().filter(needsSearch).toList(), false, asker, reply, found -> {
            Iterator<String> next = found.iterator();
            then.accept(items.stream()
                    .map(item -> needsSearch.test(item) ? next.next() : item)
                    .toList());
        });
    }

    private void find(Deque<String> texts, List<String> found, Terms terms, Consumer<List<String>> then) {
        String text = texts.poll();
        if (text == null) {
            then.accept(found);
        } else if (!found.isEmpty() && text.equals(terms.last)) { // each property of a change has the same targets
            found.add(found.get(found.size() - 1));
            find(texts, found, terms, then);
        } else {
            terms.last = text;
            find(text, terms, hosts -> {
                found.add(hosts);
                find(texts, found, terms, then);
            });
        }
    }

    private void find(String text, Terms terms, Consumer<String> then) {
        Deque<String> parts = new ArrayDeque<>(TargetExpression.parts(text));
        boolean isPlain = parts.stream().noneMatch(TargetExpression::isSearch) && !TargetExpression.isSelection(text);
        try {
            if (isPlain) {
                var unused = TargetExpression.known(inventory.state(), List.of(text));
                then.accept(text);
            } else if (parts.size() > MOST_PARTS) {
                terms.reply.fail(new RpcException(
                        Errno.EINVAL,
                        "targets with all, @PROPERTY or @{EXPR} have at most " + MOST_PARTS + " parts, not "
                                + parts.size()));
            } else {
                new Choice(text, terms, then).begin();
            }
        } catch (MalformedException e) {
            terms.reply.fail(new RpcException(Errno.EINVAL, String.valueOf(e.getMessage())));
        } catch (TargetException e) {
            terms.reply.fail(TargetRefusal.of(e, inventory.state().resources()));
        }
    }

    /** For whom targets are found, and among which hosts. */
    private static final class Terms {
        private final boolean membersOnly;
        private final Account asker;
        private final Replier reply;
        private String last = "";

        Terms(boolean membersOnly, Account asker, Replier reply) {
            this.membersOnly = membersOnly;
            this.asker = asker;
            this.reply = reply;
        }
    }

    /**
     * The work for one text. If the state changes while expressions are searched for, they are searched for again, until two searches find
     * the same.
     */
    private final class Choice {
        private final String text;
        private final Terms terms;
        private final Consumer<String> then;
        private Deque<String> parts = new ArrayDeque<>();
        private Idset found = Idset.EMPTY;
        private @Nullable InventoryState from;
        private String before = "";
        private boolean searched;
        private int rounds;

        Choice(String text, Terms terms, Consumer<String> then) {
            this.text = text;
            this.terms = terms;
            this.then = then;
        }

        void begin() {
            parts = new ArrayDeque<>(TargetExpression.parts(text));
            found = Idset.EMPTY;
            from = inventory.state();
            rounds++;
            next();
        }

        void next() {
            InventoryState state = inventory.state();
            ResourceSet resources = state.resources();
            Idset selectable = terms.membersOnly ? state.members() : resources.ranks();
            try {
                while (!parts.isEmpty()) {
                    String part = parts.remove();
                    if (TargetExpression.isSearch(part)) {
                        search(part, selectable);
                        return;
                    }
                    found = found.union(TargetExpression.find(resources, selectable, part));
                }
            } catch (MalformedException e) {
                terms.reply.fail(new RpcException(Errno.EINVAL, String.valueOf(e.getMessage())));
                return;
            } catch (TargetException e) {
                terms.reply.fail(TargetRefusal.of(e, inventory.state().resources()));
                return;
            }
            if (found.isEmpty()) {
                String absent = terms.membersOnly ? ", or all of them are excluded or lost" : "";
                terms.reply.fail(new RpcException(Errno.ENOENT, text + " finds no host" + absent));
            } else {
                decide(resources.hostsOf(found).toString(), state);
            }
        }

        @SuppressWarnings("ReferenceEquality") // comparing states may take longer than searching again
        private void decide(String hosts, InventoryState now) {
            if (!searched || from == now || hosts.equals(before)) {
                then.accept(hosts);
            } else if (rounds == MOST_ROUNDS) {
                terms.reply.fail(new RpcException(
                        Errno.EAGAIN,
                        "nothing was changed: what " + text + " finds changes too fast: send the request again"));
            } else {
                before = hosts;
                begin();
            }
        }

        private void search(String part, Idset selectable) {
            searched = true;
            FindRequest request = FindRequest.ofTarget(part, FindRequest.Output.HOSTS);
            searches.find(Json.encode(request.toJson()), terms.asker, new PassingReplier(terms.reply) {
                @Override
                public void done(@Nullable Bytes payload) {
                    ResourceSet resources = inventory.state().resources();
                    found = found.union(resources.ranksOfKnown(hosts(payload)).intersect(selectable));
                    next();
                }
            });
        }

        private static Hostlist hosts(@Nullable Bytes answer) {
            return Hostlist.parse(Json.own(answer == null ? Bytes.EMPTY : answer)
                    .path("hosts")
                    .asText());
        }
    }
}
