package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.state.AcquisitionChanges;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.FormatChanges;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.NoteChanges;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The methods of the service {@code resource} that request a command. Each constant has a function that reads the payload and
 * a function that writes it. The keys are those of flux-core, except {@code holder, until, cause, dry-run} and {@code id}, which
 * only Muster has.
 *
 * <pre>
 * drain, undrain                   targets, reason?, mode?, holder?, until? (drain)
 * exclude, include, shrink         targets, reason?
 * online, offline, torpid, lively  targets, cause?
 * property-add, property-remove    properties: {name: targets}
 * expiration-update                expiration
 * monitor-force-down               ranks
 * acquire-release                  owner?, reason?
 * annotate                         targets?, paths?, tag?, mark?, data?
 * upgrade-finish
 * </pre>
 */
@SuppressWarnings("ImmutableEnumChecker") // the functions have no state
public enum AdminMethod {
    DRAIN(
            "drain",
            HoldChanges.Drain.class,
            in -> {
                double until = in.fields().has("until") ? in.fields().number("until") : 0;
                return new HoldChanges.Drain(
                        in.text("targets"),
                        in.optional("reason"),
                        in.mode("Invalid mode specified"),
                        in.fields().textOr("holder", Hold.SHARED),
                        until);
            },
            (command, out) -> {
                put(out, command.targets(), command.reason(), command.mode());
                if (!command.holder().equals(Hold.SHARED)) {
                    out.put("holder", command.holder());
                }
                if (command.until() != 0) {
                    out.put("until", command.until());
                }
            }),
    UNDRAIN(
            "undrain",
            HoldChanges.Undrain.class,
            in -> {
                String fault = "invalid undrain mode '" + in.fields().textOr("mode", "") + "' specified";
                return new HoldChanges.Undrain(
                        in.text("targets"), in.optional("reason"), in.mode(fault), in.optional("holder"));
            },
            (command, out) -> {
                put(out, command.targets(), command.reason(), command.mode());
                if (command.holder() != null) {
                    out.put("holder", command.holder());
                }
            }),
    EXCLUDE(
            "exclude",
            MembershipChanges.Exclude.class,
            in -> new MembershipChanges.Exclude(in.text("targets"), in.optional("reason")),
            (command, out) -> put(out, command.targets(), command.reason(), HoldChanges.Mode.NONE)),
    INCLUDE(
            "include",
            MembershipChanges.Include.class,
            in -> new MembershipChanges.Include(in.text("targets"), in.optional("reason")),
            (command, out) -> put(out, command.targets(), command.reason(), HoldChanges.Mode.NONE)),
    SHRINK(
            "shrink",
            MembershipChanges.Shrink.class,
            in -> new MembershipChanges.Shrink(in.text("targets"), in.optional("reason")),
            (command, out) -> put(out, command.targets(), command.reason(), HoldChanges.Mode.NONE)),
    ONLINE(LivenessChange.ONLINE),
    OFFLINE(LivenessChange.OFFLINE),
    TORPID(LivenessChange.TORPID),
    LIVELY(LivenessChange.LIVELY),
    MONITOR_FORCE_DOWN(
            "monitor-force-down",
            LivenessChanges.ForceDown.class,
            in -> new LivenessChanges.ForceDown(in.ranks()),
            (command, out) -> out.put("ranks", command.ranks().toString())),
    PROPERTY_ADD("property-add", true),
    PROPERTY_REMOVE("property-remove", false),
    EXPIRATION_UPDATE(
            "expiration-update",
            DefinitionChanges.SetExpiration.class,
            in -> new DefinitionChanges.SetExpiration(in.fields().number("expiration")),
            (command, out) -> out.put("expiration", command.expiration())),
    ACQUIRE_RELEASE(
            "acquire-release",
            AcquisitionChanges.Release.class,
            in -> new AcquisitionChanges.Release(in.fields().textOr("owner", ""), in.optional("reason")),
            (command, out) -> {
                if (!command.owner().isEmpty()) {
                    out.put("owner", command.owner());
                }
                if (command.reason() != null) {
                    out.put("reason", command.reason());
                }
            }),
    ANNOTATE(
            "annotate",
            NoteChanges.Annotate.class,
            in -> new NoteChanges.Annotate(in.fields().textOr("targets", ""), in.paths(), NoteEdit.read(in.fields())),
            (command, out) -> {
                if (!command.targets().isEmpty()) {
                    out.put("targets", command.targets());
                }
                if (!command.paths().isEmpty()) {
                    ArrayNode paths = out.putArray("paths");
                    command.paths().forEach(paths::add);
                }
                out.setAll(command.edit().toJson());
            }),
    UPGRADE_FINISH(
            "upgrade-finish",
            FormatChanges.FinishUpgrade.class,
            in -> new FormatChanges.FinishUpgrade(),
            (command, out) -> {});

    private final String verb;
    private final Predicate<Command> means;
    private final Function<Reader, ? extends Command> read;
    private final BiConsumer<Command, ObjectNode> write;

