package io.muster.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.daemon.config.Key;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.TargetExpression;
import io.muster.protocol.admin.FindRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * Converts targets as users type them, see {@link TargetExpression}. Every server understands an idset or a hostlist; {@code
 * all} and {@code @PROPERTY} are converted to ranks here because no server understands them.
 */
public final class TargetNames {
    static final String STANDARD_INPUT = "-";
    private static final int LONGEST = 64 << 20;

    private TargetNames() {}

    /**
     * Returns the targets that a user gave, with the words on standard input in place of {@code -}, so that a list with one
     * host on each line can be piped in. An empty text is refused: it is often a variable of a script that is not set.
     */
    public static List<String> read(Console console, List<String> given) throws IOException {
        List<String> all = new ArrayList<>();
        for (String text : given) {
            if (isEmpty(text)) {
                throw new Failure(Exit.USAGE, "\"" + text + "\" names no targets", "`all` stands for every host");
            }
            all.addAll(text.equals(STANDARD_INPUT) ? words(console) : List.of(text));
        }
        return all;
    }

    static boolean isEmpty(String text) {
        return text.replace(',', ' ').isBlank();
    }

    private static List<String> words(Console console) throws IOException {
        byte[] text = console.in().readNBytes(LONGEST + 1);
        if (text.length > LONGEST) {
            throw new Failure(Exit.USAGE, "standard input is longer than 64 MiB");
        }
        String words = new String(text, StandardCharsets.UTF_8).strip();
        if (words.isEmpty()) {
            throw new Failure(Exit.USAGE, "standard input names no targets");
        }
        return List.of(words.split("\\s+"));
    }

    /** Returns advice for targets that are no hosts or properties, if they are names of other resources, such as racks; otherwise "". */
    public static String hint(FluxClient client, String targets) throws IOException {
        String name = targets.startsWith("@") && !TargetExpression.isSearch(targets) ? targets.substring(1) : targets;
        try {
            int hosts = search(client, "@{(" + name + ") and not type=node}").size();
            return hosts == 0 ? "" : "'@{" + name + "}' stands for " + hosts + " host" + (hosts == 1 ? "" : "s");
        } catch (Failure none) {
            return "";
        }
    }

    /** Returns the paths of the vertices that the server finds for {@code @{EXPRESSION}}, at least one. */
    public static List<String> paths(FluxClient client, String part) throws IOException {
        List<String> paths = new ArrayList<>();
        find(client, part, FindRequest.Output.PATHS).path("paths").forEach(path -> paths.add(path.asText()));
        if (paths.isEmpty()) {
            throw new Failure(Exit.NO_TARGET, part + " finds nothing");
        }
        return paths;
    }

    private static Idset search(FluxClient client, String part) throws IOException {
        return Idset.parse(
                find(client, part, FindRequest.Output.HOSTS).path("ranks").asText());
    }

    private static JsonNode find(FluxClient client, String part, FindRequest.Output output) throws IOException {
        try {
            return client.rpc(
                    FindRequest.TOPIC, FindRequest.ofTarget(part, output).toJson());
        } catch (MalformedException e) {
            throw new Failure(Exit.USAGE, String.valueOf(e.getMessage()));
        } catch (RpcException e) {
            throw e.errno().equals(Errno.EINVAL) ? new Failure(Exit.NO_TARGET, e.sentence()) : Failure.of(e, "");
        }
    }

    /** Returns the selected ranks; fails if one of them does not exist. */
    public static Idset find(ResourceSet resources, String text) {
        return search(resources, () -> TargetExpression.find(resources, text));
    }

    /** Returns advice for a name that does not exist: the names that do, or some of them; "" if there are none. */
    static String known(String missing, Collection<String> names) {
        return names.isEmpty() ? "" : Key.known(missing, names);
    }

    private static Idset search(ResourceSet resources, Supplier<Idset> search) {
        try {
            return search.get();
        } catch (MalformedException e) {
            throw new Failure(Exit.USAGE, String.valueOf(e.getMessage()));
        } catch (TargetException e) {
            String missing = e.missingProperty();
            throw new Failure(
                    e.isMixed() ? Exit.USAGE : Exit.NO_TARGET,
                    String.valueOf(e.getMessage()),
                    missing == null ? "" : known(missing, resources.properties().keySet()));
        }
    }
}
