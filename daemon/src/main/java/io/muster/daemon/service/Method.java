package io.muster.daemon.service;

import io.muster.daemon.access.Right;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Every topic that is served, and who may ask. */
public enum Method {
    ACQUIRE("resource.acquire", Right.ACQUIRE),
    ACQUIRE_CANCEL("resource.acquire-cancel", Right.ACQUIRE),
    ACQUIRE_MUTE("resource.acquire-mute", Right.CHANGE),
    DISCONNECT("resource.disconnect", Right.READ),
    STATUS("resource.status", Right.READ),
    SCHED_STATUS("resource.sched-status", Right.READ),
    GET("resource.get", Right.READ),
    INVENTORY("resource.inventory", Right.READ),
    DRAIN("resource.drain", Right.CHANGE),
    UNDRAIN("resource.undrain", Right.CHANGE),
    EXCLUDE("resource.exclude", Right.CHANGE),
    INCLUDE("resource.include", Right.CHANGE),
    SHRINK("resource.shrink", Right.CHANGE),
    PROPERTY_ADD("resource.property-add", Right.CHANGE),
    PROPERTY_REMOVE("resource.property-remove", Right.CHANGE),
    ONLINE("resource.online", Right.CHANGE),
    OFFLINE("resource.offline", Right.CHANGE),
    TORPID("resource.torpid", Right.CHANGE),
    LIVELY("resource.lively", Right.CHANGE),
    FORCE_DOWN("resource.monitor-force-down", Right.CHANGE),
    EXPIRATION("resource.expiration-update", Right.CHANGE),
    RELOAD("resource.reload", Right.CHANGE),
    CLOCK_ACCEPT("resource.clock-accept", Right.CHANGE),
    WAITUP("resource.monitor-waitup", Right.READ),
    JOURNAL("resource.journal", Right.FOLLOW),
    JOURNAL_CANCEL("resource.journal-cancel", Right.FOLLOW),
    PING("resource.ping", Right.READ),
    STATS("resource.stats-get", Right.READ),
    FEASIBILITY("feasibility.check", Right.READ),
    FEASIBILITY_PING("feasibility.ping", Right.READ),
    ATTR_GET("attr.get", Right.READ),
    ATTR_LIST("attr.list", Right.READ),
    CONFIG_GET("config.get", Right.READ),
    LOG_APPEND("log.append", Right.READ);

    private static final Map<String, Method> BY_TOPIC = new HashMap<>();
    private static final Map<String, Boolean> SERVICES = new HashMap<>();

    static {
        for (Method method : values()) {
            BY_TOPIC.put(method.topic, method);
            SERVICES.put(method.service(), true);
        }
    }

    private final String topic;
    private final Right right;

    Method(String topic, Right right) {
        this.topic = topic;
        this.right = right;
    }

    public static @Nullable Method of(String topic) {
        return BY_TOPIC.get(topic);
    }

    /** Whether any topic of this service is served. */
    static boolean isService(String service) {
        return SERVICES.containsKey(service);
    }

    public String topic() {
        return topic;
    }

    public Right right() {
        return right;
    }

    /** Whether a request has no effect but its answer. */
    boolean isQuery() {
        return right == Right.READ && this != DISCONNECT && this != LOG_APPEND;
    }

    /** What stands before the period. */
    String service() {
        return topic.substring(0, topic.indexOf('.'));
    }

    /** What stands after the period. */
    String verb() {
        return topic.substring(topic.indexOf('.') + 1);
    }
}
