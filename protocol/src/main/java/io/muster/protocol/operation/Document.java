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
    /** R itself. */
    R("resource.R"),
    /** Cores, GPUs and properties of hosts. */
    LAYOUT("resource.layout");

    private final String topic;

    Document(String topic) {
        this.topic = topic;
    }

    public String topic() {
        return topic;
    }
}
