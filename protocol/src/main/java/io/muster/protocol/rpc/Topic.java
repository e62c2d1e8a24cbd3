package io.muster.protocol.rpc;

/**
 * The topic of a request (RFC 3 "Request Message Type"), such as {@code resource.acquire}. The part before the first period
 * is the service.
 *
 * @param method part after the first period, or ""
 */
public record Topic(String service, String method) {
    public static Topic parse(String topic) {
        int period = topic.indexOf('.');
        return period < 0 ? new Topic(topic, "") : new Topic(topic.substring(0, period), topic.substring(period + 1));
    }

    /** Returns the topic of the request that cancels a stream of this method. */
    public Topic cancel() {
        return new Topic(service, method + "-cancel");
    }

    @Override
    public String toString() {
        return method.isEmpty() ? service : service + "." + method;
    }
}
