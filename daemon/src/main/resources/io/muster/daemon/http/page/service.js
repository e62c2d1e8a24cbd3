// Whether the service itself is well: the probes, the ledger, the journal, the schedulers, the reporters, the certificates.

import { h, count, emptyRow, number, now, since, span, moment, paced, table } from "./dom.js";
import { get, probe, text } from "./link.js";

const EVERY = 5000;
const MONTH = 30 * 86400;
const KINDS = { server: "shown to clients", ca: "CA of a grant", crl: "revoked certificates" };

function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const i = n ? Math.min(units.length - 1, Math.floor(Math.log2(n) / 10)) : 0;
  return `${(n / 1024 ** i).toFixed(i && n / 1024 ** i < 10 ? 1 : 0)} ${units[i]}`;
}

const millis = (seconds) => `${(seconds * 1000).toFixed(seconds < 0.01 ? 2 : 0)} ms`;

/** The samples of a text of Prometheus. */
class Metrics {
  constructor(page) {
    this.all = page.split("\n").filter((line) => line && line[0] !== "#").map((line) => {
      const end = line.lastIndexOf(" ");
      const [name, labels = ""] = line.slice(0, end).split("{");
      return { name, labels, value: Number(line.slice(end + 1)) };
    });
  }

  /** Returns the sum over all labels that contain a text. */
  sum(name, label = "") {
    return this.all.filter((each) => each.name === name && each.labels.includes(label)).reduce((sum, each) => sum + each.value, 0);
  }

  /** Returns the mean of a histogram in words; null if it has no sample. */
  mean(name) {
    const n = this.sum(name + "_count");
    return n ? millis(this.sum(name + "_sum") / n) : null;
  }

  label(name, key) {
    const labels = this.all.find((each) => each.name === name)?.labels ?? "";
    return new RegExp(key + '="([^"]*)"').exec(labels)?.[1] ?? "unknown";
  }
}

/** Returns a tile; a text below it only if there is one. */
const tile = (term, value, more) => h("div", {}, h("dt", {}, term), h("dd", {}, value, more ? h("small", {}, more) : null));

function changesTile(service, ready) {
  if (service.fault) return tile("Changes", "refused", service.fault);
  return tile("Changes", service.ledger && !service.ledger.leads ? "at the leader" : "accepted", (ready.notes ?? []).join("; "));
}

/** Returns the tiles about a ledger on etcd; none for a ledger of files. */
function ledgerTiles(ledger) {
  if (!ledger) return [];
  const state = ledger.lag ? count(ledger.lag, "event") + " behind" : ledger.age < 2 ? "up to date" : "no word from etcd";
  return [
    tile("Leader", ledger.leader ?? "nobody", ledger.leader ? `since term ${number(ledger.term)}` : "no daemon takes changes"),
    tile("Ledger on etcd", state, `as of ${ledger.age.toFixed(1)} s ago`)];
}

function tiles(service, ready, leader, metrics) {
  const errors = metrics.sum("muster_journal_errors_total");
  const free = metrics.sum("muster_disk_free_bytes");
  const write = metrics.mean("muster_journal_fsync_seconds");
  const update = metrics.mean("muster_acquire_latency_seconds");
  const snapshot = metrics.sum("muster_snapshot_bytes");
  const version = metrics.label("muster_build_info", "version");
  return [
    changesTile(service, ready),
    ...ledgerTiles(service.ledger),
    tile(`Daemon on ${service.host}`, leader.leader ? "leads" : "is a standby",
      `version ${version}, up ${span(now() / 1000 - metrics.sum("process_start_time_seconds"))}`),
    tile("Journal", `seq ${number(service.seq)}`,
      `${bytes(service.journal_bytes)} on disk, ${errors ? count(errors, "failed write") : "no failed write"}`),
    tile("Disk", free ? `${bytes(free)} free` : "of unknown size", write ? `${write} for one fdatasync` : "no write yet"),
    snapshot ? tile("Snapshot", span(metrics.sum("muster_snapshot_age_seconds")) + " old", bytes(snapshot))
      : tile("Snapshot", "none yet", "a start reads the whole journal"),
    tile("Updates", update ?? "none sent", update && "mean from durable to sent"),
    tile("Connections", number(metrics.sum("muster_connections")),
      `${count(service.event_readers, "page or program follows", "pages and programs follow")} events`),
    tile("Memory", bytes(metrics.sum("jvm_memory_used_bytes", 'area="heap"')), "of the heap"),
    tile("Clock", service.clock ? "in doubt" : "trusted", service.clock ?? moment(service.time)),
    tile("You", service.caller.user, service.caller.rights.join(", "))];
}