    <C extends Command> AdminMethod(
            String verb, Class<C> type, Function<Reader, C> read, BiConsumer<C, ObjectNode> write) {
        this(verb, type, command -> true, read, write);
    }

    /** A method that reports the liveness of hosts; four methods share one command. */
    AdminMethod(LivenessChange change) {
        this(
                change.word(),
                LivenessChanges.SetLiveness.class,
                command -> command.change() == change,
                in -> new LivenessChanges.SetLiveness(
                        change, in.text("targets"), in.fields().textOr("cause", "")),
                (command, out) -> {
                    out.put("targets", command.targets());
                    if (!command.cause().isEmpty()) {
                        out.put("cause", command.cause());
                    }
                });
    }

    /** A method that changes properties; two methods share one command. */
    AdminMethod(String verb, boolean add) {
        this(
                verb,
                DefinitionChanges.ChangeProperties.class,
                command -> command.add() == add,
                in -> new DefinitionChanges.ChangeProperties(add, in.properties()),
                (command, out) -> {
                    ObjectNode properties = out.putObject("properties");
                    command.properties().forEach(properties::put);
                });
    }

    <C extends Command> AdminMethod(
            String verb, Class<C> type, Predicate<C> means, Function<Reader, C> read, BiConsumer<C, ObjectNode> write) {
        this.verb = verb;
        this.means = command -> type.isInstance(command) && means.test(type.cast(command));
        this.read = read;
        this.write = (command, out) -> write.accept(type.cast(command), out);
    }

    /** Returns the method that requests {@code command}. */
    static AdminMethod of(Command command) {
        return Arrays.stream(values())
                .filter(method -> method.means.test(command))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no request asks for " + command));
    }

    /** Returns whether flux-core has this method too. Flux-core's response to the method has no payload. */
    boolean isOfFlux() {
        return this == DRAIN || this == UNDRAIN || this == MONITOR_FORCE_DOWN || this == EXPIRATION_UPDATE;
    }

    /** Returns the name of the method without the service. */
    public String verb() {
        return verb;
    }

    public String topic() {
        return "resource." + verb;
    }

    Command read(Reader in) {
        return read.apply(in);
    }

    void write(Command command, ObjectNode out) {
        write.accept(command, out);
    }

    private static void put(ObjectNode out, String targets, @Nullable String reason, HoldChanges.Mode mode) {
        out.put("targets", targets);
        if (reason != null) {
            out.put("reason", reason);
        }
        switch (mode) {
            case NONE -> {}
            case UPDATE -> out.put("mode", "update");
            case OVERWRITE -> out.put("mode", "overwrite");
            case FORCE_OVERWRITE -> out.put("mode", "force-overwrite");
        }
    }

    /**
     * Reads the payload of a request. Like flux-core, the reader refuses malformed payloads with EPROTO; unlike flux-core,
     * it says what is wrong.
     */
    record Reader(Fields fields) {
        Reader(AdminMethod method, @Nullable ObjectNode payload) {
            this(new Fields(
                    payload == null ? JsonNodeFactory.instance.objectNode() : payload,
                    "",
                    (place, sentence) ->
                            new RpcException(Errno.EPROTO, method.topic() + ": " + place + " " + sentence)));
        }

        /** Reads the mode; an unknown mode is refused with flux-core's sentence and error number. */
        HoldChanges.Mode mode(String fault) {
            String mode = optional("mode");
            if (mode == null) {
                return HoldChanges.Mode.NONE;
            }
            return switch (mode) {
                case "update" -> HoldChanges.Mode.UPDATE;
                case "overwrite" -> HoldChanges.Mode.OVERWRITE;
                case "force-overwrite" -> HoldChanges.Mode.FORCE_OVERWRITE;
                default -> throw new RpcException(Errno.EINVAL, fault);
            };
        }

        /** Reads the ranks; text that is not an idset is refused with flux-core's sentence and error number. */
        Idset ranks() {
            String text = text("ranks");
            try {
                return Idset.parse(text);
            } catch (MalformedException e) {
                throw new RpcException(Errno.EINVAL, "error parsing range '" + text + "'");
            }
        }

        String text(String key) {
            if (!fields.has(key)) {
                throw fields.fault(key, "is missing");
            }
            return fields.text(key);
        }

        @Nullable
        String optional(String key) {
            return fields.optional(key);
        }

        List<String> paths() {
            if (fields.has("paths") && !fields.json().path("paths").isArray()) {
                throw fields.fault("paths", "must be an array of strings");
            }
            return fields.textsOrNone("paths");
        }

        SortedMap<String, String> properties() {
            String noun = "an object of property names to targets, with at least one";
            ObjectNode object = fields.object("properties", noun).json();
            if (object.isEmpty()) {
                throw fields.fault("properties", "must be " + noun);
            }
            SortedMap<String, String> properties = new TreeMap<>();
            object.properties().forEach(p -> {
                if (!p.getValue().isTextual()) {
                    throw fields.refusal().of("/properties/" + p.getKey(), "must be a string of targets");
                }
                properties.put(p.getKey(), p.getValue().textValue());
            });
            return properties;
        }
    }
}
