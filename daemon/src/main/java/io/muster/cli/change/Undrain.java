package io.muster.cli.change;

import io.muster.cli.terminal.Console;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.HoldChanges;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster undrain}. */
@CommandLine.Command(
        name = "undrain",
        description = {
            "End a hold on hosts. A host is scheduled again when its last hold has ended.",
            "Either all targets are undrained or none. Only the user who placed a hold under another name than "
                    + "admin can end it; --holder=NAME -f lets every user end it."
        },
        footer = {
            "  muster undrain node7",
            "  muster undrain --holder=ops node[0-9] firmware is in",
            "  muster undrain --planned @rack3 postponed"
        })
public final class Undrain extends Change {
    @Parameters(
            index = "0",
            paramLabel = "TARGETS",
            description = "Ranks, hosts, @PROPERTY, @{EXPR} or all. - reads them from standard input.")
    private String targets = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "COMMENT",
            parameterConsumer = ReasonWords.class,
            description = "A comment for the journal: all words after TARGETS.")
    private String @Nullable [] comment;

    @Mixin
    private final OverwriteOptions.OfUndrain force = new OverwriteOptions.OfUndrain();

    @Option(
            names = "--holder",
            paramLabel = "NAME",
            description = "End the hold of this name. Default: admin, which all users share.")
    private @Nullable String holder;

    @Option(names = "--planned", description = "Cancel planned holds, which have not begun, and end no others.")
    private boolean planned;

    public Undrain(Console console) {
        super(console);
    }

    /**
     * Creates the verb without picocli.
     *
     * @param force -u, -f, or neither
     */
    public Undrain(Console console, String force, String targets, String... comment) {
        super(console);
        this.force.set(force);
        this.targets = targets;
        this.comment = comment.length == 0 ? null : comment;
    }

    @Override
    String @Nullable [] words() {
        return comment;
    }

    @Override
    Command command(FluxClient client) throws IOException {
        return new HoldChanges.Undrain(targets(targets), ReasonWords.join(comment), force.mode(), holder, planned);
    }

    /** Returns null for -u, which scripts use to make sure that hosts are not drained. */
    @Override
    @Nullable
    String unchanged() {
        return switch (force.mode()) {
            case OVERWRITE -> "no target has the hold " + holderName();
            case FORCE_OVERWRITE -> "no target has " + (holder == null ? "a hold" : "the hold " + holder);
            default -> null;
        };
    }

    @Override
    String advice(RpcException refusal) {
        if (refusal.errno().equals(Errno.EBUSY)) {
            return "--holder NAME ends the hold of that name, and --holder NAME -f also if another user placed it";
        }
        if (!refusal.errno().equals(Errno.EEXIST)) {
            return "";
        }
        return planned
                ? "-u skips targets without this planned hold"
                : "-u skips targets that are not drained; --planned cancels holds that have not begun";
    }

    private String holderName() {
        return holder == null ? Hold.SHARED : holder;
    }
}
