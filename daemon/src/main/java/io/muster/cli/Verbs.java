package io.muster.cli;

import io.muster.cli.bench.Bench;
import io.muster.cli.change.ClockAccept;
import io.muster.cli.change.Drain;
import io.muster.cli.change.Exclude;
import io.muster.cli.change.ExpirationClear;
import io.muster.cli.change.ExpirationSet;
import io.muster.cli.change.Include;
import io.muster.cli.change.Lively;
import io.muster.cli.change.Offline;
import io.muster.cli.change.Online;
import io.muster.cli.change.PropertyChange;
import io.muster.cli.change.Reload;
import io.muster.cli.change.Shrink;
import io.muster.cli.change.Torpid;
import io.muster.cli.change.Undrain;
import io.muster.cli.follow.Acquire;
import io.muster.cli.follow.Eventlog;
import io.muster.cli.follow.Watch;
import io.muster.cli.journal.Backup;
import io.muster.cli.journal.Dump;
import io.muster.cli.journal.Repair;
import io.muster.cli.journal.Restore;
import io.muster.cli.journal.Verify;
import io.muster.cli.look.ExpirationGet;
import io.muster.cli.look.InfoVerb;
import io.muster.cli.look.ListVerb;
import io.muster.cli.look.PropertyList;
import io.muster.cli.look.RGetVerb;
import io.muster.cli.look.Status;
import io.muster.cli.look.Why;
import io.muster.cli.past.History;
import io.muster.cli.past.ReportVerb;
import io.muster.cli.request.Feasible;
import io.muster.cli.request.Graph;
import io.muster.cli.request.JobspecValidate;
import io.muster.cli.request.ShapeCompact;
import io.muster.cli.request.ShapeExpand;
import io.muster.cli.rset.Append;
import io.muster.cli.rset.Decode;
import io.muster.cli.rset.Diff;
import io.muster.cli.rset.Encode;
import io.muster.cli.rset.Intersect;
import io.muster.cli.rset.ParseConfig;
import io.muster.cli.rset.Renumber;
import io.muster.cli.rset.Rerank;
import io.muster.cli.rset.SetProperty;
import io.muster.cli.rset.Union;
import io.muster.cli.rset.VerifySet;
import io.muster.cli.terminal.Console;
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
            case "list" -> new CommandLine(new ListVerb(console));
            case "info" -> new CommandLine(new InfoVerb(console));
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
            case "report" -> new CommandLine(new ReportVerb(console));
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
                .addSubcommand("get", new RGetVerb(console))
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
        CommandLine family = new CommandLine(new VerbGroup());
        family.getCommandSpec()
                .name(name)
                .usageMessage()
                .description(description)
                .synopsisSubcommandLabel("VERB");
        return family;
    }
}
