package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.terminal.Exit;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files and standard inputs without an end: every verb that reads one stops at a limit and reports the limit. */
class EndlessInputTest {
    /** Returns an endless stream of JSON documents. */
    private static InputStream endless() {
        return new InputStream() {
            private int at;

            @Override
            public int read() {
                return "{}\n".charAt(at++ % 3);
            }

            @Override
            public int read(byte[] chunk, int offset, int length) {
                for (int i = offset; i < offset + length; i++) {
                    chunk[i] = (byte) read();
                }
                return length;
            }
        };
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            check /dev/zero             | 1 | /dev/zero: cannot be read: larger than the limit of 64MiB
            R parse-config /dev/zero    | 1 | /dev/zero: cannot be read: larger than the limit of 64MiB
            graph --file /dev/zero      | 2 | muster graph: /dev/zero: larger than the limit of 128MiB
            jobspec validate /dev/zero  | 2 | muster jobspec validate: /dev/zero: larger than the limit of 128MiB
            shape compact /dev/zero     | 2 | muster shape compact: /dev/zero: larger than the limit of 128MiB
            graph --file /proc          | 2 | muster graph: /proc: is a directory
            jobspec validate /proc      | 2 | muster jobspec validate: /proc: is a directory
            """)
    void anEndlessDeviceIsReadUpToALimit(String line, int exit, String said) {
        Shell.Result result = new Shell().run(line.split(" ", -1));
        assertThat(result.err()).contains(said + "\n");
        assertThat(result.exit()).isEqualTo(exit);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"R union", "R decode", "shape expand -", "shape compact", "jobspec validate -", "graph --file -"
            })
    void anEndlessPipeIsReadUpToALimit(String line) {
        Shell.Result result = new Shell().reading(endless()).run(line.split(" ", -1));
        assertThat(result.err()).endsWith("standard input: larger than the limit of 128MiB\n");
        assertThat(result.exit()).isEqualTo(Exit.USAGE);
    }

    @Test
    void aPipeThatEndsIsReadLikeAFile(@TempDir Path directory) throws Exception {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Process writer = new ProcessBuilder("sh", "-c", "printf '[muster]\\nbatch = \"5x\"\\n' > " + pipe).start();
        assertThat(new Shell().run("check", pipe.toString()).err()).contains(pipe + ":2: muster.batch");
        assertThat(writer.waitFor()).isZero();
        assertThat(Files.exists(pipe)).isTrue();
    }
}
