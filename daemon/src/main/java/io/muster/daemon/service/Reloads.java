package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.daemon.config.SourceFile;
import io.muster.daemon.core.Answer;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.Redefinition;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Remap;
import io.muster.inventory.graph.Agreement;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.Decision;
import io.muster.inventory.state.Decision.Rejection;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Once;
import io.muster.protocol.admin.ReloadRequest;
import io.muster.protocol.operation.ChangeRequest;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Json;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Serves requests that define R anew from a file on this host. */
final class Reloads {
    /** The answer to a reload says what changed, and the reload has no targets. */
    private static final ChangeRequest RELOAD =
            new ChangeRequest(new DefinitionChanges.Restart(), false, -1, List.of(), false, null);

    private final Inventory inventory;
    private final Consequences consequences;
    private final Changes changes;
    private final Aside files;

    Reloads(Inventory inventory, Consequences consequences, Changes changes, Aside files) {
        this.inventory = inventory;
        this.consequences = consequences;
        this.changes = changes;
        this.files = files;
    }

    /**
     * Defines R anew from a file on this host. While a scheduler holds R, only properties and the expiration may change,
     * because RFC 28 can tell the scheduler nothing else.
     */
    void reload(ReloadRequest request, Principal by, Replier reply) {
        if (request.xml()) {
            reply.fail(new RpcException(Errno.EINVAL, "resources are defined by R here, not by hwloc XML"));
        } else {
            unlessRepeated(
                    request,
                    by,
                    reply,
                    () -> files.run(
                            () -> {
                                Consumer<Replier> read = read(request, by);
                                return () -> read.accept(reply);
                            },
                            bug -> reply.fail(new RpcException(Errno.EIO, bug))));
        }
    }

    /**
     * Continues a reload, unless the same change was made before. A repeated reload gets the answer of the first one,
     * because the file may have changed since, and a scheduler may have acquired the new R.
     */
    private void unlessRepeated(ReloadRequest request, Principal by, Replier reply, Runnable then) {
        ChangeId id = request.id();
        if (id != null && inventory.remembers(id, by)) {
            inventory.whenAnswered(
                    () -> { // the first request may still wait for the disk, and the disk may fail
                        Decision repeated = inventory.state().repetition(id, by);
                        Rejection rejection = repeated == null ? null : repeated.rejection();
                        if (repeated == null) {
                            unlessRepeated(request, by, reply, then);
                        } else if (rejection != null) {
                            reply.fail(new Answer.Rejected(rejection).error());
                        } else {
                            long seq = inventory.state().seqOf(id, by);
                            reply.done(Json.encode(changes.repeated(seq).toJson()));
                        }
                    });
        } else {
            then.run();
        }
    }

    private Consumer<Replier> read(ReloadRequest request, Principal by) {
        String path = request.path();
        try {
            ResourceSet resources = Agreement.require(ResourceSet.parse(SourceFile.read(Path.of(path))));
            return request.dryRun() || changes.configured().flux().live()
                    ? foreseen(request, resources, by)
                    : reply -> redefine(request, resources, by, reply);
        } catch (NoSuchFileException e) {
            return failure(Errno.ENOENT, path, Errno.ENOENT.text());
        } catch (AccessDeniedException e) {
            return failure(Errno.EACCES, path, Errno.EACCES.text());
        } catch (IOException e) {
            return failure(Errno.EIO, path, SourceFile.reason(e));
        } catch (InvalidException | InvalidPathException e) {
            return failure(Errno.EINVAL, path, e.getMessage());
        }
    }

    private static Consumer<Replier> failure(Errno errno, String path, @Nullable String reason) {
        return reply -> reply.fail(new RpcException(errno, path + ": " + reason));
    }

    /** Continues a reload whose consequences are computed first: a dry run, and one that may end waiting jobs. */
    private Consumer<Replier> foreseen(ReloadRequest request, ResourceSet resources, Principal by) {
        Changes.Configured configured = changes.configured();
        Definition present = inventory.committed().state().definition();
        ResourceSet next = configured.definition().apply(resources).resources();
        SortedMap<String, Idset> removed = configured.flux().live()
                ? Consequences.removed(present.resources(), next)
                : Collections.emptySortedMap();
        Consumer<Replier> last;
        if (request.dryRun()) {
            Remap remap = Remap.between(present.base(), next);
            last = reply -> preview(remap, reply);
        } else {
            last = reply -> redefine(request, resources, by, reply);
        }
        return reply -> consequences.before(removed, reply, last);
    }

    private void preview(Remap remap, Replier reply) {
        Answer.Failed elsewhere = inventory.elsewhere();
        List<String> untold = inventory.redefinition().untold(remap);
        if (elsewhere != null) {
            reply.fail(elsewhere.error());
        } else if (!untold.isEmpty()) {
            reply.fail(busy(untold));
        } else {
            reply.done(Json.encode(JsonNodeFactory.instance
                    .objectNode()
                    .put("nnodes", remap.to().nodes())
                    .put("added", remap.added().toString())
                    .put("left", remap.vanished().toString())
                    .put("moved", remap.moved().toString())));
        }
    }

    private static RpcException busy(List<String> untold) {
        return new RpcException(
                Errno.EBUSY,
                "resources are busy (unload scheduler?): the scheduler cannot be sent " + String.join("; ", untold));
    }

    /**
     * Submits the new R. A reload that is sent again is answered as before, although a scheduler may have acquired the new R
     * meanwhile.
     */
    private void redefine(ReloadRequest request, ResourceSet resources, Principal by, Replier reply) {
        Redefinition redefinition = inventory.redefinition();
        redefinition.whenDefined(() -> unlessRepeated(request, by, reply, () -> {
            ChangeId id = request.id();
            redefinition.load(
                    present -> changes.configured().definition().apply(resources),
                    define -> id == null ? define : new Once(define, id),
                    by,
                    untold -> reply.fail(busy(untold)),
                    answer -> changes.answer(answer, id, RELOAD, false, by, reply));
        }));
    }
}
