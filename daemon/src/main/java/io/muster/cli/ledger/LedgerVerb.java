package io.muster.cli.ledger;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.NamedDaemon;
import io.muster.cli.ask.ServerOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Progress;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.LedgerSettings;
import io.muster.daemon.etcd.LedgerAdmin;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.ledger.Leader;
import io.muster.inventory.problem.Text;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A verb of {@code muster ledger}: it sends requests to etcd, whose addresses are in the configuration. */
public abstract class LedgerVerb extends Verb {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The configuration that names etcd. Default: the file that `muster serve` reads.")
    private @Nullable Path file;

    LedgerVerb(Console console) {
        super(console);
    }

    final Config config() {
        Config config = Config.load(file, Environment.ofProcess());
        if (config.ledger().endpoints().isEmpty()) {
            throw new Failure(Exit.ERROR, "the configuration names no etcd: set ledger.endpoints");
        }
        return config;
    }

    abstract int run(Config config, LedgerAdmin ledger) throws IOException;

    /** Returns the state directory; fails if it is not that of the daemon that the user named. */
    final Path stateDir(Config config, ServerOptions server) throws IOException {
        new NamedDaemon(server, console()).require(config, "run this on the host of the daemon, or unset MUSTER_URI");
        return config.storage().stateDir();
    }

    @Override
    public final Integer call() throws IOException {
        Config config = config();
        LedgerSettings settings = config.ledger();
        try (LedgerAdmin ledger = new LedgerAdmin(settings)) {
            return run(config, ledger);
        }
    }

    /** {@code muster ledger status}. */
    @Command(
            name = "status",
            description = "Show which daemon leads, the daemons that share the ledger, and the contents of etcd.",
            footer = {"  muster ledger status", "  muster ledger status -c /etc/muster/muster.toml --json"})
    public static final class Status extends LedgerVerb {
        @Option(names = "--json", description = "Print JSON with a schema_version.")
        private boolean json;

        public Status(Console console) {
            super(console);
        }

        @Override
        int run(Config config, LedgerAdmin ledger) throws IOException {
            LedgerAdmin.Status status = ledger.status();
            String prefix = config.ledger().prefix();
            if (json) {
                console().json(json(prefix, status));
            } else if (status.id().isEmpty()) {
                console().println("etcd holds no ledger below " + prefix);
            } else {
                print(prefix, status);
            }
            return Exit.OK;
        }

        private void print(String prefix, LedgerAdmin.Status status) {
            console()
                    .println("ledger " + status.id() + " below " + prefix + ": seq " + status.seq()
                            + (status.firstSeq() == 0 ? "" : ", log from seq " + status.firstSeq())
                            + (status.snapshotSeq() == 0 ? "" : ", snapshot at seq " + status.snapshotSeq()));
            console().println("etcd " + status.version() + ", " + status.databaseBytes() + " bytes");
            Leader leader = status.leader();
            console().println(leader == null ? "nobody leads" : leader + " leads, in term " + status.term());
            for (Leader member : status.members()) {
                console()
                        .println("  " + member.member() + " pid " + member.pid() + " on " + member.host() + ", muster "
                                + member.version() + ", reads format level " + member.level()
                                + (member.isSame(leader) ? ", leads" : ""));
            }
        }

        private static ObjectNode json(String prefix, LedgerAdmin.Status status) {
            Leader leader = status.leader();
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("schema_version", SCHEMA_VERSION).put("prefix", prefix);
            json.put("ledger", status.id()).put("first_seq", status.firstSeq());
            json.put("last_seq", status.seq()).put("snapshot_seq", status.snapshotSeq());
            json.put("term", status.term()).put("leader", leader == null ? "" : leader.member());
            ArrayNode members = json.putArray("members");
            status.members().forEach(member -> members.add(member.described(member.isSame(leader))));
            json.put("etcd_version", status.version()).put("etcd_bytes", status.databaseBytes());
            return json;
        }
    }

    /** {@code muster ledger step-down}. */
    @Command(
            name = "step-down",
            description = {
                "Make the leader hand over to another daemon.",
                "The leader ends its streams and becomes a standby. No change that was answered is lost."
            },
            footer = {"  muster ledger step-down", "  muster ledger step-down -c /etc/muster/muster.toml"})
    public static final class StepDown extends LedgerVerb {
        public StepDown(Console console) {
            super(console);
        }

        @Override
        int run(Config config, LedgerAdmin ledger) throws IOException {
            Leader leader = ledger.stepDown();
            console().println(leader == null ? "nobody leads" : leader + " no longer leads");
            return Exit.OK;
        }
    }

    /** {@code muster ledger verify}. */
    @Command(
            name = "verify",
            description = "Read the whole ledger in etcd and check that every transaction follows the one before.",
            footer = {"  muster ledger verify", "  muster ledger verify -c /etc/muster/muster.toml"})
    public static final class VerifyLog extends LedgerVerb {
        public VerifyLog(Console console) {
            super(console);
        }

        @Override
        int run(Config config, LedgerAdmin ledger) throws IOException {
            console().println("the ledger in etcd is sound: " + Text.count(ledger.verify(), "event") + " in the log");
            return Exit.OK;
        }
    }

    /** {@code muster ledger import}. */
    @Command(
            name = "import",
            description = {
                "Write the state directory to etcd, which must have no keys below the prefix.",
                "No daemon may run on the directory. Afterwards, set ledger.kind to etcd and start the daemons. The other"
                        + " daemons start with empty state directories."
            },
            footer = {"  muster ledger import", "  muster ledger import -c /etc/muster/muster.toml"})
    public static final class Import extends LedgerVerb {
        @Mixin
        private final ServerOptions server = new ServerOptions();

        public Import(Console console) {
            super(console);
        }

        @Override
        int run(Config config, LedgerAdmin ledger) throws IOException {
            Path directory = stateDir(config, server);
            long seq;
            try (Progress progress = new Progress(console(), "importing")) {
                seq = ledger.importFrom(LocalDisk.existing(directory), (unit, done) -> progress.at(done, unit));
            }
            console()
                    .println("etcd has " + directory + " up to seq " + seq
                            + ": set ledger.kind = \"etcd\" and start the daemon");
            return Exit.OK;
        }
    }

    /** {@code muster ledger export}. */
    @Command(
            name = "export",
            description = {
                "Turn the state directory, a copy of the ledger in etcd, into a ledger of its own.",
                "No daemon may run on the directory. Afterwards, set ledger.kind to file and start the daemon."
            },
            footer = {"  muster ledger export", "  muster ledger export --force"})
    public static final class Export extends LedgerVerb {
        @Option(
                names = "--force",
                description =
                        "Continue although etcd has events that the directory lacks, or etcd does not answer. These events are lost.")
        private boolean force;

        @Mixin
        private final ServerOptions server = new ServerOptions();

        public Export(Console console) {
            super(console);
        }

        @Override
        int run(Config config, LedgerAdmin ledger) throws IOException {
            Path directory = stateDir(config, server);
            long seq;
            try (Progress progress = new Progress(console(), "exporting")) {
                seq = ledger.export(LocalDisk.existing(directory), force, (unit, done) -> progress.at(done, unit));
            }
            console()
                    .println(directory + " is a ledger of files up to seq " + seq
                            + ": set ledger.kind = \"file\" and start the daemon");
            return Exit.OK;
        }
    }
}
