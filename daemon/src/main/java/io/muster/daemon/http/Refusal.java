package io.muster.daemon.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.account.Excess;
import io.muster.protocol.wire.Json;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.LinkedHashMap;
import java.util.Map;

/** The reason why a request is not served. The response is a problem by RFC 9457, whose detail is the sentence. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final int MALFORMED = 400;
    private static final int UNAUTHORIZED = 401;
    private static final int UNAVAILABLE = 503;
    private static final int TOO_MANY = 429;

    private final int status;
    private final String errno;
    private final Map<String, String> headers = new LinkedHashMap<>();

    public Refusal(int status, String sentence) {
        this(status, sentence, status == MALFORMED ? "EPROTO" : "");
    }

    /** @param errno the name of the error number that a client of the wire protocol would get; "" for none */
    public Refusal(int status, String sentence, String errno) {
        super(sentence, null, false, false);
        this.status = status;
        this.errno = errno;
        if (status == UNAUTHORIZED) {
            headers.put("www-authenticate", "Bearer");
        } else if (status == UNAVAILABLE) {
            headers.put("retry-after", "1");
        }
    }

    /** Returns the refusal of a request whose user is past a limit. */
    public static Refusal of(Excess excess) {
        return new Refusal(TOO_MANY, String.valueOf(excess.getMessage()), "EAGAIN")
                .with("retry-after", Integer.toString(excess.seconds()));
    }

    /** The refusal of a request that a browser sends because of a page of another site. */
    public static Refusal ofOtherSite() {
        return new Refusal(403, "the daemon serves no pages of other sites, and this request comes from one");
    }

    /** Returns the same refusal with a second reason. */
    public Refusal and(String sentence) {
        return new Refusal(status, getMessage() + "; besides, " + sentence, errno);
    }

    /** Adds a header to the response. */
    public Refusal with(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** Returns the response. */
    public HttpAnswer answer() {
        ObjectNode problem = JsonNodeFactory.instance.objectNode();
        problem.put("schema_version", Json.SCHEMA_VERSION).put("type", "about:blank");
        problem.put("title", HttpResponseStatus.valueOf(status).reasonPhrase());
        problem.put("status", status).put("detail", getMessage());
        if (!errno.isEmpty()) {
            problem.put("errno", errno);
        }
        HttpAnswer answer = HttpAnswer.text(status, HttpAnswer.PROBLEM, problem + "\n");
        return new HttpAnswer(answer.status(), answer.type(), headers, answer.body());
    }
}
