package io.muster.daemon.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.etcd.EtcdException.Fate;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The calls of etcd that the ledger needs, over the JSON gateway of etcd's client port. A call goes to one member. After a
 * call that was not answered, the next call goes to the next member; {@link #nearLeader} goes to the member that leads etcd. Each
 * object is used by one thread only.
 */
final class EtcdGateway implements Etcd {
    /** How long a member may take to accept a connection. */
    private static final int CONNECT_MILLIS = 500;

    /** How often {@link #nearLeader} looks, and how long it lets a call go where it goes after a failure. */
    private static final long SEEK_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long AVOID_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int SEEK_MILLIS = 300;

    private static final ObjectMapper JSON = JsonMapper.builder().build();

    /** The codes of gRPC with which etcd answers a request that it has not carried out and never will. */
    private static final List<Integer> REFUSALS = List.of(3, 5, 7, 9, 11, 12, 16);

    /** The code of gRPC for a request that exceeds a limit (RESOURCE_EXHAUSTED). */
    private static final int EXHAUSTED = 8;

    private final EtcdAccess access;
    private int at;
    private @Nullable EtcdConnection http;
    private long seekAt = System.nanoTime();

    /** @param first the index of the endpoint to begin with */
    EtcdGateway(EtcdAccess access, int first) {
        this.access = access;
        this.at = Math.floorMod(first, access.endpoints().size());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Result transact(List<Compare> compare, List<Op> then, List<Op> otherwise, int timeoutMillis)
            throws EtcdException {
        ObjectNode body = JSON.createObjectNode();
        ArrayNode conditions = body.putArray("compare");
        for (Compare condition : compare) {
            conditions
                    .addObject()
                    .put("key", bytes(condition.key()))
                    .put("result", "EQUAL")
                    .put("target", "MOD")
                    .put("mod_revision", Long.toString(condition.modRevision()));
        }
        ArrayNode success = body.putArray("success");
        then.forEach(op -> success.add(op.toJson()));
        ArrayNode failure = body.putArray("failure");
        otherwise.forEach(op -> failure.add(op.toJson()));
        JsonNode answer = call("/v3/kv/txn", body, timeoutMillis);
        List<List<Entry>> found = new ArrayList<>();
        for (JsonNode response : answer.path("responses")) {
            if (response.has("response_range")) {
                found.add(entries(response.path("response_range").path("kvs")));
            }
        }
        return new Result(
                answer.path("succeeded").asBoolean(),
                answer.path("header").path("revision").asLong(),
                found);
    }

    private static List<Entry> entries(JsonNode nodes) throws EtcdException {
        List<Entry> entries = new ArrayList<>();
        for (JsonNode node : nodes) {
            try {
                byte[] key = node.path("key").binaryValue();
                byte[] value = node.has("value") ? node.path("value").binaryValue() : new byte[0];
                entries.add(new Entry(
                        new String(key == null ? new byte[0] : key, StandardCharsets.UTF_8),
                        value == null ? new byte[0] : value,
                        node.path("mod_revision").asLong(),
                        node.path("lease").asLong()));
            } catch (IOException e) {
                throw new EtcdException(Fate.UNKNOWN, "etcd's answer is not in base64: " + e.getMessage(), e);
            }
        }
        return entries;
    }

    @Override
    public long grant(long ttlSeconds, int timeoutMillis) throws EtcdException {
        JsonNode answer =
                call("/v3/lease/grant", JSON.createObjectNode().put("TTL", Long.toString(ttlSeconds)), timeoutMillis);
        return answer.path("ID").asLong();
    }

    @Override
    public long keepAlive(long lease, int timeoutMillis) throws EtcdException {
        JsonNode answer =
                call("/v3/lease/keepalive", JSON.createObjectNode().put("ID", Long.toString(lease)), timeoutMillis);
        if (answer.has("error")) {
            throw failure(200, answer.path("error"));
        }
        return answer.path("result").path("TTL").asLong();
    }

    @Override
    public void revoke(long lease, int timeoutMillis) throws EtcdException {
        call("/v3/lease/revoke", JSON.createObjectNode().put("ID", Long.toString(lease)), timeoutMillis);
    }

    @Override
    public void compact(long revision, int timeoutMillis) throws EtcdException {
        try {
            call("/v3/kv/compaction", JSON.createObjectNode().put("revision", Long.toString(revision)), timeoutMillis);
        } catch (EtcdException e) {
            if (!e.sentence().contains("required revision has been compacted")) {
                throw e;
            }
        }
    }

    @Override
    public Status status(int timeoutMillis) throws EtcdException {
        JsonNode answer = call("/v3/maintenance/status", JSON.createObjectNode(), timeoutMillis);
        return new Status(answer.path("version").asText(), answer.path("dbSize").asLong());
    }

    /**
     * Goes to the member that leads etcd, now and then, if one of the endpoints is a client URL of that member and the member answers there:
     * a transaction at any other member is passed on to it.
     */
    @Override
    public void nearLeader() {
        if (System.nanoTime() - seekAt < 0) {
            return;
        }
        seekAt = System.nanoTime() + SEEK_NANOS;
        try {
            JsonNode status = call("/v3/maintenance/status", JSON.createObjectNode(), SEEK_MILLIS);
            String leader = status.path("leader").asText();
            if (leader.equals(status.path("header").path("member_id").asText())) {
                return;
            }
            JsonNode members = call("/v3/cluster/member/list", JSON.createObjectNode(), SEEK_MILLIS)
                    .path("members");
            for (JsonNode member : members) {
                for (JsonNode url : member.path("clientURLs")) {
                    int found = access.endpoints().indexOf(URI.create(url.asText()));
                    if (found >= 0 && leader.equals(member.path("ID").asText())) {
                        go(found);
                        call("/v3/maintenance/status", JSON.createObjectNode(), SEEK_MILLIS);
                        return;
                    }
                }
            }
        } catch (EtcdException | IllegalArgumentException e) {
            seekAt = System.nanoTime() + AVOID_NANOS;
        }
    }

    /** The endpoint to which the next call goes. */
    URI endpoint() {
        return access.endpoints().get(at);
    }

    private JsonNode call(String path, ObjectNode body, int timeoutMillis) throws EtcdException {
        String token = access.login().token(this::authenticate);
        try {
            return exchange(path, token, body, timeoutMillis);
        } catch (EtcdException e) {
            // A token that has expired, or is older than the last change of users, was refused before the request was
            // carried out.
            boolean stale = e.fate() == Fate.REFUSED
                    && !token.isEmpty()
                    && (e.sentence().contains("invalid auth token")
                            || e.sentence().contains("revision in header")
                            || e.sentence().contains("revision of auth store is old"));
            if (!stale) {
                throw e;
            }
            access.login().forget(token);
            return exchange(path, access.login().token(this::authenticate), body, timeoutMillis);
        }
    }

    private String authenticate(String user, String password, int timeoutMillis) throws EtcdException {
        ObjectNode login = JSON.createObjectNode().put("name", user).put("password", password);
        return exchange("/v3/auth/authenticate", "", login, timeoutMillis)
                .path("token")
                .asText();
    }

    private JsonNode exchange(String path, String authorization, ObjectNode body, int timeoutMillis)
            throws EtcdException {
        Fate fate = Fate.NOT_SENT;
        try {
            byte[] request = JSON.writeValueAsBytes(body);
            EtcdConnection connection = connection(timeoutMillis);
            fate = Fate.UNKNOWN;
            EtcdConnection.Response response = connection.post(path, authorization, request, timeoutMillis);
            JsonNode answer = JSON.readTree(response.body());
            if (response.status() != 200) {
                throw failure(response.status(), answer);
            }
            return answer;
        } catch (EtcdException e) {
            if (e.fate() == Fate.UNKNOWN) {
                next();
            }
            throw e;
        } catch (IOException e) {
            String where = endpoint().toString();
            next();
            String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            throw new EtcdException(fate, where + ": " + why, e);
        }
    }

    private EtcdConnection connection(int timeoutMillis) throws IOException {
        EtcdConnection open = http;
        if (open == null) {
            EtcdTls tls = endpoint().getScheme().equals("https") ? access.tls() : null;
            open = new EtcdConnection(
                    endpoint(), tls == null ? null : tls.sockets(), Math.min(CONNECT_MILLIS, timeoutMillis));
            http = open;
        }
        return open;
    }

    /** Leaves a member that has not answered. */
    private void next() {
        go((at + 1) % access.endpoints().size());
        seekAt = System.nanoTime() + AVOID_NANOS;
    }

    private void go(int endpoint) {
        close();
        at = endpoint;
    }

    /** The failure that an answer names. Gateways before etcd 3.6 send {@code error}, later ones only {@code message}. */
    private EtcdException failure(int status, JsonNode answer) {
        JsonNode error = answer.path("error");
        int code = answer.path("code").asInt(answer.path("grpc_code").asInt(-1));
        String text = answer.path("message").asText(error.isTextual() ? error.asText() : "HTTP status " + status);
        String sentence = endpoint() + ": " + text;
        if (code == EXHAUSTED && text.contains("space exceeded")) {
            return new EtcdException(Fate.NO_SPACE, sentence);
        }
        boolean refused = REFUSALS.contains(code) || (code == EXHAUSTED && text.contains("larger than max"));
        return new EtcdException(refused ? Fate.REFUSED : Fate.UNKNOWN, sentence);
    }

    @Override
    public void close() {
        EtcdConnection open = http;
        http = null;
        if (open != null) {
            open.close();
        }
    }
}
