package io.muster.cli.rset;

import io.muster.cli.terminal.Console;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster R parse-config}. */
@Command(name = "parse-config", description = "Print the R that a configuration's [resource] means.")
public final class ParseConfig extends SetVerb {
    @Parameters(index = "0", paramLabel = "PATH", description = "TOML file, or a directory of them.")
    private Path path = Path.of("");

    public ParseConfig(Console console) {
        super(console);
    }

    @Override
    int run() {
        return print(Config.load(path, Environment.ofProcess()).resources().set());
    }
}
