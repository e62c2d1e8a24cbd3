package io.muster.cli.change;

import io.muster.inventory.problem.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Makes picocli take all trailing words of the command line as one reason. After the first word, a word that begins with a
 * dash is part of the reason, as in flux, unless the word is {@code --} or an option of the verb. So a signature such as
 * {@code -Kalan} belongs to the reason, but {@code --dry-run} after the reason is an option.
 */
final class ReasonWords implements IParameterConsumer {
    ReasonWords() {}

    @Override
    @SuppressWarnings("JdkObsolete") // picocli requires this type
    public void consumeParameters(Stack<String> arguments, ArgSpec reason, CommandSpec verb) {
        String[] before = reason.getValue();
        List<String> words = new ArrayList<>(before == null ? List.of() : Arrays.asList(before));
        words.add(arguments.pop());
        while (!arguments.isEmpty() && !isOption(arguments.peek(), verb)) {
            words.add(arguments.pop());
        }
        reason.setValue(words.toArray(new String[0]));
    }

    private static boolean isOption(String word, CommandSpec verb) {
        int equals = word.indexOf('=');
        String name = equals < 0 ? word : word.substring(0, equals);
        return word.equals("--") || (name.startsWith("-") && verb.findOption(name) != null) || isCluster(word, verb);
    }

    /**
     * Returns whether a word is a group of short options, such as {@code -ff} or {@code -nobject}, in which the rest of the
     * word may be the value of the last option.
     */
    private static boolean isCluster(String word, CommandSpec verb) {
        if (word.length() < 2 || word.charAt(0) != '-' || word.charAt(1) == '-') {
            return false;
        }
        for (int i = 1; i < word.length(); i++) {
            var option = verb.findOption("-" + word.charAt(i));
            if (option == null) {
                return false;
            }
            if (option.arity().max() > 0) {
                return true;
            }
        }
        return true;
    }

    /** Returns whether a script or a user has quoted several words as one, so that they can only be a reason. */
    static boolean areQuoted(String @Nullable [] words) {
        return words != null && words.length == 1 && words[0].indexOf(' ') >= 0;
    }

    /** Returns the words joined by spaces; null if there are none. */
    static @Nullable String join(String @Nullable [] words) {
        return words == null || words.length == 0 ? null : String.join(" ", words);
    }

    /** Returns the words as one line, as a program printed them; "" if there are none. */
    static String line(String @Nullable [] words) {
        return words == null ? "" : Text.line(String.join(" ", words));
    }
}
