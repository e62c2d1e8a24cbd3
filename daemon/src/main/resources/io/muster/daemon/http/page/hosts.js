// Idsets (RFC 22) and hostlists (RFC 29), as the daemon writes them.

import { count, moment, number } from "./dom.js";

export function* idset(text) {
  if (!text) return;
  for (const part of text.replace(/[[\]]/g, "").split(",")) {
    const dash = part.indexOf("-");
    const first = Number(dash < 0 ? part : part.slice(0, dash));
    const last = dash < 0 ? first : Number(part.slice(dash + 1));
    for (let id = first; id <= last; id++) yield id;
  }
}

/** Returns the parts of a hostlist between commas that are outside of brackets. */
function parts(text) {
  return text.match(/(?:[^,[]|\[[^\]]*\])+/g) ?? [];
}

export function expand(text, into = []) {
  for (const part of parts(text)) {
    const open = part.indexOf("[");
    if (open < 0) {
      into.push(part);
      continue;
    }
    const close = part.indexOf("]", open);
    const prefix = part.slice(0, open);
    const rests = close + 1 < part.length ? expand(part.slice(close + 1)) : [""];
    for (const range of part.slice(open + 1, close).split(",")) {
      const [first, last = first] = range.split("-");
      for (let n = Number(first); n <= Number(last); n++) {
        for (const rest of rests) into.push(prefix + String(n).padStart(first.length, "0") + rest);
      }
    }
  }
  return into;
}

/** Splits a name before its last number. */
export function split(name) {
  const [, prefix, digits, rest] = /^(.*?)(\d*)(\D*)$/.exec(name);
  return { prefix, digits, rest };
}

/** Returns the hostlist of names, in the order of prefixes and numbers. */
export function compact(names) {
  const families = new Map();
  for (const name of names) {
    const { prefix, digits, rest } = split(name);
    const isPlain = digits === "" || rest !== "" || digits.length > 12;
    const width = digits.length > 1 && digits[0] === "0" ? digits.length : 0;
    const key = isPlain ? "\0" + name : prefix + "\0" + width;
    if (!families.has(key)) families.set(key, { prefix, width, isPlain, name, numbers: [] });
    families.get(key).numbers.push(Number(digits));
  }
  const out = [];
  for (const { prefix, width, isPlain, name, numbers } of families.values()) {
    if (isPlain) {
      out.push(name);
      continue;
    }
    numbers.sort((a, b) => a - b);
    const pad = (n) => String(n).padStart(width, "0");
    const ranges = [];
    for (let i = 0; i < numbers.length; i++) {
      const first = numbers[i];
      while (numbers[i + 1] <= numbers[i] + 1) i++;
      ranges.push(first === numbers[i] ? pad(first) : pad(first) + "-" + pad(numbers[i]));
    }
    const isSingle = ranges.length === 1 && !ranges[0].includes("-");
    out.push(prefix + (isSingle ? ranges[0] : "[" + ranges.join(",") + "]"));
  }
  return out.join(",");
}

/** The kinds of hosts that the page tells apart. Each host is of one kind. */
export const KINDS = [
  { key: "available", name: "available", out: false },
  { key: "allocated", name: "allocated", out: false },
  { key: "draining", name: "draining", out: true },
  { key: "drained", name: "drained", out: true },
  { key: "offline", name: "offline", out: true },
  { key: "torpid", name: "torpid", out: true },
  { key: "unknown", name: "unknown", out: true },
  { key: "excluded", name: "excluded", out: true },
  { key: "lost", name: "lost", out: true },
];
const NUMBERS = Object.fromEntries(KINDS.map((kind, i) => [kind.key, i]));

/** Returns the words of a hold: its ticket and its reason. */
export const wordsOf = (hold) => [hold.ticket, hold.reason].filter(Boolean).join(" ");

/** Returns what a hold waits for: the result of a check, or that somebody does something. */
export const waitOf = (hold) => [hold.action && `waits for ${hold.action}`, hold.check && `waits for the check ${hold.check}`].filter(Boolean).join(" and ");

