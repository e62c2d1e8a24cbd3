package io.muster.cli;

import io.muster.cli.change.AcquireRelease;
import io.muster.cli.change.CheckNode;
import io.muster.cli.change.CheckResult;
import io.muster.cli.change.ClockAccept;
import io.muster.cli.change.Drain;
import io.muster.cli.change.ExpirationClear;
import io.muster.cli.change.ExpirationSet;
import io.muster.cli.change.NoteChange;
import io.muster.cli.change.PropertyChange;
import io.muster.cli.change.Reload;
import io.muster.cli.change.TargetChange;
import io.muster.cli.change.Undrain;
import io.muster.cli.change.UpgradeFinish;
import io.muster.cli.change.WorkVerbs;
import io.muster.cli.follow.Acquire;
import io.muster.cli.follow.Eventlog;
import io.muster.cli.follow.Relay;
import io.muster.cli.follow.Top;
import io.muster.cli.follow.Watch;
import io.muster.cli.journal.Backup;
import io.muster.cli.journal.Dump;
import io.muster.cli.journal.Repair;
import io.muster.cli.journal.Restore;
import io.muster.cli.journal.Verify;
import io.muster.cli.ledger.LedgerVerb;
import io.muster.cli.look.Audit;
import io.muster.cli.look.BrakeVerb;
import io.muster.cli.look.ExpirationGet;
import io.muster.cli.look.ImpactVerb;
import io.muster.cli.look.InfoVerb;
import io.muster.cli.look.ListVerb;
import io.muster.cli.look.PropertyList;
import io.muster.cli.look.RGetVerb;
import io.muster.cli.look.Status;
import io.muster.cli.look.SummaryVerb;
import io.muster.cli.look.UpgradeStatus;
import io.muster.cli.look.Why;
import io.muster.cli.past.History;
import io.muster.cli.past.PolicyVerb;
import io.muster.cli.past.ReportVerb;
import io.muster.cli.request.Feasible;
import io.muster.cli.request.Find;
import io.muster.cli.request.Graph;
import io.muster.cli.request.JobspecValidate;
import io.muster.cli.request.ShapeCompact;
import io.muster.cli.request.ShapeExpand;
import io.muster.cli.rset.Decode;
import io.muster.cli.rset.Encode;
import io.muster.cli.rset.SetVerbs;
import io.muster.cli.terminal.Console;
import io.muster.cli.token.TokenCreate;
import io.muster.cli.token.TokenList;
import io.muster.cli.token.TokenRevoke;
import io.muster.cli.token.WebVerb;
import io.muster.daemon.config.Environment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * Adds verbs to a command. Only the verb that the command line names is created, unless help or completion needs all of
 * them: a command that is called in a loop must not spend time on the others.
 */
final class Verbs {
    private final CommandLine command;
    private final Console console;
    private final @Nullable String wanted;
    private String name = "";

    private Verbs(CommandLine command, Console console, @Nullable String wanted) {
        this.command = command;
        this.console = console;
        this.wanted = wanted;
    }

    /** Adds the verb with this name, or all verbs if none has it. */
    static void add(CommandLine command, Console console, String name) {
        new Verbs(command, console, name).addWanted();
        if (command.getSubcommands().isEmpty()) {
            new Verbs(command, console, null).addWanted();
        }
    }

    /** Lists all verbs, in the order in which help shows them. */
    private void addWanted() {
        add(is("status") ? new Status(console) : null);
        add(is("summary") ? new SummaryVerb(console) : null);
        add(is("list") ? new ListVerb(console) : null);
        add(is("info") ? new InfoVerb(console) : null);
        add(is("why") ? new Why(console) : null);
        add(is("audit") ? new Audit(console) : null);
        add(is("brake") ? new BrakeVerb(console) : null);
        add(is("impact") ? new ImpactVerb(console) : null);
        add(is("find") ? new Find(console) : null);
        add(is("feasible") ? new Feasible(console) : null);
        add(is("graph") ? new Graph(console) : null);
        add(is("drain") ? new Drain(console) : null);
        add(is("undrain") ? new Undrain(console) : null);
        add(is("check-result") ? new CheckResult(console) : null);
        add(is("check-node") ? new CheckNode(console, Environment.ofProcess()) : null);
        add(is("work") ? work() : null);
        add(is("exclude") ? new TargetChange.Exclude(console) : null);
        add(is("include") ? new TargetChange.Include(console) : null);
        add(is("online") ? new TargetChange.Online(console) : null);
        add(is("offline") ? new TargetChange.Offline(console) : null);
        add(is("torpid") ? new TargetChange.Torpid(console) : null);
        add(is("lively") ? new TargetChange.Lively(console) : null);
        add(is("shrink") ? new TargetChange.Shrink(console) : null);
        add(is("property") ? property() : null);
        add(is("tag") ? tag() : null);
        add(is("mark") ? new NoteChange.Mark(console) : null);
        add(is("expiration") ? expiration() : null);
        add(is("reload") ? new Reload(console) : null);
        add(is("clock") ? clock() : null);
        add(is("upgrade") ? upgrade() : null);
        add(is("token") ? token() : null);
        add(is("web") ? new WebVerb(console) : null);
        add(is("watch") ? new Watch(console) : null);
        add(is("top") ? new Top(console) : null);
        add(is("eventlog") ? new Eventlog(console) : null);
        add(is("acquire") ? acquire() : null);
        add(is("history") ? new History(console) : null);
        add(is("report") ? new ReportVerb(console) : null);
        add(is("journal") ? journal() : null);
        add(is("policy") ? new PolicyVerb(console, Environment.ofProcess()) : null);
        add(is("ledger") ? ledger() : null);
        add(is("backup") ? new Backup(console) : null);
        add(is("restore") ? new Restore(console) : null);
        add(is("R") ? resourceSets() : null);
        add(is("shape") ? shape() : null);
        add(is("jobspec") ? jobspec() : null);
        add(is("check") ? new Check(console, Environment.ofProcess()) : null);
        add(is("flux-check") ? new FluxCheck(console, Environment.ofProcess()) : null);
        add(is("serve") ? new Serve() : null);
        add(is("relay") ? new Relay(console, ServeRelay::run) : null);
        add(is("completion") ? new Completion(console) : null);
        add(is("bench") ? new Bench(console) : null);
        add(is("support") ? new Support(console, Environment.ofProcess()) : null);
        add(is("version") ? new Version(console) : null);
    }

