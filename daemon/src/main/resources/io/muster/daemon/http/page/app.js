// Starts the page: the token, the store that all views draw from, the choice of the view by the fragment, and the state of the connection.

import { $, h, clock, loading, number, now, paced, setClock } from "./dom.js";
import { Inventory } from "./hosts.js";
import { Problem, decoded, follow, get, setToken, takeToken, view } from "./link.js";
import * as nowView from "./now.js";
import * as mapView from "./map.js";
import * as hostView from "./host.js";
import * as timeView from "./time.js";
import * as serviceView from "./service.js";
import * as reportView from "./report.js";

const VIEWS = { now: nowView, map: mapView, host: hostView, time: timeView, service: serviceView, report: reportView };
const REFRESH = 400;
const LOOK_AGAIN = 10000; // reports about jobs and a lost ledger change the status without an event
const OLD = 10; // seconds

/** The shape is a number that changes with R, when layout and graph must be read again. */
const store = { inventory: null, caller: null, service: null, shape: 0, heard: 0, lost: null };
let shown = null;
let followed = false;

export const holders = () => store.caller?.holders ?? [];
export const mayChange = () => store.caller?.rights.includes("change") ?? false;
export const mayHold = () => mayChange() || (store.caller?.rights.includes("hold") ?? false);
/** Returns whether the user may end holds of a holder. */
export const mayLift = (holder) => mayChange() || (mayHold() && holders().includes(holder));

// ---- the view

/** Returns the view, its argument and its parameters that a fragment such as #/host/node7?days=30 names. */
export function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, argument = ""] = path.split("/");
  return { name: Object.hasOwn(VIEWS, name) ? name : "now", argument: decoded(argument), params: new URLSearchParams(query) };
}

/** Changes a parameter in the fragment without a new entry in the history. */
export function setParam(key, value) {
  const { name, argument, params } = place();
  if (value) params.set(key, value);
  else params.delete(key);
  const query = params.toString();
  history.replaceState(null, "", `#/${name}${argument ? "/" + encodeURIComponent(argument) : ""}${query ? "?" + query : ""}`);
}

