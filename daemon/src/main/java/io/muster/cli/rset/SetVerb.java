package io.muster.cli.rset;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.config.SourceFile;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.NotJson;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/** A verb that reads resource sets from standard input, one after the other. */
abstract class SetVerb extends Verb {
    SetVerb(Console console) {
        super(console);
    }

    @Override
    public final Integer call() throws IOException {
        try {
            return run();
        } catch (IllegalArgumentException e) {
            throw new Failure(Exit.ERROR, String.valueOf(e.getMessage()));
        }
    }

    /** Runs the verb. If it throws an IllegalArgumentException, the message says what is wrong with the sets. */
    abstract int run() throws IOException;

    /** Reads all sets; fails if there are fewer than {@code least}. */
    final List<ResourceSet> read(int least) throws IOException {
        List<ResourceSet> sets = new ArrayList<>();
        try (MappingIterator<JsonNode> documents =
                new JsonMapper().readerFor(JsonNode.class).readValues(standardInput())) {
            while (documents.hasNextValue()) {
                sets.add(ResourceSet.parse(documents.nextValue()));
            }
        } catch (JsonProcessingException e) {
            throw new Failure(
                    Exit.ERROR, "standard input, set " + (sets.size() + 1) + ": not JSON: " + NotJson.sentence(e));
        }
        if (sets.size() < least) {
            throw new Failure(
                    Exit.ERROR,
                    "standard input has " + sets.size() + (sets.size() == 1 ? " set" : " sets") + " where at least "
                            + least + (least == 1 ? " is" : " are") + " needed");
        }
        return sets;
    }

    private byte[] standardInput() throws IOException {
        try {
            return SourceFile.read(console().in());
        } catch (IOException e) {
            throw new Failure(Exit.USAGE, "standard input: " + SourceFile.reason(e));
        }
    }

    /** Reads all sets, and combines them from the first to the last; fails if there are fewer than {@code least}. */
    final ResourceSet combine(int least, BinaryOperator<ResourceSet> step) throws IOException {
        return read(least).stream().reduce(step).orElse(ResourceSet.EMPTY);
    }

    final ResourceSet readUnion() throws IOException {
        return combine(1, ResourceSet::union);
    }

    final int print(ResourceSet set) {
        console().json(set.toString());
        return Exit.OK;
    }

    /** Parses {@code NAME:RANKS}, or {@code NAME} for all of {@code members}. */
    static Map.Entry<String, Idset> property(String text, Idset members) {
        int colon = text.indexOf(':');
        return colon < 0
                ? Map.entry(text, members)
                : Map.entry(text.substring(0, colon), idset(text, text.substring(colon + 1)));
    }

    static Hostlist hostlist(String option, String text) {
        return parse(option, text, Hostlist::parse);
    }

    static Idset idset(String option, String text) {
        return parse(option, text, Idset::parse);
    }

    private static <T> T parse(String option, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (MalformedException e) {
            throw new Failure(Exit.USAGE, option + ": " + e.getMessage());
        }
    }
}
