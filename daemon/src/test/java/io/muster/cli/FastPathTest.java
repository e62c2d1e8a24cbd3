package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.terminal.Console;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Command lines that are read without picocli have the same meaning as with picocli. */
class FastPathTest {
    private final Console console = Console.ofProcess();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status",
                "drain node1",
                "drain 1-2 bad dimm",
                "drain -f node[1-2] bad dimm",
                "drain -u all x",
                "drain @batch a=b +c @d",
                "drain ^ \"quoted\" ${x} \u00fc",
                "undrain 1",
                "undrain -f 1 by hand",
                "undrain -u node1,node2",
            })
    void plainCommandLinesAreParsedAsByPicocli(String line) {
        String[] arguments = line.split(" ", -1);
        Object parsed = Muster.parser(console, arguments)
                .parseArgs(arguments)
                .subcommand()
                .commandSpec()
                .userObject();
        assertThat(FastPath.read(console, arguments))
                .as(line)
                .isNotNull()
                .usingRecursiveComparison()
                .ignoringFields("spec")
                .withStrictTypeChecking()
                .isEqualTo(parsed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "help",
                "-f drain 1",
                "list",
                "status --json",
                "status node1",
                "drain",
                "drain -f",
                "drain -ff 1 x",
                "drain -f -u 1 x",
                "drain --force 1 x",
                "drain --help",
                "drain -n",
                "drain 1 x -f",
                "drain 1 x --dry-run",
                "drain 1 -- x",
                "drain 1  x",
                "undrain",
                "undrain --holder ops 1",
            })
    void otherCommandLinesAreLeftToPicocli(String line) {
        assertThat(FastPath.read(console, line.split(" ", -1))).as(line).isNull();
    }
}
