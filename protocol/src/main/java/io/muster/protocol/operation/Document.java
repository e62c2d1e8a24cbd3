package io.muster.protocol.operation;

/** The documents about the state of hosts. */
public enum Document {
    /** The hosts in groups that are alike. */
    STATUS("resource.status-document"),
    /** The hosts with holds, in groups that are alike. */
    HOLDS("resource.holds"),
    /** Hosts one by one. */
    HOSTS("resource.hosts"),
    /** One host. */
    HOST("resource.host"),
    /** The resources that schedulers may use: free, allocated and down. */
    LIST("resource.list"),
    /** Counts, queues, properties, and the newest and oldest problems. */
    SUMMARY("resource.summary"),
    /** What taking the hosts out would do. */
    IMPACT("resource.impact"),
    /** The holds that wait for an action or for a check. */
    WORK("resource.work"),
    /** R itself. */
    R("resource.R"),
    /** Cores, GPUs and properties of hosts. */
    LAYOUT("resource.layout"),
    /** Everything that the daemon knows, with R without {@code scheduling}, and the state as on disk. */
    STATE("resource.state");

    private final String topic;

    Document(String topic) {
        this.topic = topic;
    }

    public String topic() {
        return topic;
    }
}
