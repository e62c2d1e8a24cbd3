package io.muster.daemon.cli;

import io.muster.daemon.cli.bench.Bench;
import io.muster.daemon.cli.change.ClockAccept;
import io.muster.daemon.cli.change.Drain;
import io.muster.daemon.cli.change.Exclude;
import io.muster.daemon.cli.change.ExpirationClear;
import io.muster.daemon.cli.change.ExpirationSet;
import io.muster.daemon.cli.change.Include;
import io.muster.daemon.cli.change.Lively;
import io.muster.daemon.cli.change.Offline;
import io.muster.daemon.cli.change.Online;
import io.muster.daemon.cli.change.PropertyChange;
import io.muster.daemon.cli.change.Reload;
import io.muster.daemon.cli.change.Shrink;
import io.muster.daemon.cli.change.Torpid;
import io.muster.daemon.cli.change.Undrain;
import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.follow.Acquire;
import io.muster.daemon.cli.follow.Eventlog;
import io.muster.daemon.cli.follow.Watch;
import io.muster.daemon.cli.past.Backup;
import io.muster.daemon.cli.past.Dump;
import io.muster.daemon.cli.past.History;
import io.muster.daemon.cli.past.Repair;
import io.muster.daemon.cli.past.Report;
import io.muster.daemon.cli.past.Restore;
import io.muster.daemon.cli.past.Verify;
import io.muster.daemon.cli.query.Counts;
import io.muster.daemon.cli.query.ExpirationGet;
import io.muster.daemon.cli.query.Listing;
import io.muster.daemon.cli.query.PropertyList;
import io.muster.daemon.cli.query.SetGet;
import io.muster.daemon.cli.query.Status;
import io.muster.daemon.cli.request.Feasible;
import io.muster.daemon.cli.request.Graph;
import io.muster.daemon.cli.request.JobspecValidate;
import io.muster.daemon.cli.request.ShapeCompact;
import io.muster.daemon.cli.request.ShapeExpand;
import io.muster.daemon.cli.rset.Append;
import io.muster.daemon.cli.rset.Decode;
import io.muster.daemon.cli.rset.Diff;
import io.muster.daemon.cli.rset.Encode;
import io.muster.daemon.cli.rset.Intersect;
import io.muster.daemon.cli.rset.ParseConfig;
import io.muster.daemon.cli.rset.Renumber;
import io.muster.daemon.cli.rset.Rerank;
import io.muster.daemon.cli.rset.SetProperty;
import io.muster.daemon.cli.rset.Union;
import io.muster.daemon.cli.rset.VerifySet;
import io.muster.daemon.cli.why.Why;
import io.muster.daemon.config.Environment;
import java.util.List;
import picocli.CommandLine;

/**
 * All verbs by name. Only the verb named on the command line is created, unless help or completion needs all of them: a command that is
 * called in a loop must not pay for the others.
 */
final class Verbs {
    /** The names in the order in which help shows them. */
    static final List<String> NAMES = List.of(
            "status",
            "list",
            "info",
            "why",
            "feasible",
            "graph",
            "drain",
            "undrain",
            "exclude",
            "include",
            "online",
            "offline",
            "torpid",
            "lively",
            "shrink",
            "property",
            "expiration",
            "reload",
            "clock",
            "watch",
            "eventlog",
            "acquire",
            "history",
            "report",
            "journal",
            "backup",
            "restore",
            "R",
            "shape",
            "jobspec",
            "check",
            "serve",
            "completion",
            "bench",
            "version");

    private Verbs() {}

