package io.muster.protocol.operation;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.state.AcquisitionChanges;
import io.muster.inventory.state.CheckChanges;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.FormatChanges;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.NoteChanges;
import io.muster.inventory.state.WorkChanges;
import io.muster.protocol.admin.Payload;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How the payload of a change is read and written. The keys are those of flux-core, except {@code holder, from, until, for, class, ticket,
 * check, action, planned, cause, dry-run} and {@code id}, which only Muster has.
 *
 * <pre>
 * drain                            targets, reason?, mode?, holder?, from?, until?, for?, class?, ticket?, check?, action?
 * undrain                          targets, reason?, mode?, holder?, planned?
 * exclude, include, shrink         targets, reason?
 * online, offline, torpid, lively  targets, cause?
 * property-add, property-remove    properties: {name: targets}
 * expiration-update                expiration
 * monitor-force-down               ranks
 * acquire-release                  owner?, reason?
 * check-result                     host, check, attempt, result, detail?
 * boot                             host, boot
 * work-claim                       host, attempt, lease?
 * work-result                      host, attempt, result, detail?
 * annotate                         targets?, paths?, tag?, mark?, data?
 * upgrade-finish
 * </pre>
 *
 * <p>A request may have {@code select} in place of {@code targets}: see {@link ChangeRequest.Selection}.
 *
 * @param topic the topic of the request
 * @param means which of the commands of this type the change is: several changes may share a command
 */
