package io.muster.daemon.cli.request;

import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Exit;
import io.muster.daemon.cli.console.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Where a document comes from: a file, or standard input for {@code -}.
 *
 * @param name as it was given
 */
record Source(String name) {
    private static final String STANDARD_INPUT = "-";

    /** Whether an argument that may also be a shape names a file: a shape has no extension and begins with no dot or slash. */
    static boolean isMeantBy(String argument) {
        return argument.equals(STANDARD_INPUT)
                || argument.startsWith("/")
                || argument.startsWith(".")
                || argument.endsWith(".json")
                || argument.endsWith(".yaml")
                || argument.endsWith(".yml");
    }

    /** Whether there is a file of that name, for advice to whoever meant it. */
    static boolean exists(String argument) {
        try {
            return Files.isRegularFile(Path.of(argument));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** For people. */
    String shown() {
        return name.equals(STANDARD_INPUT) ? "standard input" : name;
    }

    byte[] bytes(Console console) throws IOException {
        try {
            return name.equals(STANDARD_INPUT) ? console.in().readAllBytes() : Files.readAllBytes(Path.of(name));
        } catch (NoSuchFileException | InvalidPathException e) {
            throw new Failure(Exit.USAGE, name + ": there is no such file");
        } catch (IOException e) {
            throw new Failure(Exit.USAGE, shown() + ": " + e.getMessage());
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
