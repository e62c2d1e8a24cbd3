// What is out now and why, and what changed in the last hours.

import { h, $, clamped, clock, count, hostLink, hostlist, keyed, loading, moment, now, number, paced, since, span, table, whole } from "./dom.js";
import { about, compact, expand, idset, kindOf, KINDS, waiting, wordOf, wordsOf } from "./hosts.js";
import { get, pastProblem, view } from "./link.js";
import { mayHold, mayLift, setParam } from "./app.js";
import { openDrain, openUndrain } from "./act.js";

const HOURS = 6;
const MOST_ROWS = 500;
const MOST_CHANGES = 40;
const MOST_LINKS = 256;
const MOST_PLANS = 5;
const COLUMNS = [
  ["state", "State", (row) => row.word],
  ["hosts", "Hosts", (row) => row.names[0]],
  ["number", "Number", (row) => -row.names.length],
  ["since", "Since", (row, way) => row.about.since ?? (way > 0 ? "9" : "")],
  ["holder", "Holder", (row) => row.about.holder || "\uffff"],
  ["by", "By", (row) => row.about.by || "\uffff"],
  ["reason", "Reason", (row) => row.about.reason || "\uffff"],
];

export function show(main, store, params) {
  let query = params.get("q") ?? "";
  let sort = params.get("sort") ?? "-since";
  let found = null; // the ranks that an expression finds
  let asked = "";
  let attempts = []; // what holds wait for
  let reporters = new Map(); // who reported each host that is offline or torpid

  const sentence = h("h1", {});
  const bar = h("div.bar", { "aria-hidden": "true" });
  const ahead = h("ul.ahead", { "aria-label": "Planned holds, and holds that wait for a check or for work" });
  const totals = h("tbody", {});
  const changes = h("ol.card", { tabindex: "0", "aria-labelledby": "t-changes" }, loading("li.note"));
  const rows = h("tbody", {});
  const foot = h("p.note", { role: "status" });
  const filter = h("input", {
    id: "filter", type: "search", value: query, placeholder: "Filter: a host, reason, user, or rack1 or state=down",
    "aria-label": "Filter the groups by any text, or by an expression of muster find", autocomplete: "off", spellcheck: "false",
    oninput: () => choose(filter.value),
  });
  const heads = COLUMNS.map(([key, text]) => h("th", { scope: "col", "data-column": key },
    h("button", { type: "button", onclick: () => sortBy(key) }, text)));
  main.append(
    h("section.sum", {}, sentence, bar, ahead),
    h("section.totals", {}, h("h2", { id: "t-totals" }, "Hosts by state"),
      h("table.card", { "aria-labelledby": "t-totals" }, h("caption.hide", {}, "Each row is a state, with the hosts that are in it"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "State"),
          ["Hosts", "Cores", "GPUs"].map((text) => h("th.number", { scope: "col" }, text)))), totals)),
    h("section.out", {},
      h("div.tools", {}, h("h2", { id: "t-out" }, "Out now"), filter,
        h("button", { type: "button", "data-drain": "", hidden: true, onclick: () => openDrain("", store) }, "Drain hosts…")),
      table("table.out", "t-out", "Each row is a group of hosts that are out for the same reason", [...heads, h("th.acts", {}, h("span.hide", {}, "Actions"))], rows), foot),
    h("section.changes", {}, h("h2", { id: "t-changes" }, `Changes in the last ${HOURS} hours`), changes));

  function choose(text) {
    query = text;
    setParam("q", text.trim());
    search();
    draw();
  }

  function sortBy(key) {
    sort = sort === key ? "-" + key : key;
    setParam("sort", sort);
    draw();
  }

  const isExpression = (text) => /[=<>]|^@\{|^\/|\b(and|or|not|in|has)\b|:\(/.test(text);

  /** Asks the daemon what an expression finds. A text that is no expression is only a text. */
  async function search() {
    const text = query.trim().replace(/^@\{(.*)\}$/, "$1");
    if (asked === text) return;
    asked = text;
    found = null;
    const isName = store.inventory && !store.inventory.byName.has(text) && /^[\w.-]+$/.test(text);
    if (!isExpression(text) && !isName) return;
    try {
      const answer = await get("/v1/find", { expr: text });
      if (asked !== text) return;
      found = new Set(idset(answer.ranks));
    } catch (error) {
      if (asked === text) found = isExpression(text) ? error.message : null;
    }
    draw();
  }

  /** Returns the rows to show: the groups of hosts that are out, as far as the filter lets them. */
  function select(inventory) {
    const text = query.trim().toLowerCase();
    const all = [];
    inventory.groups.forEach((group) => {
      const kind = KINDS[kindOf(group)];
      if (!kind.out) return;
      const row = { group, kind, word: wordOf(group), about: about(group), names: expand(group.hosts), hosts: group.hosts };
      row.about.by ||= [...new Set(row.names.map((name) => reporters.get(name)).filter(Boolean))].join(", ");
      if (text && !matches(row, text)) {
        if (!(found instanceof Set)) return;
        row.names = row.names.filter((name) => found.has(inventory.byName.get(name).rank));
        if (!row.names.length) return;
        row.hosts = compact(row.names);
      }
      all.push(row);
    });
    const column = COLUMNS.find(([key]) => key === sort.replace("-", ""));
    if (column) {
      const value = column[2];
      const way = sort.startsWith("-") ? -1 : 1;
      all.sort((a, b) => way * (value(a, way) < value(b, way) ? -1 : value(a, way) > value(b, way) ? 1 : 0));
    }
    return all;
  }

  function matches(row, text) {
    const { holder, by, reason } = row.about;
    return [row.word, holder, by, reason, row.hosts].some((each) => each.toLowerCase().includes(text))
      || row.names.some((name) => name.toLowerCase().startsWith(text));
  }

  function hostCell(row) {
    if (row.names.length === 1) return hostLink(row.names[0]);
    const links = h("div.links", {});
    const details = h("details", { ontoggle: () => {
      if (!details.open || links.firstChild) return;
      row.names.slice(0, MOST_LINKS).forEach((name) => links.append(hostLink(name), " "));
      if (row.names.length > MOST_LINKS) links.append(`and ${number(row.names.length - MOST_LINKS)} more`);
    } }, h("summary", {}, hostlist(row.hosts)), links);
    return details;
  }

  function rowOf(row) {
    const { group, kind, about: why } = row;
    const undrainable = (group.holds ?? []).filter((hold) => mayLift(hold.holder));
    return h("tr", {},
      h("td.kind", {}, h("span.state." + kind.key, {}, row.word)),
      h("td.hosts", {}, hostCell(row)),
      h("td.number", {}, number(row.names.length)),
      h("td.time", {}, since(why.since), why.until ? h("small", {}, `until ${moment(why.until)}`) : null),
      h("td.names", {}, whole(why.holder)),
      h("td.names", { title: why.users }, whole(why.by)),
      h("td.reason", {}, clamped(why.reason)),
      h("td.acts", {},
        undrainable.length ? h("button", { type: "button", onclick: () => openUndrain(row.hosts, undrainable, store) }, "Undrain…") : null,
        mayHold() && !group.holds && kind.key !== "lost" && kind.key !== "excluded"
          ? h("button", { type: "button", onclick: () => openDrain(row.hosts, store) }, "Drain…") : null));
  }

  function drawSums(inventory) {
    const out = inventory.totals.filter((kind) => kind.out && kind.hosts);
    const sum = out.reduce((all, kind) => all + kind.hosts, 0);
    sentence.replaceChildren(
      sum === 0 ? `All ${number(inventory.size)} hosts are available.` : h("b", {}, number(sum)),
      sum === 0 ? "" : ` of ${count(inventory.size, "host")} ${sum === 1 ? "is" : "are"} out`,
      sum === 0 ? "" : h("span.rest", {}, ": " + out.map((kind) => `${number(kind.hosts)} ${kind.name}`).join(", ")));
    keyed(bar, inventory.totals.filter((kind) => kind.hosts), (kind) => kind.key, (kind) => h("i." + kind.key, {}));
    inventory.totals.forEach((kind) => {
      const part = $("." + kind.key, bar);
      if (part) part.style.flexGrow = kind.hosts;
    });
    keyed(totals, inventory.totals.filter((kind) => kind.hosts), (kind) => [kind.key, kind.hosts, kind.cores, kind.gpus].join(), (kind) => h("tr", {},
      h("th", { scope: "row" }, h("button.state." + kind.key, { type: "button", title: "Filter by this state", disabled: !kind.out, onclick: () => {
        filter.value = query === kind.name ? "" : kind.name;
        choose(filter.value);
      } }, kind.name)),
      h("td.number", {}, number(kind.hosts)), h("td.number", {}, number(kind.cores)), h("td.number", {}, number(kind.gpus))));
  }

  /** Shows what will be drained, and how many hosts wait for which check or work. */
  function drawAhead(inventory) {
    const plans = inventory.status.planned.slice(0, MOST_PLANS).map((plan) => ({ plan, in: span(Math.max(0, Date.parse(plan.from) - now()) / 1000) }));
    const more = inventory.status.planned.length - plans.length;
    const items = [...plans, ...waiting(attempts).map((text) => ({ text })),
      ...(more > 0 ? [{ text: `${count(more, "more planned hold")}` }] : [])];
    keyed(ahead, items, JSON.stringify, ({ plan, text, in: soon }) => h("li", {}, text ?? [h("b", {}, hostlist(plan.hosts)), " will be drained in ",
      h("time", { datetime: plan.from, title: moment(plan.from) }, soon), plan.until && `, until ${moment(plan.until)}`, `: ${wordsOf(plan) || "no reason given"} (${plan.holder})`]));
    ahead.hidden = !items.length;
  }

  const drawWork = paced(400, async () => {
    const isAwaited = store.inventory?.groups.some((group) => group.holds?.some((hold) => hold.attempt));
    try {
      attempts = isAwaited ? (await view("/v1/work")).attempts : [];
    } catch {
      return; // the banner says that the daemon does not answer
    }
    if (store.inventory) drawAhead(store.inventory);
  });

  function draw() {
    const inventory = store.inventory;
    if (!inventory) return;
    drawSums(inventory);
    drawAhead(inventory);
    heads.forEach((head) => {
      const way = sort.replace("-", "") !== head.dataset.column ? "none" : sort.startsWith("-") ? "descending" : "ascending";
      head.setAttribute("aria-sort", way);
    });
    const all = select(inventory);
    keyed(rows, all.slice(0, MOST_ROWS), (row) => JSON.stringify([row.hosts, row.about.by, { ...row.group, ranks: "", hosts: "" }]), rowOf);
    rows.parentNode.parentNode.hidden = !all.length;
    const hosts = all.reduce((sum, row) => sum + row.names.length, 0);
    const cut = all.length > MOST_ROWS ? ` The first ${MOST_ROWS} are shown; filter for others.` : "";
    foot.textContent = typeof found === "string" && query ? `This is no expression, so it filters as a text: ${found}`
      : query ? `${count(all.length, "group")} with ${count(hosts, "host")} ${all.length === 1 ? "matches" : "match"}.${cut}`
      : all.length ? cut : "No host is out.";
    $("[data-drain]", main).hidden = !mayHold();
  }

  // ---- changes

  const single = (hosts) => !/[,[]/.test(hosts);

  let seq = -1;
  const drawChanges = paced(3000, async () => {
    try {
      const from = now() - HOURS * 3600e3;
      const past = await get("/v1/history", { since: Math.floor(from / 1000) });
      const news = [];
      reporters = new Map();
      for (const { hosts, kind, reason, by, comment, seconds, ...each } of past.intervals) {
        if (!each.to && (kind === "offline" || kind === "torpid")) for (const name of expand(hosts)) reporters.set(name, by);
        if (Date.parse(each.from) >= from) news.push({ time: each.from, key: kind, text: kind, hosts, by, why: reason });
        if (each.to) news.push({ time: each.to, key: "available", text: `no longer ${kind}`, hosts, by: each.ended_by, why: comment, after: seconds });
      }
      news.sort((a, b) => (a.time < b.time ? 1 : -1));
      keyed(changes, news.slice(0, MOST_CHANGES), JSON.stringify, (each) => h("li.clamp", { title: `${each.hosts} ${each.why}` },
        h("time", { datetime: each.time }, clock(each.time)), " ",
        h("span.state." + each.key, {}, each.text), " ",
        h("b", {}, single(each.hosts) ? hostLink(each.hosts) : hostlist(each.hosts)), each.why ? `: ${each.why}` : "",
        h("small", {}, (each.after ? `, after ${span(each.after)}` : "") + (each.by ? ` · ${each.by}` : ""))));
      if (!news.length) changes.replaceChildren(h("li.note", {}, "Nothing changed."));
      changes.setAttribute("aria-live", "polite"); // what was there at first is no news
      draw();
    } catch (error) {
      changes.replaceChildren(h("li.note", {}, pastProblem(error)));
    }
  });

  search();
  return {
    update() {
      draw();
      drawWork();
      if (store.inventory.status.seq !== seq) {
        seq = store.inventory.status.seq;
        if (asked && found) {
          asked = "";
          search(); // the state may be a part of the expression
        }
        drawChanges();
      }
    },
  };
}
