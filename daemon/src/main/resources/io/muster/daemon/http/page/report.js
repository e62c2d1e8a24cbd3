// The availability of hosts over a period: shares of host hours as bars over time, and outages by rack, class, queue or host.

import { h, s, emptyRow, loading, number, span, moment, menu, now, paced, table } from "./dom.js";
import { get, pastProblem } from "./link.js";
import { setParam } from "./app.js";

const DAYS = [["7", "7 days"], ["30", "30 days"], ["90", "90 days"], ["365", "year"]];
const BY = [["rack", "rack"], ["class", "class"], ["queue", "queue"], ["host", "host"]];
const BARS = { 7: 28, 30: 30, 90: 90, 365: 73 };
/** From the bottom of a bar to its top. */
const OUT = ["drained", "offline", "torpid", "lost", "planned", "excluded", "unknown", "unrecorded"];
const [HIGH, STEP, GAP] = [100, 10, 1.5];
const MOST_ROWS = 100;
const DAY = 86400e3;

const all = (seconds) => Object.values(seconds).reduce((sum, each) => sum + (each ?? 0), 0);
const percent = (part, whole) => (whole > 0 ? ((100 * part) / whole).toFixed(2) + " %" : "–");

/** Draws which share of the host hours was not available, one bar for each part of the period. */
function chart(bars, total, until) {
  const shares = bars.map(({ seconds }) => OUT.map((kind) => (seconds[kind] ?? 0) / (all(seconds) || 1)));
  const most = Math.max(...shares.map((each) => each.reduce((a, b) => a + b, 0)));
  const kinds = OUT.filter((kind) => total.seconds[kind] > 0);
  const legend = kinds.map((kind) => h("span.whole", {}, h("span.state." + kind, {}, kind), ` ${percent(total.seconds[kind], all(total.seconds))} `));
  if (most === 0) return h("p", {}, "Every host was available all the time.");
  const label = `Share of host hours that were not available, over time: ${(100 * most).toFixed(2)} % at most`;
  const rects = shares.flatMap((each, i) => {
    let top = HIGH;
    return each.map((share, kind) => {
      const height = (share / most) * HIGH;
      top -= height;
      return height > 0 && s("rect", { class: "f-" + OUT[kind], x: i * STEP, y: top.toFixed(2), width: STEP - GAP, height: height.toFixed(2) });
    });
  });
  const from = Date.parse(bars[0].since);
  const ticks = [0, 0.25, 0.5, 0.75].map((part) => moment(from + part * (until - from)).slice(0, 10));
  return h("figure", {},
    h("figcaption", {}, "Not available, ", h("b", {}, `${(100 * most).toFixed(2)} %`), " at most: ", legend),
    s("svg", { viewBox: `0 0 ${bars.length * STEP} ${HIGH}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, rects),
    h("div.ticks", { "aria-hidden": "true" }, [...ticks, moment(until).slice(0, 10)].map((text) => h("span", {}, text))));
}

export function show(main, store, params) {
  let days = params.get("days") ?? "30";
  let by = params.get("by") ?? "rack";
  const title = h("h1", {});
  const drawn = h("div.charts", {}, loading());
  const said = h("p.note", { role: "status" });
  const head = h("th", { scope: "col" });
  const rows = h("tbody", {}, emptyRow("Loading…", 9));
  const names = ["Hosts", "Available", "Drained", "Planned", "Offline", "Outages", "MTBF", "MTTR"];
  const heads = names.map((text) => h("th.number", { scope: "col" }, text));
  main.append(
    h("div.tools", {}, title, menu("in the last", DAYS, days, (value) => {
      days = value;
      setParam("days", days);
      drawAll();
    })), drawn, said,
    h("div.tools", {}, h("h2", { id: "t-report" }, "Outages"), menu("by", BY, by, (value) => {
      by = value;
      setParam("by", by);
      drawAll();
    })),
    table("table.report", "t-report", "Each row sums the host hours and the outages of some hosts", [head, ...heads], rows));

  function rowOf(each, name) {
    const whole = all(each.seconds);
    const times = [each.mtbf_seconds, each.mttr_seconds].map((seconds) => seconds === null ? "–" : span(seconds));
    const texts = [number(each.nnodes), ...["available", "drained", "planned", "offline"].map((kind) => percent(each.seconds[kind], whole)),
      number(each.outages), ...times];
    return h("tr", {}, h("th", { scope: "row" }, name), texts.map((text) => h("td.number", {}, text)));
  }

  async function drawAll() {
    const since = Math.floor((now() - Number(days) * DAY) / 1000);
    try {
      const report = await get("/v1/availability", { by, since, bars: BARS[days] ?? 30 });
      title.textContent = `${percent(report.total.seconds.available, all(report.total.seconds))} of host hours were available`;
      drawn.replaceChildren(report.bars.length ? chart(report.bars, report.total, Date.parse(report.until)) : h("p", {}, "Nothing is known."));
      head.textContent = by[0].toUpperCase() + by.slice(1);
      rows.replaceChildren(...report.rows.slice(0, MOST_ROWS).map((each) => rowOf(each, each[by] || "(none)")), rowOf(report.total, "(all)"));
      const { earlier, open } = report.total;
      said.textContent = [
        `From ${moment(report.since)} to ${moment(report.until)}. Available includes allocated, which is not recorded.`,
        earlier + open > 0 && `Of the outages, ${number(earlier)} began before and ${number(open)} last: only their time in between counts.`,
        !report.complete && `The past is complete since ${moment(report.complete_since)} only${report.damage ? ": " + report.damage : ""}.`,
        report.rows.length > MOST_ROWS && `The table has the ${MOST_ROWS} rows with the longest outages; muster report prints all.`,
      ].filter(Boolean).join(" ");
    } catch (error) {
      title.textContent = "Availability";
      said.textContent = pastProblem(error);
    }
  }

  let seq = -1;
  const draw = paced(30000, drawAll);
  return {
    update() {
      if (store.inventory.status.seq === seq) return;
      seq = store.inventory.status.seq;
      draw();
    },
  };
}
