package io.muster.cli;

import picocli.CommandLine.Command;

/** The name of a group of verbs, which needs one of these verbs after it. Its description is set where it is created. */
@Command
final class VerbGroup {}