record ChangeForm<C extends Command>(
        String topic, Class<C> type, Predicate<C> means, Function<Reader, C> read, BiConsumer<C, ObjectNode> write) {
    static final String TARGETS = "targets";
    static final String SELECT = "select";
    private static final String PROPERTIES = "properties";

    static final ChangeForm<HoldChanges.Drain> DRAIN = new ChangeForm<>(
            "resource.drain",
            HoldChanges.Drain.class,
            in -> {
                Fields fields = in.fields();
                if (fields.has("until") && fields.has("for")) {
                    throw fields.fault("for", "and /until must not both be given");
                }
                return new HoldChanges.Drain(
                        in.targets(),
                        in.optional("reason"),
                        in.mode("Invalid mode specified"),
                        fields.textOr("holder", Hold.SHARED),
                        fields.has("from") ? fields.number("from") : 0,
                        fields.has("until") ? fields.number("until") : 0,
                        fields.has("for") ? fields.number("for") : 0,
                        Purpose.read(fields));
            },
            (command, out) -> {
                put(out, command.targets(), command.reason(), command.mode());
                if (!command.holder().equals(Hold.SHARED)) {
                    out.put("holder", command.holder());
                }
                putUnlessNone(out, "from", command.from());
                putUnlessNone(out, "until", command.until());
                putUnlessNone(out, "for", command.lasts());
                for (Map.Entry<String, String> word : command.purpose().words().entrySet()) {
                    out.put(word.getKey(), word.getValue());
                }
            });

    static final ChangeForm<HoldChanges.Undrain> UNDRAIN = new ChangeForm<>(
            "resource.undrain",
            HoldChanges.Undrain.class,
            in -> {
                String fault = "invalid undrain mode '" + in.fields().textOr("mode", "") + "' specified";
                return new HoldChanges.Undrain(
                        in.targets(),
                        in.optional("reason"),
                        in.mode(fault),
                        in.optional("holder"),
                        in.fields().flag("planned"));
            },
            (command, out) -> {
                put(out, command.targets(), command.reason(), command.mode());
                if (command.holder() != null) {
                    out.put("holder", command.holder());
                }
                if (command.planned()) {
                    out.put("planned", true);
                }
            });

    static final ChangeForm<MembershipChanges.Exclude> EXCLUDE = new ChangeForm<>(
            "resource.exclude",
            MembershipChanges.Exclude.class,
            in -> new MembershipChanges.Exclude(in.targets(), in.optional("reason")),
            (command, out) -> put(out, command.targets(), command.reason(), HoldChanges.Mode.NONE));

    static final ChangeForm<MembershipChanges.Include> INCLUDE = new ChangeForm<>(
            "resource.include",
            MembershipChanges.Include.class,
            in -> new MembershipChanges.Include(in.targets(), in.optional("reason")),
            (command, out) -> put(out, command.targets(), command.reason(), HoldChanges.Mode.NONE));

    static final ChangeForm<MembershipChanges.Shrink> SHRINK = new ChangeForm<>(
            "resource.shrink",
            MembershipChanges.Shrink.class,
            in -> new MembershipChanges.Shrink(in.targets(), in.optional("reason")),
            (command, out) -> put(out, command.targets(), command.reason(), HoldChanges.Mode.NONE));

    static final ChangeForm<LivenessChanges.SetLiveness> ONLINE = liveness("resource.online", LivenessChange.ONLINE);
    static final ChangeForm<LivenessChanges.SetLiveness> OFFLINE = liveness("resource.offline", LivenessChange.OFFLINE);
    static final ChangeForm<LivenessChanges.SetLiveness> TORPID = liveness("resource.torpid", LivenessChange.TORPID);
    static final ChangeForm<LivenessChanges.SetLiveness> LIVELY = liveness("resource.lively", LivenessChange.LIVELY);
    static final ChangeForm<LivenessChanges.ForceDown> MONITOR_FORCE_DOWN = new ChangeForm<>(
            "resource.monitor-force-down",
            LivenessChanges.ForceDown.class,
            in -> new LivenessChanges.ForceDown(in.ranks()),
            (command, out) -> out.put("ranks", command.ranks().toString()));

    static final ChangeForm<DefinitionChanges.ChangeProperties> PROPERTY_ADD =
            properties("resource.property-add", true);
    static final ChangeForm<DefinitionChanges.ChangeProperties> PROPERTY_REMOVE =
            properties("resource.property-remove", false);
    static final ChangeForm<DefinitionChanges.SetExpiration> EXPIRATION_UPDATE = new ChangeForm<>(
            "resource.expiration-update",
            DefinitionChanges.SetExpiration.class,
            in -> new DefinitionChanges.SetExpiration(in.fields().number("expiration")),
            (command, out) -> out.put("expiration", command.expiration()));

    static final ChangeForm<AcquisitionChanges.Release> ACQUIRE_RELEASE = new ChangeForm<>(
            "resource.acquire-release",
            AcquisitionChanges.Release.class,
            in -> new AcquisitionChanges.Release(in.fields().textOr("owner", ""), in.optional("reason")),
            (command, out) -> {
                if (!command.owner().isEmpty()) {
                    out.put("owner", command.owner());
                }
                if (command.reason() != null) {
                    out.put("reason", command.reason());
                }
            });

    static final ChangeForm<NoteChanges.Annotate> ANNOTATE = new ChangeForm<>(
            "resource.annotate",
            NoteChanges.Annotate.class,
            in -> new NoteChanges.Annotate(in.targetsOrNone(), in.paths(), NoteEdit.read(in.fields())),
            (command, out) -> {
                if (!command.targets().isEmpty()) {
                    out.put("targets", command.targets());
                }
                if (!command.paths().isEmpty()) {
                    ArrayNode paths = out.putArray("paths");
                    command.paths().forEach(paths::add);
                }
                out.setAll(command.edit().toJson());
            });

    static final ChangeForm<CheckChanges.ReportCheck> CHECK_RESULT = new ChangeForm<>(
            "resource.check-result",
            CheckChanges.ReportCheck.class,
            in -> new CheckChanges.ReportCheck(
                    in.fields().text("host"),
                    in.fields().text("check"),
                    in.attempt(),
                    in.result("ok"),
                    in.fields().textOr("detail", "")),
            (command, out) -> {
                out.put("host", command.host()).put("check", command.check()).put("attempt", command.attempt());
                putResult(out, command.ok() ? "ok" : "failed", command.detail());
            });

    static final ChangeForm<CheckChanges.ReportBoot> BOOT = new ChangeForm<>(
            "resource.boot",
            CheckChanges.ReportBoot.class,
            in -> new CheckChanges.ReportBoot(
                    in.fields().text("host"), in.fields().text("boot")),
            (command, out) -> out.put("host", command.host()).put("boot", command.boot()));

    static final ChangeForm<WorkChanges.ClaimWork> WORK_CLAIM = new ChangeForm<>(
            "resource.work-claim",
            WorkChanges.ClaimWork.class,
            in -> new WorkChanges.ClaimWork(
                    in.fields().text("host"),
                    in.attempt(),
                    in.fields().has("lease") ? in.fields().number("lease") : WorkChanges.USUAL_LEASE),
            (command, out) -> out.put("host", command.host())
                    .put("attempt", command.attempt())
                    .put("lease", command.lasts()));

    static final ChangeForm<WorkChanges.ReportWork> WORK_RESULT = new ChangeForm<>(
            "resource.work-result",
            WorkChanges.ReportWork.class,
            in -> new WorkChanges.ReportWork(
                    in.fields().text("host"),
                    in.attempt(),
                    in.result("done"),
                    in.fields().textOr("detail", "")),
            (command, out) -> {
                out.put("host", command.host()).put("attempt", command.attempt());
                putResult(out, command.done() ? "done" : "failed", command.detail());
            });

    static final ChangeForm<FormatChanges.FinishUpgrade> UPGRADE_FINISH = new ChangeForm<>(
            "resource.upgrade-finish",
            FormatChanges.FinishUpgrade.class,
            in -> new FormatChanges.FinishUpgrade(),
            (command, out) -> {});

    /** All forms. A client finds the form of its command here, and so need not load the table {@link Operations}. */
    static final List<ChangeForm<?>> ALL = List.of(
            DRAIN,
            UNDRAIN,
            CHECK_RESULT,
            BOOT,
            WORK_CLAIM,
            WORK_RESULT,
            EXCLUDE,
            INCLUDE,
            SHRINK,
            PROPERTY_ADD,
            PROPERTY_REMOVE,
            ONLINE,
            OFFLINE,
            TORPID,
            LIVELY,
            MONITOR_FORCE_DOWN,
            EXPIRATION_UPDATE,
            ACQUIRE_RELEASE,
            ANNOTATE,
            UPGRADE_FINISH);

    private ChangeForm(String topic, Class<C> type, Function<Reader, C> read, BiConsumer<C, ObjectNode> write) {
        this(topic, type, command -> true, read, write);
    }

    /** The form of a report about the liveness of hosts; four changes share one command. */
    private static ChangeForm<LivenessChanges.SetLiveness> liveness(String topic, LivenessChange change) {
        return new ChangeForm<>(
                topic,
                LivenessChanges.SetLiveness.class,
                command -> command.change() == change,
                in -> new LivenessChanges.SetLiveness(
                        change, in.targets(), in.fields().textOr("cause", "")),
                (command, out) -> {
                    out.put("targets", command.targets());
                    if (!command.cause().isEmpty()) {
                        out.put("cause", command.cause());
                    }
                });
    }

    /** The form of a change of properties; two changes share one command. */
    private static ChangeForm<DefinitionChanges.ChangeProperties> properties(String topic, boolean add) {
        return new ChangeForm<>(
                topic,
                DefinitionChanges.ChangeProperties.class,
                command -> command.add() == add,
                in -> new DefinitionChanges.ChangeProperties(add, in.properties()),
                (command, out) -> {
                    ObjectNode properties = out.putObject("properties");
                    command.properties().forEach(properties::put);
                });
    }

    /** Returns the form of the change that {@code command} carries out. */
    static ChangeForm<?> of(Command command) {
        for (ChangeForm<?> form : ALL) {
            if (form.isFor(command)) {
                return form;
            }
        }
        throw new IllegalArgumentException("no request asks for " + command);
    }

    private boolean isFor(Command command) {
        return type.isInstance(command) && means.test(type.cast(command));
    }

    /** Returns a payload with the targets that were found, in the order in which {@link Reader#read} returns them. */
    static ObjectNode replaced(ObjectNode payload, boolean ofProperties, List<String> found) {
        ObjectNode replaced = payload.deepCopy();
        replaced.remove(SELECT);
        if (ofProperties) {
            SortedMap<String, String> sorted = new TreeMap<>();
            payload.path(PROPERTIES).fieldNames().forEachRemaining(name -> sorted.put(name, ""));
            Iterator<String> next = found.iterator();
            ObjectNode properties = replaced.putObject(PROPERTIES);
            sorted.keySet().forEach(name -> properties.put(name, next.next()));
        } else {
            replaced.put(TARGETS, found.get(0));
        }
        return replaced;
    }

    void write(Command command, ObjectNode out) {
        write.accept(type.cast(command), out);
    }

    private static void putUnlessNone(ObjectNode out, String key, double number) {
        if (number != 0) {
            out.put(key, number);
        }
    }

    private static void putResult(ObjectNode out, String result, String detail) {
        out.put("result", result);
        if (!detail.isEmpty()) {
            out.put("detail", detail);
        }
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
    static final class Reader {
        private final Fields fields;
        private List<String> targets = List.of();
        private boolean ofProperties;

        Reader(String topic, ObjectNode payload) {
            this.fields = Payload.fields(topic, payload);
        }

        Fields fields() {
            return fields;
        }

        /** Returns the targets that were read: one text, or one for each property; none if the change has no targets. */
        List<String> read() {
            return targets;
        }

        /** Returns whether the change has targets for each property. */
        boolean isOfProperties() {
            return ofProperties;
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

        /** Returns the targets, or the text that selects them: a request has exactly one of the two. */
        String targets() {
            boolean both = fields.has(TARGETS) && fields.has(SELECT);
            if (both) {
                throw fields.fault(SELECT, "and /" + TARGETS + " must not both be given");
            }
            String text = text(fields.has(SELECT) ? SELECT : TARGETS);
            targets = List.of(text);
            return text;
        }

        /** Returns the text that selects the targets; null if the request names them. */
        @Nullable
        String selected() {
            return fields.optional(SELECT);
        }

        String targetsOrNone() {
            return fields.has(TARGETS) || fields.has(SELECT) ? targets() : "";
        }

        private String text(String key) {
            if (!fields.has(key)) {
                throw fields.fault(key, "is missing");
            }
            return fields.text(key);
        }

        @Nullable
        String optional(String key) {
            return fields.optional(key);
        }

        long attempt() {
            return fields.integer("attempt", 1, Long.MAX_VALUE);
        }

        /** Returns whether the result is the good one; the other one is {@code failed}. */
        boolean result(String good) {
            String result = fields.text("result");
            if (!result.equals(good) && !result.equals("failed")) {
                throw fields.fault("result", "must be " + good + " or failed");
            }
            return result.equals(good);
        }

        List<String> paths() {
            if (fields.has("paths") && !fields.json().path("paths").isArray()) {
                throw fields.fault("paths", "must be an array of strings");
            }
            return fields.textsOrNone("paths");
        }

        SortedMap<String, String> properties() {
            String noun = "an object of property names to targets, with at least one";
            ObjectNode object = fields.object(PROPERTIES, noun).json();
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
            targets = List.copyOf(properties.values());
            ofProperties = true;
            return properties;
        }
    }
}
