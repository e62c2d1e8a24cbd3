package io.muster.daemon.cli;

import io.muster.daemon.cli.console.Console;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;

/** The command with every verb in it, for what writes man pages and completions at build time: those make it from its class. */
@Command(modelTransformer = Manual.EveryVerb.class)
public final class Manual extends Muster {
    /** Adds what {@link Muster} makes only when it is asked for. */
    static final class EveryVerb implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            Muster.addVerbs(spec.commandLine(), Console.ofProcess(), Verbs.NAMES);
            return spec;
        }
    }
}
