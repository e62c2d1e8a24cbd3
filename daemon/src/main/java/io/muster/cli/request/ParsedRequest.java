package io.muster.cli.request;

import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.request.Jobspec;
import io.muster.inventory.request.Resource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request in a file: a jobspec, or only a list of resources (RFC 14).
 *
 * @param jobspec null if the file has only a list
 */
record ParsedRequest(@Nullable Jobspec jobspec, List<Resource> resources) {
    /**
     * Reads a request.
     *
     * @throws InvalidException with every problem
     */
    static ParsedRequest parse(String text) {
        if (isList(text)) {
            return new ParsedRequest(null, Resource.parseList(text));
        }
        Jobspec jobspec = Jobspec.parse(text, Jobspec.Level.CANONICAL);
        return new ParsedRequest(jobspec, jobspec.resources());
    }

    /**
     * Returns whether the text is a list. The first line that is neither a comment nor a directive of YAML decides: a list
     * begins with a dash or a bracket.
     */
    private static boolean isList(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && "#%".indexOf(line.charAt(0)) < 0 && !line.startsWith("---"))
                .findFirst()
                .map(line -> line.startsWith("[") || line.equals("-") || line.startsWith("- "))
                .orElse(false);
    }
}