// ---- rows

const cells = (...values) => h("tr", {}, values.map((value) => h("td", {}, value)));

function schedulerRow(each) {
  const state = !each.connected ? `not connected; the resources are kept until ${moment(each.until)}`
    : each.behind ? h("span.fault", {}, "has yet to be sent the last changes") : "was sent everything";
  return cells(each.user, each.pid || "", each.owner ?? "", since(each.since), number(each.responses), state);
}

const reporterRow = (each) => cells(each.reporter, each.ranks, since(each.time));

const memberRow = (each) =>
  cells(each.leads ? h("b", {}, each.name, " leads") : each.name, each.host, each.pid, each.version, each.uris.join(" "));

function certificateRow(each) {
  const left = (Date.parse(each.end) - now()) / 1000;
  const words = h(left < MONTH ? "span.fault" : "span", {}, left > 0 ? span(left) : "has ended");
  return cells(moment(each.end), words, each.address || KINDS[each.kind], each.file);
}

export function show(main, store) {
  const lead = h("h1", {}, "Loading…");
  const facts = h("dl.facts.tiles", {});
  const parts = [
    ["Daemons of the ledger", ["Daemon", "Host", "Process", "Version", "Clients connect to"], memberRow, (service) => service.ledger?.members],
    ["Schedulers", ["User", "Process", "Owner", "Since", "Updates", "How far behind"], schedulerRow, (service) => service.schedulers ?? [],
      "No scheduler is connected."],
    ["Reporters of jobs", ["Reporter", "Ranks", "Last report"], reporterRow, (service) => service.usage ?? [], "Nobody reports jobs."],
    ["Certificates", ["Ends", "Left", "For", "File"], certificateRow, (service) => service.certificates],
  ].map(([title, heads, rowOf, of, empty], i) => {
    const rows = h("tbody", {});
    const section = h("section", { hidden: true }, h("h2", { id: "t-service" + i }, title), table("table", "t-service" + i, title, heads, rows));
    return { rows, section, rowOf, of, none: empty ? [emptyRow(empty, heads.length)] : [] };
  });
  main.append(lead, facts, ...parts.map(({ section }) => section));

  function draw(service, ready, leader, metrics) {
    lead.textContent = ready.ok ? "The service is well." : "The service is not well: " + (ready.reasons ?? []).join("; ");
    lead.className = ready.ok ? "" : "fault";
    facts.replaceChildren(...tiles(service, ready, leader, metrics));
    for (const { rows, section, rowOf, of, none } of parts) {
      const all = (of(service) ?? []).map(rowOf);
      rows.replaceChildren(...(all.length ? all : none));
      section.hidden = !rows.firstChild;
    }
  }

  const load = paced(1000, async () => {
    if (!main.contains(lead)) return;
    try {
      const [service, ready, leader, page] = await Promise.all([get("/v1/service"), probe("/readyz"), probe("/leader"), text("/metrics")]);
      store.service = service;
      draw(service, ready, leader, new Metrics(page));
    } catch {
      lead.textContent = "The daemon does not answer."; // the banner says since when
    }
  });
  const timer = setInterval(load, EVERY);
  return { update: load, close: () => clearInterval(timer) };
}
