// Hosts by state over the last days, and the time that was held, from the history of the journal.

import { h, s, count, number, span, moment, menu, now, paced } from "./dom.js";
import { expand } from "./hosts.js";
import { get } from "./link.js";
import { setParam } from "./app.js";

const DAYS = [["1", "day"], ["7", "week"], ["30", "30 days"], ["365", "year"]];
const BY = [["reason", "reason"], ["holder", "holder"], ["user", "user"], ["host", "host"], ["state", "state"]];
const STATES = ["drained", "offline", "excluded", "torpid", "lost"];
const CLASSES = { excluded: "exclude" };
const [WIDE, HIGH] = [1000, 90];
const MOST_ROWS = 25;

export function show(main, store, params) {
  let days = params.get("days") ?? "7";
  let by = params.get("by") ?? "reason";
  const charts = h("div.charts", {});
  const rows = h("tbody", {});
  const head = h("th", { scope: "col" }, "");
  const said = h("p.note", { role: "status" });
  const drawAll = () => drawCharts().then(drawSums).catch((error) => {
    said.textContent = error.status === 403 ? "This token does not have the right follow, which the past needs." : error.message;
  });
  main.append(
    h("div.tools", {}, h("h1", {}, "Hosts that were out"), menu("in the last", DAYS, days, (value) => {
      days = value;
      setParam("days", days);
      drawAll();
    })), charts, said,
    h("div.tools", {}, h("h2", { id: "t-held" }, "Time out"), menu("by", BY, by, (value) => {
      by = value;
      setParam("by", by);
      drawAll();
    })),
    h("div.scroll", { tabindex: "0", role: "region", "aria-labelledby": "t-held" }, h("table.held", { "aria-labelledby": "t-held" }, h("thead", {}, h("tr", {}, head,
      h("th", {}, h("span.hide", {}, "Share")), ["Host time", "Hosts", "Times", "Open", "Longest"].map((text) => h("th.number", { scope: "col" }, text)))), rows)));

  /** Returns how many hosts were in a state at each change of that number: [time, number] pairs. */
  function steps(intervals, kind, from, until) {
    const changes = new Map();
    const add = (time, n) => changes.set(time, (changes.get(time) ?? 0) + n);
    for (const each of intervals) {
      if (each.kind !== kind) continue;
      const n = expand(each.hosts).length;
      add(each.from ? Math.max(from, Date.parse(each.from)) : from, n);
      if (each.to) add(Math.max(from, Date.parse(each.to)), -n);
    }
    let sum = 0;
    const points = [[from, 0]];
    for (const time of [...changes.keys()].sort((a, b) => a - b)) {
      sum += changes.get(time);
      if (points.at(-1)[0] === time) points.at(-1)[1] = sum;
      else points.push([time, sum]);
    }
    points.push([until, sum]);
    return points;
  }

  function chart(kind, points, from, until) {
    const most = points.reduce((top, [, n]) => Math.max(top, n), 0);
    if (most === 0) return null;
    const x = (time) => (((time - from) / (until - from)) * WIDE).toFixed(1);
    const y = (n) => (HIGH - (n / most) * (HIGH - 6)).toFixed(1);
    let line = "";
    points.forEach(([time, n], i) => (line += i ? `H${x(time)}V${y(n)}` : `M${x(time)},${y(n)}`));
    const last = points.at(-1)[1];
    const name = CLASSES[kind] ?? kind;
    return h("figure", {},
      h("figcaption", {}, h("span.state." + name, {}, kind), h("b", {}, ` ${number(last)} `), "now, ", h("b", {}, number(most)), " at most"),
      s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img", "aria-label": `Hosts ${kind} over time: ${number(last)} now, ${number(most)} at most` },
        s("path", { class: "area f-" + name, d: `${line}V${HIGH}H0Z` }), s("path", { class: "line s-" + name, d: line })));
  }

  async function drawCharts() {
    const until = now();
    const wanted = until - Number(days) * 86400e3;
    const past = await get("/v1/history", { since: Math.floor(wanted / 1000) });
    const from = Math.max(wanted, Math.min(Date.parse(past.known_since ?? "") || wanted, until - 60e3));
    const isShort = until - from < 2 * 86400e3;
    const drawn = STATES.map((kind) => chart(kind, steps(past.intervals, kind, from, until), from, until)).filter(Boolean);
    const marks = h("div.ticks", { "aria-hidden": "true" }, [0, 0.25, 0.5, 0.75, 1].map((part) => h("span", {}, part === 1 ? "now" : moment(from + part * (until - from)).slice(isShort ? 11 : 5, isShort || days !== "365" ? 16 : 10))));
    charts.replaceChildren(...(drawn.length ? [...drawn, marks] : [h("p", {}, "No host was out in this time.")]));
    said.textContent = past.complete ? "A host may be in two states at once, such as drained and offline." : `The past is known since ${moment(past.complete_since)}.`;
  }

  async function drawSums() {
    const since = Math.floor(now() / 1000 - Number(days) * 86400);
    const report = await get("/v1/report", { by, since, states: STATES.join(",") });
    const totals = report.totals.sort((a, b) => b.total_seconds - a.total_seconds);
    const most = totals[0]?.total_seconds || 1;
    head.textContent = by[0].toUpperCase() + by.slice(1);
    rows.replaceChildren(...totals.slice(0, MOST_ROWS).map((each) => h("tr", {},
      h("th.reason", { scope: "row" }, each[by] || "(none)"),
      h("td.share", {}, s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { width: Math.max(0.5, (100 * each.total_seconds) / most), height: 10 }))),
      [span(each.total_seconds), number(each.nnodes), number(each.times), number(each.open), span(each.longest_seconds)].map((text) => h("td.number", {}, text)))));
    if (!totals.length) rows.replaceChildren(h("tr", {}, h("td", { colspan: 7 }, "Nothing.")));
    else if (totals.length > MOST_ROWS) said.textContent += ` The table has the first ${MOST_ROWS} of ${count(totals.length, "row")}; muster report prints all.`;
  }

  let seq = -1;
  const draw = paced(5000, drawAll);
  return {
    update() {
      if (store.inventory.status.seq === seq) return;
      seq = store.inventory.status.seq;
      draw();
    },
  };
}
