package io.muster.daemon.cli;

import picocli.CommandLine.Command;

/** A name that only means something with another one after it; what it is about is said where it is made. */
@Command
final class Family {}
