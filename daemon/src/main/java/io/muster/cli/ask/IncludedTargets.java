package io.muster.cli.ask;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the value of {@code --include}, which is not taken from standard input as other targets are. */
public final class IncludedTargets implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
        if (text.equals(TargetNames.STANDARD_INPUT)) {
            throw new TypeConversionException(
                    "standard input is not read here: name the targets, for instance with \"$(paste -sd, FILE)\"");
        }
        if (TargetNames.isEmpty(text)) {
            throw new TypeConversionException("\"" + text + "\" names no targets");
        }
        return text;
    }
}
