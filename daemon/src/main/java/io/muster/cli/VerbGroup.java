package io.muster.cli;

import picocli.CommandLine.Command;

/**
 * A group of verbs, such as {@code muster journal}: on the command line, one of these verbs must follow its name. The
 * description is set where the group is created.
 */
@Command
final class VerbGroup {}
