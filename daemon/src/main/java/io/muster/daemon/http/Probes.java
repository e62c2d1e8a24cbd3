package io.muster.daemon.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.wire.Json;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code /metrics} for Prometheus, and the probes {@code /healthz}, {@code /readyz} and {@code /leader}. Checks no rights.
 *
 * @param metrics called on the thread of the connection, or on the thread of {@link #rendering}; the others are always
 *     called on the thread of the connection
 */
public record Probes(
        Supplier<String> metrics, Supplier<Health> healthz, Supplier<Health> readyz, Supplier<Health> leader)
        implements Site {
    private static final Logger LOG = LoggerFactory.getLogger("http");
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    /** Returns whether this class serves a path. */
    public static boolean has(String path) {
        return path.equals("/metrics") || path.equals("/healthz") || path.equals("/readyz") || path.equals("/leader");
    }

    @Override
    public void check(Ask head) {
        if (!head.method().equals("GET") && !head.isHead()) {
            throw new Refusal(405, head.path() + " takes GET and HEAD only").with("allow", "GET, HEAD");
        } else if (!has(head.path())) {
            throw new Refusal(404, "the paths here are /metrics, /healthz, /readyz and /leader");
        }
    }

    @Override
    public void serve(Exchange exchange) {
        try {
            exchange.answer(answer(exchange.ask().path()));
        } catch (RuntimeException e) {
            LOG.error("request failed path={}", exchange.ask().path(), e);
            exchange.answer(new Refusal(500, "internal error, see the log").answer());
        }
    }

    /** Returns a site that renders the metrics on another thread than that of the connection. */
    public Site rendering(Executor thread) {
        return new Site() {
            @Override
            public void check(Ask head) {
                Probes.this.check(head);
            }

            @Override
            public void serve(Exchange exchange) {
                if (!exchange.ask().path().equals("/metrics")) {
                    Probes.this.serve(exchange);
                    return;
                }
                try {
                    thread.execute(() -> Probes.this.serve(exchange));
                } catch (RejectedExecutionException e) {
                    throw new Refusal(503, "the daemon is stopping");
                }
            }
        };
    }

    private HttpAnswer answer(String path) {
        return switch (path) {
            case "/metrics" -> HttpAnswer.text(200, PROMETHEUS, metrics.get());
            case "/healthz" -> probe(healthz.get());
            case "/readyz" -> probe(readyz.get());
            default -> lead(leader.get());
        };
    }

    private static HttpAnswer lead(Health leader) {
        ObjectNode body = JsonNodeFactory.instance
                .objectNode()
                .put("schema_version", Json.SCHEMA_VERSION)
                .put("leader", leader.ok());
        if (!leader.ok()) {
            leader.reasons().forEach(body.putArray("reasons")::add);
        }
        return HttpAnswer.text(leader.ok() ? 200 : 503, HttpAnswer.JSON, body + "\n");
    }

    private static HttpAnswer probe(Health health) {
        ObjectNode body = JsonNodeFactory.instance
                .objectNode()
                .put("schema_version", Json.SCHEMA_VERSION)
                .put("ok", health.ok());
        health.reasons().forEach(body.putArray("reasons")::add);
        if (!health.notes().isEmpty()) {
            health.notes().forEach(body.putArray("notes")::add);
        }
        return HttpAnswer.text(health.ok() ? 200 : 503, HttpAnswer.JSON, body + "\n");
    }
}
