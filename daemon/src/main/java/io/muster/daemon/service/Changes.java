package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.SourceFile;
import io.muster.daemon.core.AcquireStreams;
import io.muster.daemon.core.Answer;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.WallClock;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.graph.Agreement;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Decision.Rejection;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.Once;
import io.muster.protocol.admin.AdminRequest;
import io.muster.protocol.admin.ChangeAnswer;
import io.muster.protocol.admin.DryRunAnswer;
import io.muster.protocol.admin.ReloadRequest;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Json;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Serves requests that change the inventory, and requests with dry-run, which ask what a change would do. */
public final class Changes {
    private final Inventory inventory;
    private final AcquireStreams acquires;
    private final Aside files;
    private Function<ResourceSet, Command> definition;

    /**
     * @param files reads the file of a new R, which may block; must not be the thread that looks up names for new
     *     connections
     * @param definition returns the command for an R that is reloaded
     */
    public Changes(
            Inventory inventory, AcquireStreams acquires, Aside files, Function<ResourceSet, Command> definition) {
        this.inventory = inventory;
        this.acquires = acquires;
        this.files = files;
        this.definition = definition;
    }

    /** Sets the function that returns the command for an R that is reloaded. */
    public void definition(Function<ResourceSet, Command> next) {
        definition = next;
    }

    void submit(AdminRequest request, Principal by, Replier reply) {
        if (request.dryRun()) {
            preview(request.command(), by, reply);
        } else {
            // A change that is sent again changes nothing the second time, but the answer is that of the first time.
            ChangeId id = request.command().id();
            boolean isRepeated = id != null && inventory.remembers(id, by);
            boolean inWords = !isRepeated && request.isAnsweredInWords();
            inventory.submit(request.command(), by, answer -> {
                if (inWords && answer instanceof Answer.Done done) {
                    ObjectNode words = ChangeAnswer.of(done.entries()).toJson();
                    reply.done(words.isEmpty() ? null : Json.encode(words));
                } else {
                    answer(answer, reply);
                }
            });
        }
    }

    private static void answer(Answer answer, Replier reply) {
        RpcException error = answer.error();
        if (error == null) {
            reply.done(null);
        } else {
            reply.fail(error);
        }
    }

    private void preview(Command command, Principal by, Replier reply) {
        Inventory.Preview preview = inventory.preview(command, by);
        Rejection rejection = preview.decision().rejection();
        if (rejection != null) {
            throw new Answer.Rejected(rejection).error();
        }
        List<ObjectNode> events = new ArrayList<>();
        for (Event event : preview.decision().events()) {
            events.add(new Entry(0, inventory.now(), by, event).toJson());
        }
        List<DryRunAnswer.Update> updates = new ArrayList<>();
        acquires.preview(preview.after()).forEach((stream, next) -> {
            Principal holder = stream.holder();
            updates.add(new DryRunAnswer.Update(holder.user(), holder.pid(), next == null ? null : next.toJson()));
        });
        reply.done(Json.encode(new DryRunAnswer(events, updates).toJson()));
    }

    /**
     * Accepts the time of the wall clock. The response has the sentence that described the doubt, or "" if the clock was not
     * doubted.
     */
    void acceptClock(Principal by, Replier reply) {
        WallClock clock = inventory.clock();
        String trouble = clock.trouble();
        clock.accept(by);
        reply.done(Json.encode(JsonNodeFactory.instance.objectNode().put("trouble", trouble)));
    }

    /**
     * Defines R anew from a file on this host. No scheduler may hold an acquisition, because RFC 28 has no update that adds
     * ranks.
     */
    void reload(ReloadRequest request, Principal by, Replier reply) {
        if (request.xml()) {
            reply.fail(new RpcException(Errno.EINVAL, "resources are defined by R here, not by hwloc XML"));
        } else if (isBusy(request, by)) {
            reply.fail(new RpcException(Errno.EBUSY, "resources are busy (unload scheduler?)"));
        } else {
            files.run(
                    () -> {
                        Consumer<Replier> read = read(request, by);
                        return () -> read.accept(reply);
                    },
                    bug -> reply.fail(new RpcException(Errno.EIO, bug)));
        }
    }

    /** A reload that is sent again is answered as before, although a scheduler may have acquired the new R meanwhile. */
    private boolean isBusy(ReloadRequest request, Principal by) {
        boolean done = request.id() != null && inventory.remembers(request.id(), by);
        return acquires.isAcquired() && !done;
    }

    private Consumer<Replier> read(ReloadRequest request, Principal by) {
        String path = request.path();
        try {
            ResourceSet resources = Agreement.require(ResourceSet.parse(SourceFile.read(Path.of(path))));
            return reply -> redefine(request, resources, by, reply);
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

    /** Submits the new R. A scheduler may have acquired while the file was read, so this is checked again. */
    private void redefine(ReloadRequest request, ResourceSet resources, Principal by, Replier reply) {
        if (isBusy(request, by)) {
            reply.fail(new RpcException(Errno.EBUSY, "resources are busy (unload scheduler?)"));
            return;
        }
        Command define = definition.apply(resources);
        ChangeId id = request.id();
        inventory.submit(id == null ? define : new Once(define, id), by, answer -> answer(answer, reply));
    }
}
