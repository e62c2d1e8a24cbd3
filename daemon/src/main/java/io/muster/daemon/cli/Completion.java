package io.muster.daemon.cli;

import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Exit;
import io.muster.daemon.cli.console.Failure;
import io.muster.daemon.cli.console.Verb;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster completion}. */
@Command(
        name = "completion",
        description = "Print what makes a shell complete verbs and options.",
        footer = {
            "",
            "bash:  muster completion bash > /etc/bash_completion.d/muster, or: source <(muster completion bash)",
            "zsh:   source <(muster completion zsh)"
        })
final class Completion extends Verb {
    /** zsh runs bash's completions once it is told to. */
    private static final String FOR_ZSH =
            "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n";

    @Parameters(index = "0", paramLabel = "SHELL", description = "bash or zsh.")
    private String shell = "";

    Completion(Console console) {
        super(console);
    }

    @Override
    public Integer call() {
        CommandLine all = Muster.commandLine(console(), Verbs.NAMES);
        switch (shell) {
            case "bash" -> console().print(AutoComplete.bash("muster", all));
            case "zsh" -> console().print(FOR_ZSH + AutoComplete.bash("muster", all));
            default -> throw new Failure(Exit.USAGE, shell + ": there are bash and zsh");
        }
        return Exit.OK;
    }
}
