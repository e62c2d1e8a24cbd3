package io.muster.cli;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Verb;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster completion}. */
@Command(
        name = "completion",
        description = "Print the script that makes a shell complete verbs and options.",
        footer = {
            "  muster completion bash > /etc/bash_completion.d/muster",
            "  source <(muster completion bash)",
            "  source <(muster completion zsh)"
        })
final class Completion extends Verb {
    @Parameters(index = "0", paramLabel = "SHELL", description = "The shell: bash or zsh.")
    private String shell = "";

    Completion(Console console) {
        super(console);
    }

    @Override
    public Integer call() {
        // One script serves both shells: its first lines make zsh use bash completions.
        if (!shell.equals("bash") && !shell.equals("zsh")) {
            throw new Failure(Exit.USAGE, shell + ": there are bash and zsh");
        }
        console().print(AutoComplete.bash("muster", Muster.parser(console())));
        return Exit.OK;
    }
}