    /** Returns whether the verb {@code verb}, the next one in the list, must be created. */
    private boolean is(String verb) {
        name = verb;
        return wanted == null || wanted.equals(verb);
    }

    private void add(@Nullable Object verb) {
        if (verb != null) {
            command.addSubcommand(name, verb);
        }
    }

    private CommandLine acquire() {
        return new CommandLine(new Acquire(console)).addSubcommand("release", new AcquireRelease(console));
    }

    private CommandLine work() {
        return family("work", "Show, claim and report the work that holds ask for.")
                .addSubcommand("list", new WorkVerbs.Listing(console))
                .addSubcommand("claim", new WorkVerbs.Claim(console))
                .addSubcommand("done", new WorkVerbs.Done(console))
                .addSubcommand("failed", new WorkVerbs.Failed(console));
    }

    private CommandLine property() {
        return family("property", "Show, add and remove properties of hosts.")
                .addSubcommand("list", new PropertyList(console))
                .addSubcommand("add", new PropertyChange.Add(console))
                .addSubcommand("remove", new PropertyChange.Remove(console));
    }

    private CommandLine tag() {
        return family("tag", "Tag vertices of the resource graph, such as hosts and GPUs.")
                .addSubcommand("add", new NoteChange.Add(console))
                .addSubcommand("remove", new NoteChange.Remove(console));
    }

    private CommandLine expiration() {
        return family("expiration", "Show or set when the resources expire.")
                .addSubcommand("get", new ExpirationGet(console))
                .addSubcommand("set", new ExpirationSet(console))
                .addSubcommand("clear", new ExpirationClear(console));
    }

    private CommandLine clock() {
        return family("clock", "Make the daemon accept a clock that it doubts.")
                .addSubcommand("accept", new ClockAccept(console));
    }

    private CommandLine upgrade() {
        return family(
                        "upgrade",
                        "Show the state of an upgrade, or finish it. Until then, the earlier version can start again.")
                .addSubcommand("status", new UpgradeStatus(console))
                .addSubcommand("finish", new UpgradeFinish(console));
    }

    private CommandLine token() {
        return family("token", "Create, list and revoke tokens for the HTTP API.")
                .addSubcommand("create", new TokenCreate(console))
                .addSubcommand("list", new TokenList(console))
                .addSubcommand("revoke", new TokenRevoke(console));
    }

    private CommandLine journal() {
        return family("journal", "Print, verify and repair the journal on disk.")
                .addSubcommand("dump", new Dump(console))
                .addSubcommand("verify", new Verify(console))
                .addSubcommand("repair", new Repair(console));
    }

    private CommandLine ledger() {
        return family("ledger", "Inspect and manage a ledger on etcd, which several daemons share.")
                .addSubcommand("status", new LedgerVerb.Status(console))
                .addSubcommand("step-down", new LedgerVerb.StepDown(console))
                .addSubcommand("verify", new LedgerVerb.VerifyLog(console))
                .addSubcommand("import", new LedgerVerb.Import(console))
                .addSubcommand("export", new LedgerVerb.Export(console));
    }

    private CommandLine resourceSets() {
        return family("R", "Make, read and combine resource sets (RFC 20), as flux R does.")
                .addSubcommand("get", new RGetVerb(console))
                .addSubcommand("encode", new Encode(console, Environment.ofProcess()))
                .addSubcommand("decode", new Decode(console))
                .addSubcommand("append", new SetVerbs.Append(console))
                .addSubcommand("diff", new SetVerbs.Diff(console))
                .addSubcommand("intersect", new SetVerbs.Intersect(console))
                .addSubcommand("union", new SetVerbs.Union(console))
                .addSubcommand("remap", new SetVerbs.Remap(console))
                .addSubcommand("rerank", new SetVerbs.Rerank(console))
                .addSubcommand("set-property", new SetVerbs.SetProperty(console))
                .addSubcommand("verify", new SetVerbs.Verify(console))
                .addSubcommand("parse-config", new SetVerbs.ParseConfig(console));
    }

    private CommandLine shape() {
        return family("shape", "Convert shapes (RFC 46) to resources lists (RFC 14) and back.")
                .addSubcommand("expand", new ShapeExpand(console))
                .addSubcommand("compact", new ShapeCompact(console));
    }

    private CommandLine jobspec() {
        return family("jobspec", "Check jobspecs (RFC 25, RFC 14).")
                .addSubcommand("validate", new JobspecValidate(console));
    }

    /**
     * Creates a group of verbs, such as {@code journal}. On the command line, one of these verbs must follow the name of the
     * group.
     */
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