function show(hasMoved) {
  const { name, argument, params } = place();
  shown?.close?.();
  const main = $("#main");
  main.replaceChildren();
  main.dataset.view = name;
  document.querySelectorAll("#nav a").forEach((link) => {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  document.title = [argument || name[0].toUpperCase() + name.slice(1), store.service.host, "Muster"].join(" · ");
  shown = VIEWS[name].show(main, store, params, argument);
  update();
  if (hasMoved) main.focus({ preventScroll: true });
  if (hasMoved) scrollTo(0, 0);
}

function update() {
  if (!store.inventory || !shown) return;
  shown.update?.();
  banner();
}

// ---- the state

let isBusy = false;
let isStale = false;
async function refresh() {
  isStale = true;
  if (isBusy) return;
  isBusy = true;
  try {
    while (isStale) {
      isStale = false;
      const [status, layout] = await Promise.all([view("/v1/status"), store.inventory?.layout ?? view("/v1/layout")]);
      if (store.inventory?.status !== status || store.inventory.layout !== layout) {
        store.inventory = new Inventory(status, layout);
      }
      update();
    }
  } catch (error) {
    failed(error);
  } finally {
    isBusy = false;
  }
}
const refreshSoon = paced(REFRESH, refresh);

const REDEFINING = ["resource-define", "property-add", "property-remove", "restart"];
function heard(event) {
  if (REDEFINING.some((name) => event.name.startsWith(name)) && store.inventory) {
    view("/v1/layout").then((layout) => {
      store.inventory.layout = layout;
      store.shape++;
      refreshSoon();
    }, failed);
  }
  refreshSoon();
}

async function everything() {
  store.service = await get("/v1/service");
  store.caller = store.service.caller;
  setClock(store.service.time);
  $("#where").textContent = store.service.host;
  if (store.inventory) store.inventory.layout = await view("/v1/layout");
  await refresh();
}

function listen() {
  if (followed || !store.caller.rights.includes("follow")) return;
  followed = true;
  follow(store.inventory.status.seq, {
    event: heard,
    gap: () => {
      store.shape++;
      everything().catch(failed);
    },
    live: () => {
      store.heard = now();
      if (store.lost) everything().catch(failed);
      store.lost = null;
      banner();
    },
    lost: (error) => {
      if (error instanceof Problem && [401, 403].includes(error.status)) {
        ask(error.message);
        return false;
      }
      store.lost ??= now();
      banner();
      return true;
    },
    restarted: async () => {
      store.shape++;
      await everything().catch(failed);
      return store.inventory?.status.seq;
    },
  }).finally(() => (followed = false));
}

function failed(error) {
  if (error instanceof Problem && error.status === 401) ask(error.message);
  else if (error instanceof Problem) note(error.message);
  else {
    store.lost ??= now();
    banner();
  }
}

// ---- what the page says about itself

function note(text) {
  const box = $("#banner");
  box.hidden = !text;
  if (box.textContent !== text) box.textContent = text;
}

function banner() {
  const status = store.inventory?.status;
  const live = $("#live");
  const isPolled = store.caller && !store.caller.rights.includes("follow");
  live.className = store.lost ? "live lost" : "live";
  const word = store.lost ? "not connected" : isPolled ? `every ${LOOK_AGAIN / 1000} s` : "live";
  const ledger = store.service?.ledger;
  const isStandby = ledger && !ledger.leads;
  const seq = status ? `seq ${number(status.seq)}${isStandby ? ", standby" : ""}` : "";
  if (live.dataset.text !== word + seq) {
    live.dataset.text = word + seq;
    live.replaceChildren(h("b", {}, word), h("span.seq", {}, " " + seq));
    live.title = store.caller ? "You are " + store.caller.user : "";
  }
  if (store.lost) {
    note(`The daemon has not answered since ${clock(store.heard || store.lost)}. What you see is of then; the page tries again until it answers.`);
  } else if (isStandby && ledger.age > OLD) {
    const then = clock(Date.parse(store.service.time) - ledger.age * 1000);
    note(`This daemon is a standby, and etcd has not answered it since ${then}. What you see is of then.`);
  } else if (status?.fault) note("No change is possible now: " + status.fault);
  else if (status?.clock) note("The daemon doubts its clock: " + status.clock);
  else note("");
}

// ---- the token

function ask(why) {
  shown?.close?.();
  shown = null;
  store.inventory = null;
  $("dialog")?.close();
  $("#main").dataset.view = "ask";
  note("");
  $("#live").replaceChildren();
  $("#live").dataset.text = "";
  const input = h("input", { type: "password", id: "token", autocomplete: "off", required: true, spellcheck: "false" });
  const submit = (event) => {
    event.preventDefault();
    setToken(input.value);
    begin();
  };
  $("#main").replaceChildren(h("section.ask", {},
    h("h1", {}, "This page needs a token"),
    why ? h("p.fault", {}, "The daemon says: " + why) : null,
    h("p", {}, "Run ", h("code", {}, "muster web"), ", and open the address that it prints, or enter a token here. ",
      "The page keeps the token until you close or reload the page, and stores it nowhere."),
    h("form", { onsubmit: submit }, h("label", { for: "token" }, "Token"), input, h("button.primary", {}, "Show the hosts"))));
  input.focus();
}

const pause = (millis) => new Promise((done) => setTimeout(done, millis));

/** @param tries how often a refused token is sent again: the daemon accepts a new token after two seconds at the latest */
async function begin(tries = 0) {
  if (!shown) $("#main").replaceChildren(loading());
  try {
    await everything();
  } catch (error) {
    if (!(error instanceof Problem) || (error.status === 401 && tries > 0)) {
      failed(error instanceof Problem ? new TypeError("wait") : error);
      await pause(error instanceof Problem ? 700 : 2000);
      return begin(tries - 1);
    }
    return ask(error.message);
  }
  store.lost = null;
  show(false);
  listen();
}

addEventListener("hashchange", () => {
  if (takeToken()) begin(5);
  else if (location.hash.startsWith("#/") && store.inventory) show(true);
});
$(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("#main").focus();
});
$("#goto").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = $("#host").value.trim();
  if (name) location.hash = "#/host/" + encodeURIComponent(name);
});
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea, select, dialog")) return;
  const view = { 1: "now", 2: "map", 3: "time", 4: "service", 5: "report", n: "now", m: "map", t: "time", s: "service", r: "report" }[event.key];
  if (event.key === "/") {
    event.preventDefault();
    ($("#filter") ?? $("#host")).focus();
  } else if (event.key === "g") {
    event.preventDefault();
    $("#host").focus();
  } else if (view && store.inventory) location.hash = "#/" + view;
});
setInterval(() => store.inventory && !store.lost && everything().catch(failed), LOOK_AGAIN);
begin(takeToken() ? 5 : 0);
