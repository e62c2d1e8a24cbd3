// Hosts by state over the last days, and the time that was held, from the history of the journal.

import { h, s, clamped, count, emptyRow, loading, number, span, moment, menu, now, paced, table } from "./dom.js";
import { expand } from "./hosts.js";
import { get, pastProblem } from "./link.js";
import { setParam } from "./app.js";

const DAYS = [["1", "day"], ["7", "week"], ["30", "30 days"], ["365", "year"]];
const BY = [["reason", "reason"], ["holder", "holder"], ["user", "user"], ["host", "host"], ["state", "state"]];
/** A host that has several of these states is in the first one, as in the other views. */
const STATES = ["excluded", "lost", "drained", "offline", "torpid"];
const [WIDE, HIGH] = [1000, 90];
const MOST_ROWS = 25;
const DAY = 86400e3;

/** Returns the changes of the number of hosts in each state, by their times. A host with two holds is one host. */
function changesOf(intervals, from, isHost) {
  const hosts = new Map();
  for (const each of intervals) {
    const state = STATES.indexOf(each.kind);
    if (state < 0) continue;
    const events = [[Math.max(from, Date.parse(each.from) || from), state, 1]];
    if (each.to) events.push([Math.max(from, Date.parse(each.to)), state, -1]);
    for (const name of expand(each.hosts).filter(isHost)) {
      if (!hosts.has(name)) hosts.set(name, []);
      hosts.get(name).push(...events);
    }
  }
  const changes = STATES.map(() => new Map());
  const add = (state, time, n) => state >= 0 && changes[state].set(time, (changes[state].get(time) ?? 0) + n);
  for (const events of hosts.values()) {
    events.sort((a, b) => a[0] - b[0]);
    const open = STATES.map(() => 0);
    let state = -1;
    events.forEach(([time, kind, n], i) => {
      open[kind] += n;
      if (events[i + 1]?.[0] === time) return;
      const next = open.findIndex((number) => number > 0);
      add(state, time, -1);
      add(next, time, 1);
      state = next;
    });
  }
  return changes;
}

/** Returns how many hosts were in a state at each change of that number: [time, number] pairs. */
function steps(changes, from, until) {
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

/** Draws the number of hosts in a state as a line with steps; nothing if there never was one. */
function chart(kind, points, from, until) {
  const most = points.reduce((top, [, n]) => Math.max(top, n), 0);
  if (most === 0) return null;
  const x = (time) => (((time - from) / (until - from)) * WIDE).toFixed(1);
  const y = (n) => (HIGH - (n / most) * (HIGH - 6)).toFixed(1);
  const line = points.map(([time, n], i) => (i ? `H${x(time)}V${y(n)}` : `M${x(time)},${y(n)}`)).join("");
  const last = number(points.at(-1)[1]);
  const label = `Hosts ${kind} over time: ${last} now, ${number(most)} at most`;
  return h("figure", {},
    h("figcaption", {}, h("span.state." + kind, {}, kind), h("b", {}, ` ${last} `), "now, ", h("b", {}, number(most)), " at most"),
    s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
      s("path", { class: "area f-" + kind, d: `${line}V${HIGH}H0Z` }), s("path", { class: "line s-" + kind, d: line })));
}

/** Returns the texts below a chart, as exact as its length lets them be. */
function ticks(from, until) {
  const [start, end] = until - from < 2 * DAY ? [11, 16] : until - from < 60 * DAY ? [5, 16] : [0, 10];
  const texts = [0, 0.25, 0.5, 0.75].map((share) => moment(from + share * (until - from)).slice(start, end));
  return h("div.ticks", { "aria-hidden": "true" }, [...texts, "now"].map((text) => h("span", {}, text)));
}

export function show(main, store, params) {
  let days = params.get("days") ?? "7";
  let by = params.get("by") ?? "reason";
  const charts = h("div.charts", {}, loading());
  const said = h("p.note", { role: "status" });
  const head = h("th", { scope: "col" });
  const rows = h("tbody", {}, emptyRow("Loading…", 7));
  const numbers = ["Host time", "Hosts", "Times", "Open", "Longest"].map((text) => h("th.number", { scope: "col" }, text));
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
    table("table.held", "t-held", "Each row sums the time in which hosts were out", [head, h("th.share", {}, h("span.hide", {}, "Share")), ...numbers], rows));

  async function drawCharts() {
    const until = now();
    const wanted = until - Number(days) * DAY;
    const past = await get("/v1/history", { since: Math.floor(wanted / 1000) });
    const from = Math.max(wanted, Math.min(Date.parse(past.known_since ?? "") || wanted, until - 60e3));
    const changes = changesOf(past.intervals, from, (name) => store.inventory.byName.has(name));
    const drawn = STATES.map((kind, i) => chart(kind, steps(changes[i], from, until), from, until)).filter(Boolean);
    charts.replaceChildren(...(drawn.length ? [...drawn, ticks(from, until)] : [h("p", {}, "No host was out in this time.")]));
    said.textContent = !past.complete || from > wanted ? `The past is known since ${moment(past.complete_since ?? from)}.` : "";
    if (drawn.length > 1) said.textContent += " A host that is excluded, drained and offline counts once, as excluded; drained includes draining.";
  }

  async function drawSums() {
    const since = Math.floor((now() - Number(days) * DAY) / 1000);
    const { totals } = await get("/v1/report", { by, since, states: STATES.join(",") });
    totals.sort((a, b) => b.total_seconds - a.total_seconds);
    head.textContent = by[0].toUpperCase() + by.slice(1);
    rows.replaceChildren(...totals.slice(0, MOST_ROWS).map((each) => rowOf(each, totals[0].total_seconds || 1)));
    if (!totals.length) rows.append(emptyRow("Nothing.", 7));
    if (totals.length > MOST_ROWS) {
      said.textContent += ` The table has the first ${MOST_ROWS} of ${count(totals.length, "row")}; muster report prints all.`;
    }
  }

  function rowOf(each, most) {
    const texts = [span(each.total_seconds), number(each.nnodes), number(each.times), number(each.open), span(each.longest_seconds)];
    const width = Math.max(0.5, (100 * each.total_seconds) / most);
    return h("tr", {},
      h("th.reason", { scope: "row" }, clamped(each[by] || "(none)")),
      h("td.share", {}, s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
        s("rect", { width, height: 10 }))),
      texts.map((text) => h("td.number", {}, text)));
  }

  async function drawAll() {
    try {
      await drawCharts();
      await drawSums();
    } catch (error) {
      said.textContent = pastProblem(error);
    }
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
