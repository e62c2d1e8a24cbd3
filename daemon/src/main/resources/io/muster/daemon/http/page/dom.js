// Elements, texts and times. Texts become text nodes only, whatever they are.

const MOST_PARTS = 300;
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Makes an element: h("td.number", {title}, "7"). */
export function h(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  return fill(node, attributes, children);
}

export function s(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

export const $ = (selector, root = document) => root.querySelector(selector);

export const count = (n, what, many = what + "s") => `${number(n)} ${n === 1 ? what : many}`;
export const number = (n) => Math.round(n).toLocaleString("en-US");

let ahead = 0;
/** Sets the clock by the daemon's time, so that ages are right although the clock of this computer is not. */
export function setClock(time) {
  ahead = Date.parse(time) - Date.now();
}
export const now = () => Date.now() + ahead;

const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
export function span(seconds) {
  const at = UNITS.findIndex(([, length]) => seconds >= length);
  if (at < 0) return "0 s";
  const [unit, length] = UNITS[at];
  const rest = at < 2 ? Math.floor((seconds % length) / UNITS[at + 1][1]) : 0;
  const whole = `${number(Math.floor(seconds / length))} ${unit}`;
  return rest && seconds < 10 * length ? `${whole} ${rest} ${UNITS[at + 1][0]}` : whole;
}

export const age = (time) => (time ? span(Math.max(0, (now() - Date.parse(time)) / 1000)) : "");

const two = (n) => String(n).padStart(2, "0");
export function clock(time) {
  const t = new Date(time);
  return `${two(t.getHours())}:${two(t.getMinutes())}`;
}
export function day(time) {
  const t = new Date(time);
  return `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())}`;
}
export const moment = (time) => (time ? `${day(time)} ${clock(time)}` : "");

/** An age that stays right while the page is open. */
export function since(time) {
  return time ? h("time", { datetime: time, title: moment(time), "data-age": time }, age(time)) : "";
}
setInterval(() => {
  for (const node of document.querySelectorAll("[data-age]")) {
    const text = age(node.dataset.age);
    if (node.textContent !== text) node.textContent = text;
  }
}, 5000);

/** Returns the parts of a hostlist, with places after its commas where a line may end. */
export function hostlist(text) {
  const parts = text.split(",");
  return parts.length > MOST_PARTS ? [text] : parts.flatMap((part, i) => (i ? [",", h("wbr"), part] : [part]));
}

/** Shows the beginning of a long text; the rest appears under the mouse, and in print. */
export const clamped = (text) => h("div.clamp", { title: text }, text);

/** Shows names so that lines end between them only. */
export const whole = (names) => names && names.split(", ").map((name, i) => [i ? ", " : "", h("span.whole", {}, name)]);

export const hostLink = (name) => h("a", { href: "#/host/" + encodeURIComponent(name) }, name);

/** Replaces the children of a node by the new ones, and keeps nodes that have the same key, so that focus and selection stay. */
export function keyed(parent, items, key, make) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const next = items.map((item) => {
    const id = key(item);
    const node = old.get(id) ?? make(item);
    node.dataset.key = id;
    old.delete(id);
    return node;
  });
  old.forEach((node) => node.remove());
  next.forEach((node, i) => {
    if (parent.children[i] !== node) parent.insertBefore(node, parent.children[i] ?? null);
  });
}

/** Returns a function that runs the task at most once in a time, at once if it has not run lately. */
export function paced(millis, task) {
  let last = -Infinity;
  let timer = 0;
  return () => {
    if (timer) return;
    const wait = Math.max(0, last + millis - performance.now());
    timer = setTimeout(() => {
      timer = 0;
      last = performance.now();
      task();
    }, wait);
  };
}

/**
 * Makes a table that scrolls sideways on a narrow screen.
 *
 * @param name "table" with classes, as for h
 * @param id of the heading that names the table
 * @param caption what a row is, for screen readers
 * @param heads texts or elements
 */
export function table(name, id, caption, heads, body) {
  const row = h("tr", {}, heads.map((head) => (typeof head === "string" ? h("th", { scope: "col" }, head) : head)));
  return h("div.scroll", { tabindex: "0", role: "region", "aria-labelledby": id },
    h(name, { "aria-labelledby": id }, h("caption.hide", {}, caption), h("thead", {}, row), body));
}

/** Stands where an answer of the daemon is to appear. */
export const loading = (name = "p.note") => h(name, {}, "Loading…");

/** Shows a row with one text in a table that has no other rows. */
export const emptyRow = (text, columns) => h("tr", {}, h("td", { colspan: columns }, text));

export function menu(label, choices, value, onchange) {
  const select = h("select", { onchange: () => onchange(select.value) });
  choices.forEach(([key, text]) => select.append(h("option", { value: key }, text)));
  select.value = value;
  return h("label.menu", {}, label + " ", select);
}
