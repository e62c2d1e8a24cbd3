// Whether the service itself is well: the probes, the ledger, the journal, the schedulers, the reporters, the certificates.

import { h, count, number, now, since, span, moment, paced } from "./dom.js";
import { get, text } from "./link.js";

const EVERY = 5000;
const MONTH = 30 * 86400;
const KINDS = { server: "shown to clients", ca: "CA of a grant", crl: "revoked certificates" };

function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const i = n ? Math.min(units.length - 1, Math.floor(Math.log2(n) / 10)) : 0;
  return `${(n / 1024 ** i).toFixed(i && n / 1024 ** i < 10 ? 1 : 0)} ${units[i]}`;
}

/** Returns the samples of a text of Prometheus, by the name with its labels. */
function samples(page) {
  const all = new Map();
  for (const line of page.split("\n")) {
    const end = line.lastIndexOf(" ");
    if (end > 0 && line[0] !== "#") all.set(line.slice(0, end), Number(line.slice(end + 1)));
  }
  return all;
}

const probe = async (path) => {
  try {
    return await get(path);
  } catch (error) {
    return error.status ? { ok: false, reasons: [error.message] } : { ok: false, reasons: ["there is no answer"] };
  }
};

/** Returns the tiles about a ledger on etcd; none for a ledger of files. */
function ledger(shared, fact) {
  if (!shared) return [];
  const stale = shared.lag ? count(shared.lag, "event") + " behind" : shared.age < 2 ? "up to date" : "no word from etcd";
  return [
    fact("Leader", shared.leader ?? "nobody", shared.leader ? `since term ${number(shared.term)}` : "no daemon takes changes"),
    fact("Ledger on etcd", stale, `as of ${shared.age.toFixed(1)} s ago`)];
}

