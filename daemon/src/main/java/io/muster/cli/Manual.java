package io.muster.cli;

import io.muster.cli.terminal.Console;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command with all its verbs, from which the programs that write man pages and completions at build time create the
 * command.
 */
@Command(modelTransformer = Manual.EveryVerb.class)
public final class Manual extends Muster {
    /** Adds the verbs, of which {@link Muster} itself creates only those that are needed. */
    static final class EveryVerb implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            Muster.addVerbs(spec.commandLine(), Console.ofProcess());
            return spec;
        }
    }
}