    static CommandLine make(String name, Console console) {
        return switch (name) {
            case "status" -> new CommandLine(new Status(console));
            case "list" -> new CommandLine(new Listing(console));
            case "info" -> new CommandLine(new Counts(console));
            case "why" -> new CommandLine(new Why(console));
            case "feasible" -> new CommandLine(new Feasible(console));
            case "graph" -> new CommandLine(new Graph(console));
            case "drain" -> new CommandLine(new Drain(console));
            case "undrain" -> new CommandLine(new Undrain(console));
            case "exclude" -> new CommandLine(new Exclude(console));
            case "include" -> new CommandLine(new Include(console));
            case "online" -> new CommandLine(new Online(console));
            case "offline" -> new CommandLine(new Offline(console));
            case "torpid" -> new CommandLine(new Torpid(console));
            case "lively" -> new CommandLine(new Lively(console));
            case "shrink" -> new CommandLine(new Shrink(console));
            case "property" -> property(console);
            case "expiration" -> expiration(console);
            case "reload" -> new CommandLine(new Reload(console));
            case "clock" -> clock(console);
            case "watch" -> new CommandLine(new Watch(console));
            case "eventlog" -> new CommandLine(new Eventlog(console));
            case "acquire" -> new CommandLine(new Acquire(console));
            case "history" -> new CommandLine(new History(console));
            case "report" -> new CommandLine(new Report(console));
            case "journal" -> journal(console);
            case "backup" -> new CommandLine(new Backup(console));
            case "restore" -> new CommandLine(new Restore(console));
            case "R" -> resourceSets(console);
            case "shape" -> shape(console);
            case "jobspec" -> jobspec(console);
            case "check" -> new CommandLine(new Check(console, Environment.ofProcess()));
            case "completion" -> new CommandLine(new Completion(console));
            case "version" -> new CommandLine(new Version(console));
            case "bench" -> new CommandLine(new Bench(console));
            case "serve" -> new CommandLine(new Serve());
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static CommandLine property(Console console) {
        return family("property", "Give hosts properties, take them away, and show who has which.")
                .addSubcommand("list", new PropertyList(console))
                .addSubcommand("add", new PropertyChange.Add(console))
                .addSubcommand("remove", new PropertyChange.Remove(console));
    }

    private static CommandLine expiration(Console console) {
        return family("expiration", "Show or set when the resources expire.")
                .addSubcommand("get", new ExpirationGet(console))
                .addSubcommand("set", new ExpirationSet(console))
                .addSubcommand("clear", new ExpirationClear(console));
    }

    private static CommandLine clock(Console console) {
        return family("clock", "Say that the daemon's clock is right.")
                .addSubcommand("accept", new ClockAccept(console));
    }

    private static CommandLine journal(Console console) {
        return family("journal", "Read, check and mend the journal on disk.")
                .addSubcommand("dump", new Dump(console))
                .addSubcommand("verify", new Verify(console))
                .addSubcommand("repair", new Repair(console));
    }

    private static CommandLine resourceSets(Console console) {
        return family("R", "Make, read and compute with resource sets (RFC 20), as flux R does.")
                .addSubcommand("get", new SetGet(console))
                .addSubcommand("encode", new Encode(console, Environment.ofProcess()))
                .addSubcommand("decode", new Decode(console))
                .addSubcommand("append", new Append(console))
                .addSubcommand("diff", new Diff(console))
                .addSubcommand("intersect", new Intersect(console))
                .addSubcommand("union", new Union(console))
                .addSubcommand("remap", new Renumber(console))
                .addSubcommand("rerank", new Rerank(console))
                .addSubcommand("set-property", new SetProperty(console))
                .addSubcommand("verify", new VerifySet(console))
                .addSubcommand("parse-config", new ParseConfig(console));
    }

    private static CommandLine shape(Console console) {
        return family("shape", "Turn shapes (RFC 46) into resources lists (RFC 14) and back.")
                .addSubcommand("expand", new ShapeExpand(console))
                .addSubcommand("compact", new ShapeCompact(console));
    }

    private static CommandLine jobspec(Console console) {
        return family("jobspec", "Check jobspecs (RFC 25, RFC 14).")
                .addSubcommand("validate", new JobspecValidate(console));
    }

    /** Creates the name of a group of verbs, which needs one of these verbs after it. */
    private static CommandLine family(String name, String description) {
        CommandLine family = new CommandLine(new Family());
        family.getCommandSpec()
                .name(name)
                .usageMessage()
                .description(description)
                .synopsisSubcommandLabel("VERB");
        return family;
    }
}
