// Every host as a tile on a canvas, in groups. The tiles are copied as pixels, because that is the fastest way to draw thousands.

import { h, count, loading, menu, number, paced, age } from "./dom.js";
import { about, compact, split, idset, KINDS, wordOf } from "./hosts.js";
import { get } from "./link.js";
import { mayHold, mayLift, setParam } from "./app.js";
import { openDrain, openUndrain } from "./act.js";

const SIZES = [44, 38, 34, 30, 26, 22, 19, 16, 14, 12, 11, 10, 9, 8, 7, 6];
const LABEL = 15;
const NAMED = 30; // pixels of a tile that has its name below it
const NAME = 14;
const FONT = "11px system-ui, sans-serif";
const LONGEST_LABEL = 160; // pixels
const BETWEEN = 10;
const BLOCK = 256; // hosts of a group by name
const REPAINT = 500;

/** Returns groups of hosts by their names: runs of hosts with the same prefix. */
function byName(inventory) {
  const families = new Map();
  for (const host of inventory.hosts) {
    const { prefix } = split(host.name);
    if (!families.has(prefix)) families.set(prefix, []);
    families.get(prefix).push(host);
  }
  const groups = [];
  for (const family of families.values()) {
    for (let i = 0; i < family.length; i += BLOCK) {
      const hosts = family.slice(i, i + BLOCK);
      groups.push({ label: compact([hosts[0].name, hosts.at(-1).name]).replace(/(\d),(\d)/, "$1–$2"), hosts });
    }
  }
  return groups;
}

/** Returns groups by the properties NAME=VALUE of one name, or by the set of all plain properties. */
function byProperty(inventory, family) {
  const labels = new Map();
  for (const { name, ranks } of inventory.layout.properties) {
    const isOf = family ? name.startsWith(family + "=") : !name.includes("=");
    if (!isOf) continue;
    const label = family ? name.slice(family.length + 1) : name;
    for (const rank of idset(ranks)) labels.set(rank, labels.has(rank) ? labels.get(rank) + ", " + label : label);
  }
  return gather(inventory, (host) => labels.get(host.rank) ?? (family ? `no ${family}` : "no property"));
}

function gather(inventory, labelOf) {
  const groups = new Map();
  for (const host of inventory.hosts) {
    const label = labelOf(host);
    if (!groups.has(label)) groups.set(label, { label, hosts: [] });
    groups.get(label).hosts.push(host);
  }
  return [...groups.values()].sort((a, b) => a.label.localeCompare(b.label, "en", { numeric: true }));
}

/** Returns what stands above each host in the graph, by the name of the host. */
async function loadParents() {
  const { paths } = await get("/v1/find", { expr: "node", output: "paths" });
  return new Map(paths.map((path) => {
    const names = path.split("/");
    const host = names.pop();
    return [host, names.length > 2 ? names.slice(2).join("/") : names.at(-1)];
  }));
}

/** The answer about the last R, which is the same for every visit of the map. */
let last = { shape: -1, parents: null };
function parentsOf(shape) {
  if (last.shape !== shape) last = { shape, parents: loadParents().catch(() => new Map()) };
  return last.parents;
}

