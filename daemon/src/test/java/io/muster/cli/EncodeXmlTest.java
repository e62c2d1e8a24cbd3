package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code muster R encode} of topologies that hwloc wrote. */
class EncodeXmlTest {
    private static final String FILES = "src/test/resources/hwloc/";

    @TempDir
    private Path directory = Path.of("/");

    private static String encode(String... arguments) {
        Result result = run("", arguments);
        assertThat(result.err()).isEmpty();
        assertThat(result.exit()).isZero();
        return result.out();
    }

    private static Result run(String in, String... arguments) {
        String[] all = new String[arguments.length + 2];
        all[0] = "R";
        all[1] = "encode";
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        return new Shell().typing(in).run(all);
    }

    private static String units(String set) {
        return new Shell().typing(set).run("R", "decode", "--short").out().strip();
    }

    private static String topo(String set) {
        return set.replaceAll(".*\"topo\":(.*)}]}}\\s*", "$1").replace('"', '\'');
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "packages-v2.xml | rank[0-1]/core[0-7] | {'socket':[{'numa':[{'cores':'0-1','memory':4},{'cores':'2-3','memory':4}]},"
                        + "{'numa':[{'cores':'4-5','memory':4},{'cores':'6-7','memory':4}]}]}",
                "packages-v1.xml | rank[0-1]/core[0-7] | {'socket':[{'numa':[{'cores':'0-1','memory':4},{'cores':'2-3','memory':4}]},"
                        + "{'numa':[{'cores':'4-5','memory':4},{'cores':'6-7','memory':4}]}]}",
                "laptop.xml | rank[0-1]/core[0-2] | {'cores':'0-2','memory':2}",
                "gpus.xml | rank[0-1]/core[0-2],gpu[0-3] | {'gpus':'3','socket':[{'cores':'0-1','gpus':'0-2','memory':192},{'cores':'2','memory':128}]}",
            })
    void coresGpusAndTopologyLevelsMatchFlux(String file, String units, String topo) {
        String set = encode("--xml", FILES + file, "--hosts", "a,b", "--topology");
        assertThat(units(set)).isEqualTo(units);
        assertThat(topo(set)).isEqualTo(topo);
        assertThat(encode("--xml", FILES + file, "--hosts", "a,b")).doesNotContain("scheduling");
    }

    @Test
    void filesAreAssignedToRanksInOrder() {
        String set = encode(
                "-f",
                FILES + "laptop.xml",
                "-f",
                FILES + "gpus.xml",
                "-f",
                FILES + "laptop.xml",
                "-r",
                "2,4,9",
                "-p",
                "x:4");
        assertThat(units(set)).isEqualTo("rank[2,9]/core[0-2] rank4/core[0-2],gpu[0-3]");
        assertThat(set).contains("tux7", "\"properties\":{\"x\":\"4\"}");
        assertThat(run("", "-f", FILES + "laptop.xml", "-f", FILES + "gpus.xml", "-r", "0-2")
                        .err())
                .contains("there are 2 files for 3 ranks; give one file for all ranks, or one for each");
    }

    @Test
    void contradictoryOptionsAreRefused() {
        for (String[] options : new String[][] {{"-l", "-c", "0"}, {"-f", "x", "-g", "0"}, {"-l", "-f", "x"}}) {
            assertThat(run("", options).err()).contains("--local and --xml set the cores");
        }
        assertThat(run("", "--topology").exit()).isEqualTo(Exit.USAGE);
        assertThat(run("", "--xml", "/nowhere").err()).contains("/nowhere: no such file");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | line 1, column 1: is not XML: Premature end of file.",
                "<topology><object type='Machine'> | line 1, column 34: is not XML: XML document structures must start and end within the same entity.",
                "<html/> | line 1, column 8: is not from hwloc: the outermost element is html",
                "<topology/> | has no machine",
                "<topology><object type='Machine'/><object/></topology> | line 1, column 44: has a second machine",
                "<topology><object type='Machine' cpuset='0x3'/></topology> | -: has no object of type Core",
                "<topology><object cpuset='0xg'/></topology> | line 1, column 33: cpuset has the word \"0xg\"",
                "<topology><object local_memory='-1'/></topology> | line 1, column 38: local_memory is negative: -1",
                "<topology><object type='NUMANode' local_memory='9223372036854775807'><object type='NUMANode' local_memory='1'/>"
                        + "</object></topology> | line 1, column 112: the NUMA nodes have more than 9223372036854775807 bytes of memory in all",
                "<topology><object type='Machine' cpuset='0x1'><info name='HostName' value='a[b'/><object type='Core' cpuset='0x1'/>"
                        + "</object></topology> | muster R encode: -: hostlist \"a[b\": a host name may not contain '['",
                "<topology><object local_memory='x'/></topology> | local_memory is not a number: \"x\"",
                "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><topology>&e;</topology> | line 1, column",
            })
    void malformedXmlIsRefusedWithItsPosition(String xml, String sentence) {
        Result result = run(xml == null ? "" : xml, "--xml", "-");
        assertThat(result.exit()).isEqualTo(Exit.ERROR);
        assertThat(result.err()).contains(sentence).doesNotContain("root:");
    }

    @Test
    void hugeXmlIsRefused() {
        String deep = "<topology>" + "<object>".repeat(300);
        assertThat(run(deep, "--xml", "-").err()).contains("has more than 1000000 objects or 200 levels");
        String wide = "<topology><object cpuset='" + ",".repeat(100_000) + "0x1'/></topology>";
        assertThat(run(wide, "--xml", "-").err()).contains("which hwloc does not write");
    }

    /** lstopo-no-graphics is found through PATH, as by a shell. */
    @Test
    void localRunsLstopoIfItIsOnThePath() throws IOException {
        String set = new Shell().run("R", "encode", "--local").out();
        assertThat(units(set)).startsWith("rank0/core").doesNotContain("gpu");
        Path program = directory.resolve("lstopo-no-graphics");
        Files.writeString(
                program,
                "#!/bin/sh\necho \"$@\" >&2\nexec cat "
                        + Path.of(FILES + "gpus.xml").toAbsolutePath() + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        String path = "/nowhere:" + directory + ":/usr/bin:/bin";
        Result asked = new Shell().with("PATH", path).run("R", "encode", "--local", "--topology");
        assertThat(asked.err()).isEmpty();
        assertThat(units(asked.out())).isEqualTo("rank0/core[0-2],gpu[0-3]");
        assertThat(asked.out()).contains("tux7", "\"socket\":");
        Files.writeString(program, "#!/bin/sh\nexit 3\n");
        assertThat(new Shell().with("PATH", path).run("R", "encode", "--local").err())
                .contains("lstopo-no-graphics ended with status 3");
    }
}
