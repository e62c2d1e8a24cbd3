package io.muster.daemon.cli.request;

import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.request.Jobspec;
import io.muster.inventory.request.Resource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a file asks for: a jobspec, or a resources list alone (RFC 14).
 *
 * @param jobspec null for a list
 */
record Written(@Nullable Jobspec jobspec, List<Resource> resources) {
    /** @throws InvalidException with every problem */
    static Written parse(String text) {
        if (isList(text)) {
            return new Written(null, Resource.parseList(text));
        }
        Jobspec jobspec = Jobspec.parse(text, Jobspec.Level.CANONICAL);
        return new Written(jobspec, jobspec.resources());
    }

    /** By what stands first that is neither a comment nor YAML's own: lists begin with a dash or a bracket. */
    private static boolean isList(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && "#%".indexOf(line.charAt(0)) < 0 && !line.startsWith("---"))
                .findFirst()
                .map(line -> line.startsWith("[") || line.equals("-") || line.startsWith("- "))
                .orElse(false);
    }
}
