package io.muster.protocol.rpc;

/**
 * A topic as RFC 3 "Request Message Type" reads it: the service is what stands before the first period.
 *
 * @param method what stands after it, or ""
 */
public record Topic(String service, String method) {
    public static Topic parse(String topic) {
        int period = topic.indexOf('.');
        return period < 0 ? new Topic(topic, "") : new Topic(topic.substring(0, period), topic.substring(period + 1));
    }

    /** Where deployed services take the cancellation of this method's streams. */
    public Topic cancel() {
        return new Topic(service, method + "-cancel");
    }

    /** RFC 6 "Disconnection". */
    public Topic disconnect() {
        return new Topic(service, "disconnect");
    }

    @Override
    public String toString() {
        return method.isEmpty() ? service : service + "." + method;
    }
}
