package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request that changes the inventory: the methods of service {@code resource} for admins, and the command that each method
 * means. Keys are those of flux-core, which lacks {@code holder, until, cause} and {@code dry-run}.
 *
 * <pre>
 * drain, undrain                   targets, reason?, mode?, holder?, until? (drain)
 * exclude, include, shrink         targets, reason?
 * online, offline, torpid, lively  targets, cause?
 * property-add, property-remove    properties: {name: targets}
 * expiration-update                expiration
 * monitor-force-down               ranks
 * </pre>
 *
 * @param dryRun answer with what would happen, and change nothing
 */
public record AdminRequest(Command command, boolean dryRun) {
    private static final String DRY_RUN = "dry-run";

    /** @return null if {@code method} does not exist or does not change the inventory */
    public static @Nullable AdminRequest parse(String method, @Nullable ObjectNode payload) {
        Reader in = Reader.of(method, payload);
        Command command = switch (method) {
            case "drain" -> in.drain();
            case "undrain" -> in.undrain();
            case "exclude" -> new MembershipChanges.Exclude(in.text("targets"), in.fields.optional("reason"));
            case "include" -> new MembershipChanges.Include(in.text("targets"), in.fields.optional("reason"));
            case "shrink" -> new MembershipChanges.Shrink(in.text("targets"), in.fields.optional("reason"));
            case "online", "offline", "torpid", "lively" ->
                new LivenessChanges.SetLiveness(
                        LivenessChange.of(method), in.text("targets"), in.fields.textOr("cause", ""));
            case "monitor-force-down" -> new LivenessChanges.ForceDown(in.ranks());
            case "property-add" -> new DefinitionChanges.ChangeProperties(true, in.properties());
            case "property-remove" -> new DefinitionChanges.ChangeProperties(false, in.properties());
            case "expiration-update" -> new DefinitionChanges.SetExpiration(in.fields.number("expiration"));
            default -> null;
        };
        return command == null ? null : new AdminRequest(command, in.fields.flag(DRY_RUN));
    }

    /** Returns the topic and the payload that mean {@code command}, for clients. */
    public static Call call(Command command, boolean dryRun) {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        String method = Writer.write(command, payload);
        if (dryRun) {
            payload.put(DRY_RUN, true);
        }
        return new Call("resource." + method, payload);
    }

    public record Call(String topic, ObjectNode payload) {}

    /** Reads the payload. Like flux-core, the reader refuses malformed payloads with EPROTO, and also says what is wrong. */
    private record Reader(Fields fields) {
        static Reader of(String method, @Nullable ObjectNode payload) {
            return new Reader(new Fields(
                    payload == null ? JsonNodeFactory.instance.objectNode() : payload,
                    "",
                    (place, sentence) ->
                            new RpcException(Errno.EPROTO, "resource." + method + ": " + place + " " + sentence)));
        }

        Command drain() {
            double until = fields.has("until") ? fields.number("until") : 0;
            return new HoldChanges.Drain(
                    text("targets"),
                    fields.optional("reason"),
                    mode("Invalid mode specified"),
                    fields.textOr("holder", Hold.SHARED),
                    until);
        }

        Command undrain() {
            String fault = "invalid undrain mode '" + fields.textOr("mode", "") + "' specified";
            return new HoldChanges.Undrain(
                    text("targets"), fields.optional("reason"), mode(fault), fields.optional("holder"));
        }

        /** Reads the mode; an unknown mode is refused with flux-core's sentence and error number. */
        private HoldChanges.Mode mode(String fault) {
            String mode = fields.optional("mode");
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

    /** Writes the keys of a command and returns the name of its method: the inverse of {@link Reader}. */
    private static final class Writer {
        static String write(Command command, ObjectNode out) {
            if (command instanceof HoldChanges.Drain c) {
                put(out, c.targets(), c.reason(), c.mode());
                if (!c.holder().equals(Hold.SHARED)) {
                    out.put("holder", c.holder());
                }
                if (c.until() != 0) {
                    out.put("until", c.until());
                }
                return "drain";
            }
            if (command instanceof HoldChanges.Undrain c) {
                put(out, c.targets(), c.reason(), c.mode());
                if (c.holder() != null) {
                    out.put("holder", c.holder());
                }
                return "undrain";
            }
            return membershipOrReport(command, out);
        }

        private static String membershipOrReport(Command command, ObjectNode out) {
            if (command instanceof MembershipChanges.Exclude c) {
                put(out, c.targets(), c.reason(), HoldChanges.Mode.NONE);
                return "exclude";
            }
            if (command instanceof MembershipChanges.Include c) {
                put(out, c.targets(), c.reason(), HoldChanges.Mode.NONE);
                return "include";
            }
            if (command instanceof MembershipChanges.Shrink c) {
                put(out, c.targets(), c.reason(), HoldChanges.Mode.NONE);
                return "shrink";
            }
            if (command instanceof LivenessChanges.SetLiveness c) {
                out.put("targets", c.targets());
                if (!c.cause().isEmpty()) {
                    out.put("cause", c.cause());
                }
                return c.change().word();
            }
            return inventory(command, out);
        }

        private static String inventory(Command command, ObjectNode out) {
            if (command instanceof LivenessChanges.ForceDown c) {
                out.put("ranks", c.ranks().toString());
                return "monitor-force-down";
            }
            if (command instanceof DefinitionChanges.ChangeProperties c) {
                ObjectNode properties = out.putObject("properties");
                c.properties().forEach(properties::put);
                return c.add() ? "property-add" : "property-remove";
            }
            if (command instanceof DefinitionChanges.SetExpiration c) {
                out.put("expiration", c.expiration());
                return "expiration-update";
            }
            throw new IllegalArgumentException("no request asks for " + command);
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
    }
}
