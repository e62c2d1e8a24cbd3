// The connection to the daemon: requests with the token, and the stream of events.

/** The token is kept here and nowhere else: not in a cookie, not in storage, not in a URL that is sent. */
let token = "";
const PATIENCE = 25000; // the daemon sends something every 10 seconds

/** Decodes a part of a URL; returns the text as it is if it is not encoded well. */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Takes the token out of the fragment of the URL, and out of the history of the browser. */
export function takeToken() {
  const found = /^#token=([^&]*)&?(.*)$/.exec(location.hash);
  if (!found) return false;
  setToken(decoded(found[1]));
  history.replaceState(null, "", location.pathname + "#" + (found[2] || "/now"));
  return true;
}

export function setToken(text) {
  token = text.trim();
}

export class Problem extends Error {
  constructor(status, problem) {
    super(problem?.detail ?? `the daemon answered with status ${status}`);
    this.status = status;
  }
}

function send(path, options = {}) {
  const headers = { ...options.headers };
  if (token) headers.Authorization = "Bearer " + token;
  return fetch(path, { ...options, headers, cache: "no-store", credentials: "same-origin", redirect: "error" });
}

async function checked(response) {
  if (response.ok) return response;
  throw new Problem(response.status, await response.json().catch(() => null));
}

export async function get(path, params = {}) {
  const query = new URLSearchParams(params).toString();
  return (await checked(await send(path + (query ? "?" + query : "")))).json();
}

export async function text(path) {
  return (await checked(await send(path))).text();
}

/** Returns why a request about the past failed. */
export const pastProblem = (error) =>
  error.status === 403 ? "This token does not have the right follow, which the past needs." : error.message;

/** Requests a document whose status says the same as its text, such as that of a probe. */
export async function probe(path) {
  return (await send(path)).json();
}

const kept = new Map();
/** Requests a document that has an ETag. The same object is returned while nothing has changed. */
export async function view(path) {
  const last = kept.get(path);
  const response = await send(path, { headers: last ? { "If-None-Match": last.tag } : {} });
  if (response.status === 304) return last.body;
  const body = await (await checked(response)).json();
  kept.set(path, { tag: response.headers.get("etag"), body });
  return body;
}

export const tagOf = (path) => kept.get(path)?.tag;

/** Places or lifts holds. A dry run changes nothing. The form has a field of its own for the reason, so the reason is meant. */
export async function change(method, form, { dryRun, tag, id } = {}) {
  const fields = { ...form, "reason-meant": true };
  const query = new URLSearchParams(method === "DELETE" ? fields : {});
  if (dryRun) query.set("dry-run", "true");
  const headers = method === "POST" ? { "Content-Type": "application/json" } : {};
  if (tag) headers["If-Match"] = tag;
  if (id) headers["Idempotency-Key"] = id;
  const body = method === "POST" ? JSON.stringify(fields) : undefined;
  return (await checked(await send("/v1/holds?" + query, { method, headers, body }))).json();
}

const pause = (millis) => new Promise((done) => setTimeout(done, millis));

/**
 * Follows the events after a number, and resumes after the last one whenever the connection breaks.
 * on.event gets each event, on.live and on.lost the state of the connection, on.gap says that events are missing.
 */
export async function follow(first, on) {
  let last = first;
  let wait = 500;
  for (;;) {
    if (document.hidden) await visible();
    const abort = new AbortController();
    let timer = 0;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), PATIENCE);
    };
    try {
      alive();
      const response = await checked(await send("/v1/events?since=" + last, { signal: abort.signal }));
      on.live();
      wait = 500;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        alive();
        const messages = (rest + value).split("\n\n");
        rest = messages.pop();
        for (const message of messages) {
          const fields = Object.fromEntries(
            message.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
          if (fields.id) last = Number(fields.id);
          if (fields.event === "gap") on.gap();
          else if (fields.data) on.event({ seq: last, ...JSON.parse(fields.data) });
        }
        if (rest === "") on.live();
      }
      throw new Error("the daemon ended the connection");
    } catch (error) {
      clearTimeout(timer);
      abort.abort();
      if (error.status === 400) last = (await on.restarted()) ?? last; // another daemon, which has fewer events
      else if (on.lost(error) === false) return;
    }
    await pause(wait);
    wait = Math.min(wait * 2, 5000);
  }
}

/** Ends when somebody looks at the page. A page that nobody sees needs no connection. */
function visible() {
  return new Promise((done) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      done();
    };
    document.addEventListener("visibilitychange", look);
  });
}