/** Draws the shape of a kind into a square: shapes differ, so that nobody needs to tell colours apart. */
function drawShape(pen, kind, size, colors) {
  const gap = size > 9 ? 2 : 1;
  const w = size - gap;
  pen.fillStyle = pen.strokeStyle = colors[kind];
  pen.lineWidth = Math.max(1, Math.round(w / 6));
  const line = (...points) => {
    pen.beginPath();
    points.forEach(([x, y], i) => (i ? pen.lineTo(x * w, y * w) : pen.moveTo(x * w, y * w)));
  };
  const t = pen.lineWidth / w / 2;
  if (kind === "available") pen.fillRect(0, 0, w, w);
  else if (kind === "allocated") {
    pen.fillRect(0, 0, w, w);
    pen.clearRect(Math.round(w * 0.35), Math.round(w * 0.35), Math.max(1, Math.round(w * 0.3)), Math.max(1, Math.round(w * 0.3)));
  } else if (kind === "drained" || kind === "draining") {
    line([0, 0], [1, 0], [0.5, 1], [0, 0]);
    pen.fill();
    if (kind === "draining") pen.fillRect(0, w - pen.lineWidth, w, pen.lineWidth);
  } else if (kind === "torpid") {
    line([0.5, 0], [1, 0.5], [0.5, 1], [0, 0.5], [0.5, 0]);
    pen.fill();
  } else if (kind === "offline") {
    line([t, t], [1 - t, 1 - t]);
    pen.stroke();
    line([1 - t, t], [t, 1 - t]);
    pen.stroke();
  } else if (kind === "unknown") {
    pen.fillRect(0, w * 0.4, w, Math.max(1, w * 0.25));
  } else {
    pen.strokeRect(pen.lineWidth / 2, pen.lineWidth / 2, w - pen.lineWidth, w - pen.lineWidth);
    if (kind === "lost") {
      line([t, 1 - t], [1 - t, t]);
      pen.stroke();
    }
  }
}

