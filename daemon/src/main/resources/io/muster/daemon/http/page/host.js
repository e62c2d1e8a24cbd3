// Everything about one host: what `muster why` says, where it is, and its past.

import { h, clamped, count, emptyRow, loading, menu, moment, now, paced, s, since, span, table, whole } from "./dom.js";
import { KINDS, about, kindOf, person, stageOf, waitOf, wordOf, wordsOf } from "./hosts.js";
import { Problem, get, pastProblem, view } from "./link.js";
import { mayHold, mayLift, setParam } from "./app.js";
import { openDrain, openUndrain } from "./act.js";

const DAYS = [["1", "day"], ["7", "week"], ["30", "30 days"], ["365", "year"]];
const MOST_ROWS = 200;
const WIDE = 1000;

export function show(main, store, params, name) {
  let days = params.get("days") ?? "30";
  const top = h("section", {}, h("h1", {}, name), loading());
  const facts = h("dl.facts", {});
  const bar = h("div", {});
  const past = h("tbody", {}, emptyRow("Loading…", 7));
  const sum = h("p", { role: "status" });
  const choice = menu("of the last", DAYS, days, (value) => {
    days = value;
    setParam("days", days);
    drawPast();
  });
  main.append(top, h("div.columns", {},
    h("section", {}, h("h2", {}, "Now"), facts),
    h("section", {}, h("div.tools", {}, h("h2", { id: "t-past" }, "The past"), choice), bar, sum,
      table("table", "t-past", "Each row is a time in which the host was out", ["From", "For", "State", "Holder", "Reason", "By", "Ended by"], past))));

  // ---- now

  const fact = (term, ...values) => (values.length ? [h("dt", {}, term), values.map((value) => h("dd", {}, value))] : []);

  function drawNow(host, paths) {
    if (host.state === "departed") {
      top.replaceChildren(h("h1", {}, name),
        h("p.lead", {}, "R no longer names this host. Its holds and properties are kept for its return."));
      facts.replaceChildren(...[fact("Holds", ...(host.holds ?? []).map(holdText)), fact("Planned", ...host.planned.map(planText))].flat(2));
      return;
    }
    const holds = host.holds ?? [];
    const kind = KINDS[kindOf(host)];
    top.replaceChildren(h("h1", {}, name, " ", h("span.state." + kind.key, {}, wordOf(host))), h("p.lead", {}, lead(host, kind)));
    if (mayHold()) top.append(buttons(holds.filter((hold) => mayLift(hold.holder))));
    facts.replaceChildren(...[
      fact("Liveness", livenessText(host)),
      fact("Holds", ...(holds.length ? holds.map(holdText) : ["none"])),
      fact("Planned", ...host.planned.map(planText)),
      host.kind ? fact("Membership", `${host.state === "lost" ? "lost" : "excluded"} (${host.kind})${host.reason ? ": " + host.reason : ""}`) : [],
      fact("Jobs", host.allocated === null ? "nobody reports jobs" : host.allocated ? "a job uses the host" : "no job uses the host"),
      fact("Resources", `${count(host.ncores, "core")}${host.ngpus ? ", " + count(host.ngpus, "GPU") : ""}, rank ${host.rank}`),
      fact("Properties", host.properties.join(", ") || "none"),
      fact("Place", ...paths.map(placeText)),
      fact("Notes", ...host.notes.map(noteText)),
      fact("Schedulers", ...(store.service?.schedulers ?? []).map(schedulerText)),
    ].flat(2));
  }

  function lead(host, kind) {
    if (!kind.out) return host.up ? "Schedulers may use this host." : "Schedulers may not use this host.";
    const why = about(host);
    return [why.reason || "No reason is known", why.by && `, by ${why.by}`, why.since && [", for ", since(why.since)], "."];
  }

  function buttons(liftable) {
    return h("p.buttons.left", {},
      h("button", { type: "button", onclick: () => openDrain(name, store) }, "Drain…"),
      liftable.length > 0 && h("button", { type: "button", onclick: () => openUndrain(name, liftable, store) }, "Undrain…"));
  }

  const livenessText = (host) => [host.liveness ?? (host.online ? "online" : "offline"),
    host.liveness_since && [" for ", since(host.liveness_since)], host.cause && `: ${host.cause}`];

  const planText = (plan) => [h("b", {}, plan.holder), `: will be drained at ${moment(plan.from)}${plan.until ? `, until ${moment(plan.until)}` : ""}: ${wordsOf(plan) || "no reason given"}`,
    plan.by && [", by ", h("span", { title: plan.by.user }, person(plan.by.user))]];

  const holdText = (hold) => [h("b", {}, hold.holder), ": ", wordsOf(hold) || "no reason given", hold.class && ` (${hold.class})`, hold.by && [", by ", h("span", { title: hold.by.user }, person(hold.by.user))],
    ", ", since(hold.since), hold.until && `, until ${moment(hold.until)}`, waitOf(hold) && `, ${waitOf(hold)}`, workText(hold)];

  function workText({ attempt }) {
    const found = attempts.find((each) => each.attempt === attempt);
    if (!found) return "";
    const words = [stageOf(found) + (found.until ? ` until ${moment(found.until)}` : ""), found.detail].filter(Boolean);
    return words.length ? ` (${words.join(": ")})` : "";
  }

  function noteText({ path, mark, tags }) {
    const words = tags.map((tag) => Object.values(tag).filter((value) => typeof value === "string").join("="));
    if (mark) words.unshift(`${mark.state} ${mark.reason}`);
    return `${path || "host"}: ${words.join(", ")}`;
  }

  function schedulerText(each) {
    if (!each.connected) return `${each.owner}, ${each.user}: is not connected`;
    return `${each.user}, pid ${each.pid}: ${each.behind ? "has yet to be sent the last change" : "was sent everything"}`;
  }

  /** Returns links that show what is out at each place above the host. */
  function placeText(path) {
    const names = path.split("/").filter(Boolean);
    const to = (i) => "#/now?q=" + encodeURIComponent("/" + names.slice(0, i + 1).join("/"));
    return names.map((part, i) => (i < names.length - 1 ? [h("a", { href: to(i) }, part), " / "] : part));
  }

  // ---- the past

  async function drawPast() {
    const until = now();
    const from = until - Number(days) * 86400e3;
    try {
      const answer = await get("/v1/history", { targets: name, since: Math.floor(from / 1000) });
      const all = answer.intervals.map((each) => ({
        ...each,
        start: Math.max(from, Date.parse(each.from) || from),
        end: each.to ? Date.parse(each.to) : until,
      }));
      all.sort((a, b) => a.start - b.start);
      const known = Math.min(until, Math.max(from, Date.parse(answer.known_since ?? "") || until));
      drawBar(all, from, known, until);
      sum.textContent = summary(all, known, until) + (known > from ? ` Nothing is known of the time before ${moment(known)}.`
        : answer.complete ? "" : " Some of the past is not known.");
      all.reverse().sort((a, b) => Boolean(a.to) - Boolean(b.to)); // what lasts comes first
      past.replaceChildren(...all.slice(0, MOST_ROWS).map(rowOf));
      if (!all.length) past.append(emptyRow("Nothing.", 7));
    } catch (error) {
      sum.textContent = pastProblem(error);
    }
  }

  function drawBar(all, from, known, until) {
    const x = (time) => ((time - from) / (until - from)) * WIDE;
    const part = (start, end, name, title) =>
      s("rect", { x: x(start), y: 4, width: Math.max(2, x(end) - x(start)), height: 26, class: name }, s("title", {}, title));
    const ticks = [0, 0.25, 0.5, 0.75].map((share) => moment(from + share * (until - from)).slice(5, days === "1" ? 16 : 10));
    const label = `${count(all.length, "interval")} in which ${name} was out; the table lists them`;
    bar.replaceChildren(
      s("svg", { viewBox: `0 0 ${WIDE} 34`, preserveAspectRatio: "none", class: "past", role: "img", "aria-label": label },
        known > from && part(from, known, "unknown", "Nothing is known of this time"),
        part(known, until, "ground", "in"),
        all.map((each) => part(each.start, each.end, "f-" + each.kind, `${each.kind} from ${moment(each.from)}: ${each.reason}`))),
      h("div.ticks", { "aria-hidden": "true" }, [...ticks, "now"].map((tick) => h("span", {}, tick))));
  }

  /** Returns how often and how long the host was out. Intervals that overlap, such as drained and offline, are one time. */
  function summary(all, known, until) {
    const times = [];
    for (const { start, end } of all) {
      if (times.length && start <= times.at(-1).end) times.at(-1).end = Math.max(times.at(-1).end, end);
      else times.push({ start, end });
    }
    if (!times.length) return "Never out in this time.";
    const out = times.reduce((total, { start, end }) => total + end - start, 0);
    const share = ((100 * out) / Math.max(1, until - known)).toFixed(1);
    return `Out ${count(times.length, "time")}, for ${span(out / 1000)} in all, ${share}% of the time that is known.`;
  }

  const rowOf = (each) => h("tr", {},
    h("td.time", {}, each.from ? moment(each.from) : "unknown"),
    h("td.time", {}, each.to ? span((each.end - each.start) / 1000) : since(each.from)),
    h("td", {}, h("span.state." + each.kind, {}, each.kind)),
    h("td", {}, each.holder ?? ""),
    h("td.reason", {}, clamped(each.reason)),
    h("td", {}, whole(each.by)),
    h("td", {}, each.to ? [whole(each.ended_by), each.comment && `: ${each.comment}`] : "lasts"));

  let paths = null;
  let attempts = []; // what the holds wait for
  let seq = -1;
  const load = paced(400, async () => {
    try {
      const host = await view("/v1/hosts/" + encodeURIComponent(name));
      const isAwaited = host.state !== "departed" && host.holds?.some((hold) => hold.attempt);
      attempts = isAwaited ? (await view("/v1/work?targets=" + encodeURIComponent(name))).attempts : [];
      paths ??= await get("/v1/find", { expr: `node and name="${name}"`, output: "paths" }).then((answer) => answer.paths, () => []);
      drawNow(host, paths);
      if (host.seq !== seq) await drawPast();
      seq = host.seq;
    } catch (error) {
      if (!(error instanceof Problem)) return;
      top.replaceChildren(h("h1", {}, name), h("p.fault", {}, error.message));
      top.nextSibling.hidden = true;
    }
  });
  return { update: load };
}