export function show(main, store) {
  const lead = h("h1", {});
  const facts = h("dl.facts.tiles", {});
  const schedulers = h("tbody", {});
  const reporters = h("tbody", {});
  const members = h("tbody", {});
  const certificates = h("tbody", {});
  const table = (id, title, heads, body) => h("section", {}, h("h2", { id }, title), h("div.scroll", { tabindex: "0", role: "region", "aria-labelledby": id }, h("table", { "aria-labelledby": id },
    h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), body)));
  const shared = table("t-ledger", "Daemons of the ledger", ["Daemon", "Host", "Process", "Version", "Clients connect to"], members);
  const expiring = table("t-cert", "Certificates", ["Ends", "Left", "For", "File"], certificates);
  shared.hidden = expiring.hidden = true;
  main.append(lead, facts, shared,
    table("t-sched", "Schedulers", ["User", "Process", "Owner", "Since", "Updates", "How far behind"], schedulers),
    table("t-report", "Reporters of jobs", ["Reporter", "Hosts", "Last report"], reporters), expiring);

  function draw(service, ready, leader, all) {
    const value = (name) => all.get(name) ?? 0;
    const mean = (name) => (value(name + "_count") ? value(name + "_sum") / value(name + "_count") : 0);
    const labelled = (name, key) => [...all].filter(([each]) => each.startsWith(name + "{")).map(([each, n]) => [new RegExp(key + '="([^"]*)"').exec(each)?.[1] ?? "", n]);
    const sum = (name) => labelled(name, "x").reduce((total, [, n]) => total + n, 0);
    const build = [...all.keys()].find((name) => name.startsWith("muster_build_info")) ?? "";
    const millis = (seconds) => `${(seconds * 1000).toFixed(seconds < 0.01 ? 2 : 0)} ms`;
    lead.replaceChildren(ready.ok ? "The service is well." : "The service is not well: ", ready.ok ? "" : (ready.reasons ?? []).join("; "));
    lead.className = ready.ok ? "" : "fault";
    const fact = (term, text, more) => h("div", {}, h("dt", {}, term), h("dd", {}, text, more ? h("small", {}, more) : null));
    const errors = value("muster_journal_errors_total");
    facts.replaceChildren(
      fact("Changes", service.fault ? "refused" : service.ledger && !service.ledger.leads ? "at the leader" : "accepted", service.fault ?? (ready.notes ?? []).join("; ")),
      ...ledger(service.ledger, fact),
      fact("This daemon", leader.leader ? "leads" : "is a standby", `version ${/version="([^"]*)"/.exec(build)?.[1] ?? "unknown"}, up ${span(value("process_uptime_seconds"))}`),
      fact("Journal", `seq ${number(service.seq)}`, `${bytes(service.journal_bytes)} on disk, ${errors ? count(errors, "failed write") : "no failed write"}`),
      fact("Disk", value("muster_journal_fsync_seconds_count") ? millis(mean("muster_journal_fsync_seconds")) : "no write yet", "mean of one fdatasync"),
      fact("Snapshot", value("muster_snapshot_bytes") ? span(value("muster_snapshot_age_seconds")) + " old" : "none yet", value("muster_snapshot_bytes") ? bytes(value("muster_snapshot_bytes")) : "a start reads the whole journal"),
      fact("Updates", value("muster_acquire_latency_seconds_count") ? millis(mean("muster_acquire_latency_seconds")) : "none sent", "mean from durable to sent"),
      fact("Connections", number(sum("muster_connections")), `${count(service.event_readers, "page or program follows", "pages and programs follow")} events`),
      fact("Memory", bytes(labelled("jvm_memory_used_bytes", "area").filter(([area]) => area === "heap").reduce((total, [, n]) => total + n, 0)), "of the heap"),
      fact("Clock", service.clock ? "in doubt" : "trusted", service.clock ?? moment(service.time)),
      fact("You", service.caller.user, service.caller.rights.join(", ")));
    schedulers.replaceChildren(...service.schedulers.map((each) => h("tr", {},
      h("td", {}, each.user), h("td", {}, each.pid || ""), h("td", {}, each.owner ?? ""), h("td.time", {}, since(each.since)), h("td.number", {}, number(each.responses)),
      h("td", {}, !each.connected ? `not connected; the resources are kept until ${moment(each.until)}` : each.behind ? h("span.fault", {}, "has yet to be sent the last changes") : "was sent everything"))));
    if (!service.schedulers.length) schedulers.replaceChildren(h("tr", {}, h("td", { colspan: 6 }, "No scheduler is connected.")));
    reporters.replaceChildren(...service.usage.map((each) => h("tr", {}, h("td", {}, each.reporter), h("td", {}, each.ranks), h("td.time", {}, since(each.time)))));
    if (!service.usage.length) reporters.replaceChildren(h("tr", {}, h("td", { colspan: 3 }, "Nobody reports jobs.")));
    shared.hidden = !service.ledger;
    members.replaceChildren(...(service.ledger?.members ?? []).map((each) => h("tr", {}, h("td", {}, each.leads ? h("b", {}, each.name, " leads") : each.name),
      h("td", {}, each.host), h("td", {}, each.pid), h("td", {}, each.version), h("td", {}, each.uris.join(" ")))));
    expiring.hidden = !service.certificates.length;
    certificates.replaceChildren(...service.certificates.map((each) => {
      const left = (Date.parse(each.end) - now()) / 1000;
      return h("tr", {}, h("td.time", {}, moment(each.end)), h("td", {}, h(left < MONTH ? "span.fault" : "span", {}, left > 0 ? span(left) : "has ended")),
        h("td", {}, each.address || KINDS[each.kind]), h("td", {}, each.file));
    }));
  }

  const load = paced(1000, async () => {
    if (!main.contains(lead)) return;
    try {
      const [service, ready, leader, page] = await Promise.all([get("/v1/service"), probe("/readyz"), probe("/leader"), text("/metrics")]);
      store.service = service;
      draw(service, ready, leader, samples(page));
    } catch {
      lead.textContent = "The daemon does not answer."; // the banner says since when
    }
  });
  const timer = setInterval(load, EVERY);
  return { update: load, close: () => clearInterval(timer) };
}