export function show(main, store, params) {
  let by = params.get("by") ?? "";
  let only = params.get("only") ?? "";
  let parents = null; // of the R that the shape stands for
  let shape = -1;
  let groups = null;
  let groupedOf = null;
  let tiles = []; // of each host: its place
  let size = 0;
  let cursor = null;
  let chosen = new Set(); // names of hosts
  let drag = null;

  const base = h("canvas.base", {});
  const over = h("canvas.over", {
    tabindex: "0", role: "application", "aria-roledescription": "map", "aria-describedby": "map-help map-twin",
    "aria-label": "Map of the hosts",
  });
  const said = h("output.hide", { "aria-live": "polite" });
  const twin = h("div.hide", {}); // the map as a table, for screen readers
  const wait = loading();
  const tip = h("div.tip", { hidden: true, "aria-hidden": "true" });
  const legend = h("div.legend", { role: "group", "aria-label": "Show only hosts of a state" });
  const tools = h("div.tools", {});
  const choice = h("section.choice", { hidden: true, "aria-label": "Chosen hosts" });
  const field = h("div.field", {}, base, over, tip);
  main.append(h("h1.hide", {}, "Map"), tools, choice, wait, field, said, twin,
    h("p.note", { id: "map-help" },
      "Click a host to open it; draw a box to choose hosts. Keys: arrows move, Enter opens, Space chooses, Escape chooses none."));

  const colors = () => {
    const style = getComputedStyle(document.documentElement);
    const names = [...KINDS.map((kind) => kind.key), "ink", "accent"];
    return Object.fromEntries(names.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
  };

  function choices() {
    const names = store.inventory.layout.properties.map(({ name }) => name);
    const families = [...new Set(names.filter((name) => name.includes("=")).map((name) => name.slice(0, name.indexOf("="))))];
    const all = [["", "place in the graph"], ["name", "name"], ...families.sort().map((name) => ["=" + name, name])];
    if (names.some((name) => !name.includes("="))) all.push(["property", "properties"]);
    return all;
  }

  function group() {
    const inventory = store.inventory;
    if (by === "name") return byName(inventory);
    if (by === "property") return byProperty(inventory, "");
    if (by.startsWith("=")) return byProperty(inventory, by.slice(1));
    const placed = gather(inventory, (host) => parents.get(host.name) ?? "not in the graph");
    return placed.length > 1 || inventory.size <= BLOCK ? placed : byName(inventory); // a graph without racks says nothing
  }

  /** Returns how many tiles of a group stand beside each other: the group is wider than high, as wide as its label, and has full rows if possible. */
  function columns({ hosts, labelWidth }, width) {
    const wish = Math.max(Math.ceil(Math.sqrt(hosts.length * 1.7)), Math.floor(labelWidth / size));
    const most = Math.max(1, Math.min(Math.floor(width / size), wish));
    for (let n = most; n > most * 0.6; n--) if (hosts.length % n === 0) return n;
    return most;
  }

  /** Gives each tile its place: the largest tiles with which all hosts are on the screen. */
  function layOut(width) {
    const room = Math.max(300, innerHeight - field.getBoundingClientRect().top - scrollY - 50);
    const pen = base.getContext("2d");
    pen.font = FONT;
    for (const each of groups) each.labelWidth ??= Math.min(LONGEST_LABEL, pen.measureText(each.label).width);
    for (size of SIZES) {
      tiles = [];
      const step = size < NAMED ? size : size + NAME;
      let x = 0;
      let y = 0;
      let high = 0;
      for (const each of groups) {
        const across = columns(each, width);
        const wide = Math.max(across * size, Math.ceil(each.labelWidth));
        if (x > 0 && x + wide > width) {
          x = 0;
          y += high + BETWEEN;
          high = 0;
        }
        Object.assign(each, { x, y, wide });
        each.hosts.forEach((host, i) => tiles.push({ host, x: x + (i % across) * size, y: y + LABEL + Math.floor(i / across) * step }));
        high = Math.max(high, LABEL + Math.ceil(each.hosts.length / across) * step);
        x += wide + BETWEEN;
      }
      if (y + high <= room || size === SIZES.at(-1)) return y + high;
    }
    return 0;
  }

  function paint() {
    const start = performance.now();
    const inventory = store.inventory;
    const ratio = devicePixelRatio || 1;
    const width = field.clientWidth;
    if (!groups || !width) return;
    const height = layOut(width);
    const palette = colors();
    for (const canvas of [base, over]) {
      const w = Math.round(width * ratio);
      const hh = Math.round(height * ratio);
      if (canvas.width !== w || canvas.height !== hh) {
        canvas.width = w;
        canvas.height = hh;
        canvas.style.width = width + "px";
        canvas.style.height = height + "px";
      }
    }
    const pixels = Math.max(1, Math.round(size * ratio));
    const stamps = KINDS.map(({ key }) => {
      const canvas = h("canvas", { width: pixels, height: pixels });
      const pen = canvas.getContext("2d");
      pen.globalAlpha = only && only !== key ? 0.13 : 1;
      drawShape(pen, key, pixels, palette);
      return new Uint32Array(pen.getImageData(0, 0, pixels, pixels).data.buffer);
    });
    const pen = base.getContext("2d", { alpha: true });
    const image = new ImageData(base.width, base.height);
    const out = new Uint32Array(image.data.buffer);
    for (const { host, x, y } of tiles) {
      const stamp = stamps[(inventory.byName.get(host.name) ?? host).kind];
      let to = Math.round(y * ratio) * base.width + Math.round(x * ratio);
      for (let row = 0; row < pixels; row++, to += base.width) out.set(stamp.subarray(row * pixels, (row + 1) * pixels), to);
    }
    pen.putImageData(image, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = palette.ink;
    pen.font = FONT;
    for (const each of groups) pen.fillText(fit(pen, each.label, each.wide), each.x, each.y + 11);
    if (size >= NAMED) for (const { host, x, y } of tiles) pen.fillText(shortName(pen, host.name), x, y + size + 9);
    base.dataset.millis = String(Math.round(performance.now() - start));
    base.dataset.tiles = String(tiles.length);
    base.dataset.size = String(size);
    paintOver();
  }

  /** Returns the name, or its number if the name is wider than its tile. */
  const shortName = (pen, name) => (pen.measureText(name).width < size ? name : fit(pen, split(name).digits || name, size));

  function fit(pen, text, width) {
    if (pen.measureText(text).width <= width) return text;
    let most = text.length - 1;
    while (most > 1 && pen.measureText(text.slice(0, most) + "…").width > width) most--;
    return text.slice(0, most) + "…";
  }

  function paintOver() {
    const ratio = devicePixelRatio || 1;
    const palette = colors();
    const pen = over.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, over.width, over.height);
    pen.fillStyle = palette.accent;
    pen.globalAlpha = 0.45;
    if (chosen.size) for (const { host, x, y } of tiles) if (chosen.has(host.name)) pen.fillRect(x - 1, y - 1, size, size);
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    if (cursor) {
      const tile = tiles.find((each) => each.host.name === cursor);
      pen.strokeStyle = palette.ink;
      if (tile) pen.strokeRect(tile.x - 1.5, tile.y - 1.5, size + 1, size + 1);
    }
    if (drag?.isBox) {
      pen.strokeStyle = palette.accent;
      pen.setLineDash([4, 3]);
      pen.strokeRect(...box());
      pen.setLineDash([]);
    }
  }

  const box = () => [Math.min(drag.x, drag.toX), Math.min(drag.y, drag.toY), Math.abs(drag.toX - drag.x), Math.abs(drag.toY - drag.y)];
  const at = (x, y) => tiles.find((tile) => x >= tile.x && x < tile.x + size && y >= tile.y && y < tile.y + size);
  const point = (event) => {
    const frame = over.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  };

  function describe(name) {
    const host = store.inventory.byName.get(name);
    if (!host) return name;
    const group = store.inventory.groups[host.group];
    const why = about(group);
    const out = KINDS[host.kind].out ? [why.reason, why.by, why.since ? age(why.since) : ""].filter(Boolean).join(" · ") : "";
    return `${name}: ${wordOf(group)}${out ? " · " + out : ""}`;
  }

  over.addEventListener("pointermove", (event) => {
    const [x, y] = point(event);
    if (drag) {
      Object.assign(drag, { toX: x, toY: y, isBox: drag.isBox || Math.hypot(x - drag.x, y - drag.y) > 4 });
      tip.hidden = true;
      paintOver();
      return;
    }
    const tile = at(x, y);
    tip.hidden = !tile;
    over.classList.toggle("hand", Boolean(tile));
    if (!tile) return;
    const text = describe(tile.host.name);
    if (tip.textContent !== text) tip.textContent = text;
    tip.style.left = Math.max(0, Math.min(tile.x, field.clientWidth - tip.offsetWidth)) + "px";
    tip.style.top = tile.y + size + 4 + "px";
  });
  over.addEventListener("pointerleave", () => (tip.hidden = true));
  over.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    const [x, y] = point(event);
    drag = { x, y, toX: x, toY: y, isBox: false };
    over.setPointerCapture(event.pointerId);
  });
  over.addEventListener("pointercancel", () => (drag = null));
  over.addEventListener("pointerup", (event) => {
    const ended = drag;
    if (!ended) return;
    if (!ended.isBox) {
      drag = null;
      const tile = at(ended.x, ended.y);
      if (tile) location.hash = "#/host/" + encodeURIComponent(tile.host.name);
      return;
    }
    const [left, top, wide, high] = box();
    const inside = tiles.filter(({ x, y }) => x + size > left && x < left + wide && y + size > top && y < top + high);
    drag = null;
    if (!event.shiftKey) chosen = new Set();
    inside.forEach(({ host }) => chosen.add(host.name));
    choose();
  });
  over.addEventListener("keydown", (event) => {
    const i = tiles.findIndex(({ host }) => host.name === cursor);
    const near = (ahead, aside) => {
      const from = tiles[i];
      let best = null;
      let least = Infinity;
      for (const tile of tiles) {
        const far = ahead(tile) - ahead(from);
        const distance = far + 3 * Math.abs(aside(tile) - aside(from));
        if (far > 0 && distance < least) [best, least] = [tile, distance];
      }
      return best ?? from;
    };
    const moves = {
      ArrowRight: () => near((tile) => tile.x, (tile) => tile.y),
      ArrowLeft: () => near((tile) => -tile.x, (tile) => tile.y),
      ArrowDown: () => near((tile) => tile.y, (tile) => tile.x),
      ArrowUp: () => near((tile) => -tile.y, (tile) => tile.x),
      Home: () => tiles[0],
      End: () => tiles.at(-1),
    };
    if (moves[event.key]) cursor = (i < 0 ? tiles[0] : moves[event.key]()).host.name;
    else if (event.key === "Enter" && cursor) location.hash = "#/host/" + encodeURIComponent(cursor);
    else if (event.key === " " && cursor) {
      if (!chosen.delete(cursor)) chosen.add(cursor);
      choose();
    } else if (event.key === "Escape") {
      chosen = new Set();
      choose();
    } else return;
    event.preventDefault();
    if (cursor) said.textContent = describe(cursor) + (chosen.has(cursor) ? ", chosen" : "");
    paintOver();
  });

  function choose() {
    paintOver();
    choice.hidden = chosen.size === 0;
    if (!chosen.size) return;
    const list = compact(chosen);
    const kinds = new Map();
    const holds = [];
    chosen.forEach((name) => {
      const host = store.inventory.byName.get(name);
      if (!host) return;
      kinds.set(KINDS[host.kind].name, (kinds.get(KINDS[host.kind].name) ?? 0) + 1);
      holds.push(...(store.inventory.groups[host.group].holds ?? []));
    });
    const liftable = holds.filter((hold) => mayLift(hold.holder));
    const copy = h("button", { type: "button", onclick: async () => {
      await navigator.clipboard.writeText(list);
      copy.textContent = "Copied";
    } }, "Copy");
    choice.replaceChildren(
      h("b", {}, count(chosen.size, "host")), " ", [...kinds].map(([name, n]) => `${number(n)} ${name}`).join(", "), " ",
      h("code.list", { tabindex: "0" }, list), copy,
      mayHold() ? h("button", { type: "button", onclick: () => openDrain(list, store) }, "Drain…") : null,
      liftable.length ? h("button", { type: "button", onclick: () => openUndrain(list, liftable, store) }, "Undrain…") : null,
      h("button", { type: "button", onclick: () => {
        chosen = new Set();
        choose();
      } }, "Choose none"));
  }

  function drawTools() {
    const inventory = store.inventory;
    tools.replaceChildren(
      menu("Group by", choices(), by, (value) => {
        by = value;
        setParam("by", by);
        groups = null;
        update();
      }), legend);
    legend.replaceChildren(...inventory.totals.filter((kind) => kind.hosts).map((kind) => {
      const mark = h("canvas", { width: 14, height: 14, "aria-hidden": "true" });
      drawShape(mark.getContext("2d"), kind.key, 14, colors());
      return h("button", { type: "button", "aria-pressed": String(only === kind.key), onclick: () => {
        only = only === kind.key ? "" : kind.key;
        setParam("only", only);
        drawTools();
        paint();
        [...legend.children].find((each) => each.textContent.startsWith(kind.name))?.focus();
      } }, mark, `${kind.name} ${number(kind.hosts)}`);
    }));
  }

  function drawTwin() {
    const kinds = KINDS.map((kind, i) => ({ ...kind, i })).filter(({ i }) => store.inventory.totals[i].hosts);
    const rows = groups.map(({ label, hosts }) => {
      const sums = KINDS.map(() => 0);
      for (const host of hosts) sums[(store.inventory.byName.get(host.name) ?? host).kind]++;
      return h("tr", {}, h("th", { scope: "row" }, label), kinds.map(({ i }) => h("td", {}, number(sums[i]))));
    });
    const heads = ["Group", ...kinds.map(({ name }) => name)].map((text) => h("th", { scope: "col" }, text));
    twin.replaceChildren(h("table", { id: "map-twin" }, h("caption", {}, "The map: how many hosts of each group are in each state"),
      h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)));
  }

  const repaint = paced(REPAINT, () => {
    if (!over.isConnected || !store.inventory || !groups) return;
    if (!tools.contains(document.activeElement)) drawTools();
    wait.remove();
    paint();
    drawTwin();
    choose();
  });

  function update() {
    const inventory = store.inventory;
    if (!by && shape !== store.shape) {
      shape = store.shape;
      parentsOf(shape).then((all) => {
        parents = all;
        groups = null;
        if (over.isConnected) update();
      });
    }
    if (!by && !parents) return;
    const key = inventory.size + inventory.hosts[0]?.name + inventory.hosts.at(-1)?.name;
    if (!groups || groupedOf !== inventory.layout || groups.key !== key) {
      groups = group();
      groups.key = key;
      groupedOf = inventory.layout;
    }
    repaint();
  }

  const resized = new ResizeObserver(repaint);
  resized.observe(field);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", repaint);
  return {
    update,
    close() {
      resized.disconnect();
      scheme.removeEventListener("change", repaint);
    },
  };
}
