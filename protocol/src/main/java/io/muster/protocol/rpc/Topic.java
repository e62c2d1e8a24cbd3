package io.muster.protocol.rpc;

/**
 * A topic (RFC 3 "Request Message Type"); the service is the part before the first period.
 *
 * @param method part after the first period, or ""
 */
public record Topic(String service, String method) {
    public static Topic parse(String topic) {
        int period = topic.indexOf('.');
        return period < 0 ? new Topic(topic, "") : new Topic(topic.substring(0, period), topic.substring(period + 1));
    }

    /** Returns the topic to which deployed services expect the cancellation of this method's streams. */
    public Topic cancel() {
        return new Topic(service, method + "-cancel");
    }

    /** Returns the topic of RFC 6 "Disconnection". */
    public Topic disconnect() {
        return new Topic(service, "disconnect");
    }

    @Override
    public String toString() {
        return method.isEmpty() ? service : service + "." + method;
    }
}
