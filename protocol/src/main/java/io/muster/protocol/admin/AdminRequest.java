package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.state.Command;
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
        Reader in = new Reader(method, payload);
        Command command = switch (method) {
            case "drain" -> in.drain();
            case "undrain" -> in.undrain();
            case "exclude" -> new Command.Exclude(in.text("targets"), in.optional("reason"));
            case "include" -> new Command.Include(in.text("targets"), in.optional("reason"));
            case "shrink" -> new Command.Shrink(in.text("targets"), in.optional("reason"));
            case "online", "offline", "torpid", "lively" ->
                new Command.Report(method, in.text("targets"), in.textOr("cause", ""));
            case "monitor-force-down" -> new Command.ForceDown(in.ranks());
            case "property-add" -> new Command.Properties(true, in.properties());
            case "property-remove" -> new Command.Properties(false, in.properties());
            case "expiration-update" -> new Command.SetExpiration(in.number("expiration"));
            default -> null;
        };
        return command == null ? null : new AdminRequest(command, in.flag(DRY_RUN));
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
    private record Reader(String method, @Nullable ObjectNode payload) {
        Command drain() {
            double until = payload != null && payload.has("until") ? number("until") : 0;
            return new Command.Drain(
                    text("targets"),
                    optional("reason"),
                    mode("Invalid mode specified"),
                    textOr("holder", Hold.SHARED),
                    until);
        }

        Command undrain() {
            String fault = "invalid undrain mode '" + textOr("mode", "") + "' specified";
            return new Command.Undrain(text("targets"), optional("reason"), mode(fault), optional("holder"));
        }

        /** Reads the mode; an unknown mode is refused with flux-core's sentence and error number. */
        private Command.Mode mode(String fault) {
            String mode = optional("mode");
            if (mode == null) {
                return Command.Mode.NONE;
            }
            return switch (mode) {
                case "update" -> Command.Mode.UPDATE;
                case "overwrite" -> Command.Mode.OVERWRITE;
                case "force-overwrite" -> Command.Mode.FORCE_OVERWRITE;
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
            String value = optional(key);
            if (value == null) {
                throw fault(key, "is missing");
            }
            return value;
        }

        String textOr(String key, String otherwise) {
            String value = optional(key);
            return value == null ? otherwise : value;
        }

        @Nullable
        String optional(String key) {
            JsonNode value = payload == null ? null : payload.get(key);
            if (value != null && !value.isTextual()) {
                throw fault(key, "must be a string");
            }
            return value == null ? null : value.textValue();
        }

        double number(String key) {
            JsonNode value = payload == null ? null : payload.get(key);
            if (value == null || !value.isNumber()) {
                throw fault(key, "must be a number");
            }
            return value.doubleValue();
        }

        boolean flag(String key) {
            JsonNode value = payload == null ? null : payload.get(key);
            if (value != null && !value.isBoolean()) {
                throw fault(key, "must be true or false");
            }
            return value != null && value.booleanValue();
        }

        SortedMap<String, String> properties() {
            JsonNode object = payload == null ? null : payload.get("properties");
            if (object == null || !object.isObject() || object.isEmpty()) {
                throw fault("properties", "must be an object of property names to targets, with at least one");
            }
            SortedMap<String, String> properties = new TreeMap<>();
            object.properties().forEach(p -> {
                if (!p.getValue().isTextual()) {
                    throw fault("properties/" + p.getKey(), "must be a string of targets");
                }
                properties.put(p.getKey(), p.getValue().textValue());
            });
            return properties;
        }

        private RpcException fault(String key, String sentence) {
            return new RpcException(Errno.EPROTO, "resource." + method + ": /" + key + " " + sentence);
        }
    }

    /** Writes the keys of a command and returns the name of its method: the inverse of {@link Reader}. */
    private static final class Writer {
        static String write(Command command, ObjectNode out) {
            if (command instanceof Command.Drain c) {
                put(out, c.targets(), c.reason(), c.mode());
                if (!c.holder().equals(Hold.SHARED)) {
                    out.put("holder", c.holder());
                }
                if (c.until() != 0) {
                    out.put("until", c.until());
                }
                return "drain";
            }
            if (command instanceof Command.Undrain c) {
                put(out, c.targets(), c.reason(), c.mode());
                if (c.holder() != null) {
                    out.put("holder", c.holder());
                }
                return "undrain";
            }
            return membershipOrReport(command, out);
        }

        private static String membershipOrReport(Command command, ObjectNode out) {
            if (command instanceof Command.Exclude c) {
                put(out, c.targets(), c.reason(), Command.Mode.NONE);
                return "exclude";
            }
            if (command instanceof Command.Include c) {
                put(out, c.targets(), c.reason(), Command.Mode.NONE);
                return "include";
            }
            if (command instanceof Command.Shrink c) {
                put(out, c.targets(), c.reason(), Command.Mode.NONE);
                return "shrink";
            }
            if (command instanceof Command.Report c) {
                out.put("targets", c.targets());
                if (!c.cause().isEmpty()) {
                    out.put("cause", c.cause());
                }
                return c.name();
            }
            return inventory(command, out);
        }

        private static String inventory(Command command, ObjectNode out) {
            if (command instanceof Command.ForceDown c) {
                out.put("ranks", c.ranks().toString());
                return "monitor-force-down";
            }
            if (command instanceof Command.Properties c) {
                ObjectNode properties = out.putObject("properties");
                c.properties().forEach(properties::put);
                return c.add() ? "property-add" : "property-remove";
            }
            if (command instanceof Command.SetExpiration c) {
                out.put("expiration", c.expiration());
                return "expiration-update";
            }
            throw new IllegalArgumentException("no request asks for " + command);
        }

        private static void put(ObjectNode out, String targets, @Nullable String reason, Command.Mode mode) {
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
