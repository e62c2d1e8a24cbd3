package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class LogPipeTest {
    /** Longer than the time that {@link LogPipe#close} gives the reader. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final String LINE = "x".repeat(999) + "\n";
    private static final int TOO_MANY = 3 * LogPipe.MOST_WAITING / LINE.length();

    private final long droppedBefore = LogPipe.dropped();
    private final Reader reader = new Reader();
    private final LogPipe pipe =
            new LogPipe(reader, dropped -> (dropped + " dropped\n").getBytes(StandardCharsets.UTF_8));
    private final PrintStream err = new PrintStream(pipe, true, StandardCharsets.UTF_8);

    /** A slow reader of the log, which accepts one write for each permit. */
    private static final class Reader extends OutputStream {
        private final Semaphore permits = new Semaphore(0);
        private final Semaphore writing = new Semaphore(0);
        private final ByteArrayOutputStream read = new ByteArrayOutputStream();
        private volatile boolean gone;

        @Override
        public void write(int b) {
            throw new AssertionError("a byte at a time");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            writing.release();
            permits.acquireUninterruptibly();
            if (gone) {
                throw new IOException("Broken pipe");
            }
            read.write(bytes, offset, length);
        }

        void goOn() {
            permits.release(1 << 20);
        }

        List<String> lines() {
            return read.toString(StandardCharsets.UTF_8).lines().toList();
        }
    }

    private void dropSome() {
        for (int i = 0; i < TOO_MANY; i++) {
            err.print(LINE);
        }
        assertThat(LogPipe.dropped()).isGreaterThan(droppedBefore);
    }

    @Test
    void linesArriveInOrderAndComplete() {
        reader.goOn();
        err.print("one\ntwo");
        err.println(" and more");
        new IllegalStateException("three").printStackTrace(err);
        err.print("no end");
        pipe.finish(PATIENCE);
        assertThat(reader.lines())
                .startsWith("one", "two and more", "java.lang.IllegalStateException: three")
                .endsWith("no end");
    }

    @Test
    void loggingDoesNotBlockAndTheLogHasTheNumberOfDroppedLines() throws InterruptedException {
        err.print("first\n");
        reader.writing.acquire();
        dropSome();
        reader.goOn();
        pipe.finish(PATIENCE);
        List<String> lines = reader.lines();
        long whole = lines.stream().filter(LINE.strip()::equals).count();
        assertThat(whole).isGreaterThan(1000).isLessThan(TOO_MANY);
        assertThat(lines)
                .startsWith("first")
                .endsWith((TOO_MANY - whole) + " dropped")
                .hasSize((int) whole + 2);
        assertThat(LogPipe.dropped() - droppedBefore).isEqualTo(TOO_MANY - whole);
    }

    @Test
    void theNumberOfDroppedLinesPrecedesTheNextLine() throws InterruptedException {
        err.print("first\n");
        dropSome();
        long dropped = LogPipe.dropped() - droppedBefore;
        reader.permits.release((int) (TOO_MANY - dropped) * 3 / 4);
        reader.writing.acquire((int) (TOO_MANY - dropped) * 3 / 4);
        err.print("there is room again\n");
        reader.goOn();
        pipe.finish(PATIENCE);
        assertThat(reader.lines()).endsWith(LINE.strip(), dropped + " dropped", "there is room again");
    }

    @Test
    void closeDoesNotWaitForAReaderThatDoesNotRead() throws InterruptedException {
        err.print("first\n");
        reader.writing.acquire();
        err.print("second\n");
        pipe.close();
        assertThat(reader.lines()).isEmpty();
        reader.goOn();
    }

    @Test
    void linesForAClosedReaderAreCountedAsDropped() {
        reader.gone = true;
        reader.goOn();
        err.print("one\ntwo\n");
        pipe.finish(PATIENCE);
        assertThat(LogPipe.dropped() - droppedBefore).isEqualTo(2);
    }

    @Test
    void closeRestoresStandardErrorAndStandardOutput() {
        PrintStream before = System.err;
        PrintStream outBefore = System.out;
        LogPipe installed = LogPipe.install(dropped -> new byte[0]);
        assertThat(System.err).isNotSameAs(before).isSameAs(System.out);
        installed.close();
        assertThat(System.err).isSameAs(before);
        assertThat(System.out).isSameAs(outBefore);
    }
}
