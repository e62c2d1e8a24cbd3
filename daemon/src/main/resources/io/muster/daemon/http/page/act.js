// Drain and undrain: first the dry run with what each scheduler would be sent, then the button.

import { $, h, count, hostlist, paced } from "./dom.js";
import { expand } from "./hosts.js";
import { change, tagOf } from "./link.js";
import { holders, mayChange } from "./app.js";

/** @param holds holds of which the user may end each */
export function openUndrain(targets, holds, store) {
  const names = [...new Set(holds.map((hold) => hold.holder))];
  open({ verb: "Undrain", method: "DELETE", targets, names, note: "Why the hosts may be used again" }, store);
}

export function openDrain(targets, store) {
  const names = mayChange() ? ["admin", ...holders().filter((name) => name !== "admin")] : holders();
  open({ verb: "Drain", method: "POST", targets, names, note: "Why the hosts must not be used", isOpen: mayChange() }, store);
}

function open({ verb, method, targets, names, note, isOpen }, store) {
  const hosts = h("input", { id: "act-hosts", value: targets, required: true, spellcheck: "false", autocomplete: "off" });
  const holder = isOpen
    ? h("input", { id: "act-holder", value: names[0], required: true, spellcheck: "false", list: "act-names" })
    : h("select", { id: "act-holder" }, names.map((name) => h("option", { value: name }, name)));
  const reason = h("input", { id: "act-reason", required: true, maxlength: 1000, autocomplete: "off", placeholder: note });
  const plan = h("div.plan", { role: "status", "aria-label": "Dry run" });
  const submit = h("button.primary", { type: "submit", disabled: true }, verb);
  const dialog = h("dialog", { "aria-labelledby": "act-title", onclose: () => {
    clearInterval(watch);
    dialog.remove();
  } },
  h("form", { onsubmit: (event) => {
    event.preventDefault();
    act();
  } },
  h("h2", { id: "act-title" }, `${verb} hosts`),
  h("label", { for: "act-hosts" }, "Hosts"), hosts,
  h("label", { for: "act-holder" }, "Holder"), holder,
  h("label", { for: "act-reason" }, "Reason"), reason,
  plan,
  h("div.buttons", {}, h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"), submit)));

  const fields = () => ({ targets: hosts.value.trim(), holder: holder.value.trim(), reason: reason.value.trim() });
  let tried = ""; // what the last dry run was about
  let tag = null;
  let id = crypto.randomUUID();

  const situation = () => JSON.stringify([fields(), store.inventory?.status.seq]);
  const dryRun = paced(250, async () => {
    const about = situation();
    if (!dialog.open || about === tried) return;
    tried = about;
    const asked = fields();
    submit.disabled = true;
    if (!asked.targets || !asked.reason || !asked.holder) {
      plan.replaceChildren(h("p.note", {}, "With a reason, the dry run shows here what would happen. Nothing changes before you press the button."));
      return;
    }
    try {
      tag = tagOf("/v1/status")?.replace("-gzip", "");
      const answer = await change(method, asked, { dryRun: true });
      if (about !== tried) return;
      describe(answer);
      submit.disabled = false;
      id = crypto.randomUUID();
    } catch (error) {
      if (about === tried) plan.replaceChildren(h("p.fault", {}, error.message));
    }
  });
  const watch = setInterval(() => situation() !== tried && dryRun(), 300); // another change may come meanwhile

  function describe({ events, updates }) {
    const named = events.map((event) => event.context?.nodelist ?? event.context?.hosts).filter(Boolean);
    const size = named.length ? count(expand(named.join(",")).length, "host") : count(events.length, "entry", "entries");
    submit.textContent = `${verb} ${named.length ? size : "hosts"}`;
    const updateOf = (each) => (each.update ? h("code", {}, JSON.stringify(each.update)) : "nothing");
    plan.replaceChildren(
      h("h3", {}, "Dry run"),
      h("p", {}, `The journal would get ${count(events.length, "entry", "entries")}`,
        named.length ? [`, about ${size}: `, h("code", {}, hostlist(named.join(",")))] : "."),
      h("p", {}, updates.length ? "Each scheduler would be sent:" : "No scheduler is connected, so nobody would be sent an update."),
      h("ul", {}, updates.map((each) => h("li", {}, `${each.user}, pid ${each.pid}: `, updateOf(each)))));
  }

  async function act() {
    if (submit.disabled || situation() !== tried) return;
    submit.disabled = true;
    try {
      const done = await change(method, fields(), { tag, id });
      plan.replaceChildren(h("p.done", {},
        done.changed ? `Done: ${done.hosts ?? "the hosts"}, journal entry ${done.seq}.` : "Nothing had to be changed."));
      $(".buttons", dialog).replaceChildren(h("button.primary", { type: "button", autofocus: true, onclick: () => dialog.close() }, "Close"));
      [hosts, holder, reason].forEach((each) => (each.disabled = true));
      clearInterval(watch);
      $(".buttons button", dialog).focus();
    } catch (error) {
      plan.replaceChildren(h("p.fault", {}, error.message));
      if (error.status === 412) tried = ""; // the dry run is made again
      else submit.disabled = error.status !== undefined;
    }
  }

  document.body.append(dialog);
  dialog.showModal();
  (targets ? reason : hosts).focus();
  dryRun();
}
