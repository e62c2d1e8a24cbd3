package io.muster.daemon.http;

import io.muster.protocol.wire.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Serves the files of the page without a check of rights, and leaves all other paths to the next site. The files have no
 * secrets: the page requests all data with the token of its user. Each file is read and compressed once.
 */
public final class Page implements Site {
    private static final String FOLDER = "/page/";
    private static final List<String> FILES = List.of(
            "index.html",
            "page.css",
            "icon.svg",
            "app.js",
            "dom.js",
            "hosts.js",
            "link.js",
            "now.js",
            "map.js",
            "host.js",
            "time.js",
            "service.js",
            "report.js",
            "act.js");
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml");
    private static final int TAG_BYTES = 12;

    /**
     * Headers that forbid browsers to run or load anything that the daemon does not serve, and to show the page within
     * another page.
     */
    private static final Map<String, String> HEADERS = Map.of(
            "content-security-policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
                    + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
            "referrer-policy",
            "no-referrer",
            "cross-origin-opener-policy",
            "same-origin",
            "cross-origin-resource-policy",
            "same-origin",
            "cache-control",
            "no-cache",
            "vary",
            "accept-encoding");

    private final Map<String, File> files = new LinkedHashMap<>();
    private final Site next;

    /** @param next serves every path that is no file of the page */
    public Page(Site next) {
        this.next = next;
        FILES.forEach(name -> files.put(FOLDER + name, File.of(name)));
        files.put("/", Objects.requireNonNull(files.remove(FOLDER + FILES.get(0))));
    }

    private record File(HttpAnswer plain, HttpAnswer packed, String tag) {
        static File of(String name) {
            try (InputStream in = Objects.requireNonNull(Page.class.getResourceAsStream("page/" + name), name)) {
                Bytes body = Bytes.wrap(in.readAllBytes());
                String type = Objects.requireNonNull(TYPES.get(name.substring(name.indexOf('.') + 1)));
                String tag = digest(body.toByteArray());
                HttpAnswer plain = new HttpAnswer(200, type, HEADERS, body).with("etag", "\"" + tag + "\"");
                HttpAnswer packed = plain.gzipped().with("etag", "\"" + tag + "-gzip\"");
                return new File(plain, packed, tag);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static String digest(byte[] bytes) {
            try {
                byte[] all = MessageDigest.getInstance("SHA-256").digest(bytes);
                return HexFormat.of().formatHex(Arrays.copyOf(all, TAG_BYTES));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-256", e);
            }
        }
    }

    @Override
    public void check(Ask head) {
        if (!files.containsKey(head.path())) {
            next.check(head);
        } else if (!head.method().equals("GET") && !head.isHead()) {
            throw new Refusal(405, head.path() + " takes GET and HEAD only").with("allow", "GET, HEAD");
        } else if (!head.params().isEmpty()) {
            throw new Refusal(
                    400,
                    "the page takes no parameters; if the URL has a token, revoke the token, because URLs end up in logs; browsers"
                            + " do not send what follows a #");
        }
    }

    @Override
    public void begin(Exchange exchange) {
        if (!files.containsKey(exchange.ask().path())) {
            next.begin(exchange);
        }
    }

    @Override
    public void serve(Exchange exchange) {
        Ask ask = exchange.ask();
        File file = files.get(ask.path());
        if (file == null) {
            next.serve(exchange);
            return;
        }
        HttpAnswer answer = ask.acceptsGzip() ? file.packed : file.plain;
        String known = Objects.toString(ask.header("if-none-match"), "");
        boolean isKnown = known.contains(file.tag);
        exchange.answer(isKnown ? new HttpAnswer(304, answer.type(), answer.headers(), Bytes.EMPTY) : answer);
    }
}
