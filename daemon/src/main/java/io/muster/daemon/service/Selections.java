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
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the hosts for targets as people write them: {@code all}, {@code @PROPERTY}, {@code @{EXPR}} and paths of vertices, besides
 * ranks and hosts. The searches of one request run one after the other. Runs on the core thread.
 */
public final class Selections {
    /** The highest number of parts of a text, each of which may select all hosts or need a search. */
    private static final int MOST_PARTS = 64;

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
     * @param reply is failed if the text is malformed or names something that does not exist
     */
    void find(String text, boolean membersOnly, Account asker, Replier reply, Consumer<String> then) {
        Deque<String> parts = new ArrayDeque<>(TargetExpression.parts(text));
        if (parts.size() > MOST_PARTS && TargetExpression.isSelection(text)) {
            reply.fail(new RpcException(
                    Errno.EINVAL,
                    "targets with all, @PROPERTY or @{EXPR} have at most " + MOST_PARTS + " parts, not "
                            + parts.size()));
            return;
        }
        boolean isPlain = parts.stream().noneMatch(TargetExpression::isSearch) && !TargetExpression.isSelection(text);
        if (isPlain) {
            then.accept(text);
        } else {
            new Choice(text, membersOnly, asker, reply, then, parts).next();
        }
    }

    /** The work for one request. */
    private final class Choice {
        private final String text;
        private final boolean membersOnly;
        private final Account asker;
        private final Replier reply;
        private final Consumer<String> then;
        private final Deque<String> parts;
        private Idset found = Idset.EMPTY;

        Choice(
                String text,
                boolean membersOnly,
                Account asker,
                Replier reply,
                Consumer<String> then,
                Deque<String> parts) {
            this.text = text;
            this.membersOnly = membersOnly;
            this.asker = asker;
            this.reply = reply;
            this.then = then;
            this.parts = parts;
        }

        void next() {
            InventoryState state = inventory.state();
            ResourceSet resources = state.resources();
            Idset selectable = membersOnly ? state.members() : resources.ranks();
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
                reply.fail(new RpcException(Errno.EINVAL, String.valueOf(e.getMessage())));
                return;
            } catch (TargetException e) {
                reply.fail(new RpcException(Errno.ENOENT, String.valueOf(e.getMessage())));
                return;
            }
            if (found.isEmpty()) {
                String absent = membersOnly ? " that is neither excluded nor lost" : "";
                reply.fail(new RpcException(Errno.ENOENT, text + " finds no host" + absent));
            } else {
                then.accept(resources.hostsOf(found).toString());
            }
        }

        private void search(String part, Idset selectable) {
            FindRequest request = FindRequest.ofTarget(part, FindRequest.Output.HOSTS);
            searches.find(Json.encode(request.toJson()), asker, new Replier() {
                @Override
                public void done(@Nullable Bytes payload) {
                    ResourceSet resources = inventory.state().resources();
                    found = found.union(resources.ranksOfKnown(hosts(payload)).intersect(selectable));
                    next();
                }

                @Override
                public void fail(RpcException error) {
                    reply.fail(error);
                }

                @Override
                public boolean isGone() {
                    return reply.isGone();
                }

                @Override
                public void whenGone(Runnable then) {
                    reply.whenGone(then);
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
