package io.muster.cli.request;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.daemon.config.SourceFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The file from which a document is read, or standard input for {@code -}.
 *
 * @param name the name as given
 */
record Source(String name) {
    private static final String STANDARD_INPUT = "-";

    /**
     * Returns whether an argument that may also be a shape names a file. A shape has no extension and does not begin with a
     * dot or slash.
     */
    static boolean isMeantBy(String argument) {
        return argument.equals(STANDARD_INPUT)
                || argument.startsWith("/")
                || argument.startsWith(".")
                || argument.endsWith(".json")
                || argument.endsWith(".yaml")
                || argument.endsWith(".yml");
    }

    /** Returns whether a file with the name {@code argument} exists, so that the user can be advised. */
    static boolean exists(String argument) {
        try {
            return Files.isRegularFile(Path.of(argument));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** Returns the name for messages. */
    String shown() {
        return name.equals(STANDARD_INPUT) ? "standard input" : name;
    }

    byte[] bytes(Console console) throws IOException {
        try {
            return name.equals(STANDARD_INPUT) ? SourceFile.read(console.in()) : SourceFile.readAny(Path.of(name));
        } catch (NoSuchFileException | InvalidPathException e) {
            throw new Failure(Exit.USAGE, name + ": there is no such file");
        } catch (IOException e) {
            throw new Failure(Exit.USAGE, shown() + ": " + SourceFile.reason(e));
        }
    }

    String text(Console console) throws IOException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes(console)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new Failure(Exit.USAGE, shown() + ": is not UTF-8");
        }
    }
}
