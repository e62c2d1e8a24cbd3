// Everything about one host: what `muster why` says, where it is, and its past.

import { h, count, number, since, span, moment, menu, now, paced, s } from "./dom.js";
import { KINDS, about, kindOf } from "./hosts.js";
import { Problem, get, view } from "./link.js";
import { mayHold, mayLift, setParam } from "./app.js";
import { openDrain, openUndrain } from "./act.js";

const DAYS = [["1", "day"], ["7", "week"], ["30", "30 days"], ["365", "year"]];
const CLASSES = { excluded: "exclude" };

export function show(main, store, params, name) {
  let days = params.get("days") ?? "30";
  const top = h("section", {});
  const facts = h("dl.facts", {});
  const bar = h("div", {});
  const past = h("tbody", {});
  const sum = h("p", { role: "status" });
  main.append(top, h("div.columns", {}, h("section", {}, h("h2", {}, "Now"), facts),
    h("section.wide", {}, h("div.tools", {}, h("h2", { id: "t-past" }, "The past"), menu("of the last", DAYS, days, (value) => {
      days = value;
      setParam("days", days);
      drawPast();
    })), bar, sum,
    h("div.scroll", { tabindex: "0", role: "region", "aria-labelledby": "t-past" }, h("table", { "aria-labelledby": "t-past" },
      h("thead", {}, h("tr", {}, ["From", "For", "State", "Holder", "Reason", "By", "Ended by"].map((text) => h("th", { scope: "col" }, text)))), past)))));

  const fact = (term, ...values) => (values.length ? [h("dt", {}, term), ...values.map((value) => h("dd", {}, value))] : []);

  function drawNow(host, paths) {
    if (host.state === "departed") {
      top.replaceChildren(h("h1", {}, name), h("p.lead", {}, "R no longer names this host. Its holds and properties are kept for its return."));
      facts.replaceChildren(...fact("Holds", ...(host.holds ?? []).map(holdText)));
      return;
    }
    const kind = KINDS[kindOf(host)];
    const why = about(host);
    const liftable = (host.holds ?? []).filter((hold) => mayLift(hold.holder));
    const group = { targets: name };
    top.replaceChildren(
      h("h1", {}, name, " ", h("span.state." + kind.key, {}, kind.name)),
      h("p.lead", {}, kind.out ? [why.reason || "No reason is known", why.by ? `, by ${why.by}` : "", why.since ? [", for ", since(why.since)] : "", "."]
        : host.up ? "Schedulers may use this host." : "Schedulers may not use this host."),
      mayHold() ? h("p.buttons.left", {},
        h("button", { type: "button", onclick: () => openDrain(group.targets, store) }, "Drain…"),
        liftable.length ? h("button", { type: "button", onclick: () => openUndrain(group.targets, liftable, store) }, "Undrain…") : null) : null);
    const usage = host.allocated === null ? "nobody reports jobs" : host.allocated ? "a job uses the host" : "no job uses the host";
    facts.replaceChildren(
      ...fact("Liveness", [host.liveness ?? (host.online ? "online" : "offline"), host.liveness_since ? [" for ", since(host.liveness_since)] : "", host.cause ? `: ${host.cause}` : ""]),
      ...fact("Holds", ...((host.holds ?? []).length ? host.holds.map(holdText) : ["none"])),
      ...(host.kind ? fact("Membership", `${host.state === "lost" ? "lost" : "excluded"} (${host.kind})${host.reason ? ": " + host.reason : ""}`) : []),
      ...fact("Jobs", usage),
      ...fact("Resources", `${count(host.ncores, "core")}${host.ngpus ? ", " + count(host.ngpus, "GPU") : ""}, rank ${host.rank}`),
      ...fact("Properties", host.properties.join(", ") || "none"),
      ...fact("Place", ...paths.map(placeText)),
      ...fact("Notes", ...host.notes.map((note) => `${note.path || "host"}: ${[note.mark ? `${note.mark.state} ${note.mark.reason}` : "", ...note.tags.map((tag) => Object.values(tag).filter((value) => typeof value === "string").join("="))].filter(Boolean).join(", ")}`)),
      ...fact("Schedulers", ...(store.service?.schedulers ?? []).map((each) => !each.connected ? `${each.owner}, ${each.user}: is not connected` : `${each.user}, pid ${each.pid}: ${each.behind ? "has yet to be sent the last change" : "was sent everything"}`)));
  }

  const holdText = (hold) => [h("b", {}, hold.holder), ": ", hold.reason || "no reason given", hold.by ? `, by ${hold.by.user}` : "", ", ", since(hold.since), hold.until ? `, until ${moment(hold.until)}` : ""];

  function placeText(path) {
    const names = path.split("/").filter(Boolean);
    return names.map((part, i) => [i ? " / " : "", i < names.length - 1 ? h("a", { href: `#/now?q=${encodeURIComponent("/" + names.slice(0, i + 1).join("/"))}` }, part) : part]);
  }

  async function drawPast() {
    const until = now();
    const from = until - Number(days) * 86400e3;
    try {
      const answer = await get("/v1/history", { targets: name, since: Math.floor(from / 1000) });
      const all = answer.intervals.map((each) => ({ ...each, start: each.from ? Math.max(from, Date.parse(each.from)) : from, end: each.to ? Date.parse(each.to) : until }));
      all.sort((a, b) => b.start - a.start);
      const known = Math.min(until, Math.max(from, Date.parse(answer.known_since ?? "") || until));
      const x = (time) => ((time - from) / (until - from)) * 1000;
      const ticks = [0, 0.25, 0.5, 0.75, 1];
      bar.replaceChildren(s("svg", { viewBox: "0 0 1000 34", preserveAspectRatio: "none", class: "past", role: "img", "aria-label": `${count(all.length, "interval")} in which ${name} was out; the table lists them` },
        s("rect", { x: x(known), y: 4, width: 1000 - x(known), height: 26, class: "ground" }),
        s("rect", { x: 0, y: 4, width: x(known), height: 26, class: "unknown" }, s("title", {}, "Nothing is known of this time")),
        all.toReversed().map((each) => s("rect", { x: x(each.start), y: 4, width: Math.max(2, x(each.end) - x(each.start)), height: 26, class: "f-" + (CLASSES[each.kind] ?? each.kind) },
          s("title", {}, `${each.kind} from ${moment(each.from)}: ${each.reason}`)))),
        h("div.ticks", { "aria-hidden": "true" }, ticks.map((part) => h("span", {}, part === 1 ? "now" : moment(from + part * (until - from)).slice(5, days === "1" ? 16 : 10)))));
      const merged = [];
      for (const each of all.toReversed()) {
        if (merged.length && each.start <= merged.at(-1).end) merged.at(-1).end = Math.max(merged.at(-1).end, each.end);
        else merged.push({ ...each });
      }
      const out = merged.reduce((total, each) => total + each.end - each.start, 0);
      sum.textContent = all.length ? `Out ${count(merged.length, "time")}, for ${span(out / 1000)} in all, ${((100 * out) / Math.max(1, until - known)).toFixed(1)}% of the time that is known.${answer.complete ? "" : " Some of the past is not known."}`
        : `Never out in this time.${answer.complete ? "" : " Some of the past is not known."}`;
      past.replaceChildren(...all.slice(0, 200).map((each) => h("tr", {},
        h("td.time", {}, each.from ? moment(each.from) : "unknown"), h("td.time", {}, each.to ? span((each.end - each.start) / 1000) : since(each.from)),
        h("td", {}, h("span.state." + (CLASSES[each.kind] ?? each.kind), {}, each.kind)),
        h("td", {}, each.holder ?? ""), h("td.reason", {}, each.reason), h("td", {}, each.by), h("td", {}, each.to ? [each.ended_by, each.comment ? `: ${each.comment}` : ""] : "lasts"))));
    } catch (error) {
      sum.textContent = error.status === 403 ? "This token does not have the right follow, which the past needs." : error.message;
    }
  }

  let paths = null;
  let seq = -1;
  const load = paced(400, async () => {
    try {
      const host = await view("/v1/hosts/" + encodeURIComponent(name));
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