/** Returns how far an attempt of /v1/work is; "" while a result of its check is awaited. */
export const stageOf = ({ state, by }) => (state === "claimed" ? `claimed by ${person(by.user)}` : state.replace(/^check-?/, ""));

/** Returns how many hosts wait for each action and each check, and how far the work is. A host waits for its check when the action is done. */
export function waiting(attempts) {
  const all = new Map();
  for (const each of attempts) {
    if (each.state === "done") continue;
    const what = each.state.startsWith("check") ? `the check ${each.check}` : each.action;
    if (!all.has(what)) all.set(what, new Map());
    const stages = all.get(what);
    stages.set(stageOf(each), [...(stages.get(stageOf(each)) ?? []), each]);
  }
  return [...all].map(([what, stages]) => {
    const hosts = new Set([...stages.values()].flat().map((each) => each.host)).size;
    const parts = [...stages].filter(([stage]) => stage).map(([stage, some]) => {
      const end = some.map((each) => each.until).filter(Boolean).sort()[0];
      return (stages.size === 1 ? "" : `${number(some.length)} `) + stage + (end ? `${some.length === 1 ? "" : ", the first"} until ${moment(end)}` : "");
    });
    return `${count(hosts, "host")} ${hosts === 1 ? "waits" : "wait"} for ${what}${parts.length ? `: ${parts.join(", ")}` : ""}`;
  });
}

/** Returns the number of the kind of a group of /v1/status. */
export const kindOf = (group) => NUMBERS[group.state];

/** Returns the state of a group, for people: a host that is held may be offline too. */
export function wordOf(group) {
  const { key, name } = KINDS[kindOf(group)];
  if (group.online === false && key !== "offline") return name + ", offline";
  return group.online === null && key !== "unknown" ? name + ", unknown" : name;
}

/** Returns a user for people: a token that was made for a page belongs to the user for whom it was made. */
export const person = (user) => user.replace(/^token:web-(.+)-[0-9a-f]{8}$/, "$1 (page)");

/** Returns why hosts are out, by whom, and under which holder. */
export function about(group) {
  const holds = group.holds ?? [];
  const users = [...new Set([...holds.map((hold) => hold.by?.user), group.by?.user].filter(Boolean))];
  const reason = (holds.length === 1 ? wordsOf(holds[0]) : group.reason) || group.cause || "";
  return {
    holder: holds.map((hold) => hold.holder).join(", "),
    by: [...new Set(users.map(person))].join(", "),
    users: users.join(", "),
    reason: group.online === false && group.cause && group.cause !== reason ? `${reason}; offline: ${group.cause}` : reason,
    since: group.since ?? group.offline_since ?? null,
    until: holds.map((hold) => hold.until).filter(Boolean).sort().at(-1) ?? null,
  };
}

/** Everything about the hosts that the views draw, made from /v1/status and /v1/layout. */
export class Inventory {
  constructor(status, layout) {
    this.status = status;
    this.groups = status.groups;
    this.layout = layout;
    let size = 0;
    this.groups.forEach((group) => (size += group.nnodes));
    const order = [];
    this.groups.forEach((group, g) => {
      const kind = kindOf(group);
      const names = expand(group.hosts);
      let i = 0;
      for (const rank of idset(group.ranks)) order.push({ rank, name: names[i++], group: g, kind });
    });
    this.hosts = order.sort((a, b) => a.rank - b.rank);
    this.byName = new Map(this.hosts.map((host) => [host.name, host]));
    this.byRank = new Map(this.hosts.map((host) => [host.rank, host]));
    this.size = size;
    const cores = new Map();
    for (const each of layout?.resources ?? []) for (const rank of idset(each.ranks)) cores.set(rank, each);
    this.totals = KINDS.map((kind) => ({ ...kind, hosts: 0, cores: 0, gpus: 0 }));
    for (const { rank, kind } of this.hosts) {
      const own = cores.get(rank);
      this.totals[kind].hosts++;
      this.totals[kind].cores += own?.ncores ?? 0;
      this.totals[kind].gpus += own?.ngpus ?? 0;
    }
  }
}
