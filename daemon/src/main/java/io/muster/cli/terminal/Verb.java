package io.muster.cli.terminal;

import java.util.concurrent.Callable;

/** One verb of the command: its options and its action. Every verb is a subclass. */
public abstract class Verb implements Callable<Integer> {
    /** The version of every JSON document that a verb prints. A version may gain keys, and loses none. */
    public static final int SCHEMA_VERSION = 1;

    private final Console console;

    protected Verb(Console console) {
        this.console = console;
    }

    protected final Console console() {
        return console;
    }
}
