// The report of a campaign, made by the command, where the folder holds one.
import { ask, attempt, fill, h, listen, state } from "/api.js";
import { commands } from "/fit.js";

export function results(place) {
  const section = h("section", {});
  fill(place, section);
  show(section);
  listen((what) => { if (section.isConnected && what === "command") show(section); });
}

function show(place) {
  const last = state.commands.filter((one) => one.kind === "results").at(-1);
  const make = h("button", { class: "main", disabled: last?.state === "running", onclick: attempt(async () => { await ask("/api/campaign", { method: "POST" }); await commands(); }) }, last ? "Make it again" : "Make the report");
  const told = !last ? "" : last.state === "running" ? `${last.stage || "Starting"} ${last.total ? `${last.done} of ${last.total}` : ""}` : last.state === "done" ? last.result : last.messages.at(-1) || last.state;
  fill(place, h("h2", {}, "Results of the campaign in this folder"),
    h("p", {}, "Tables, figures and every job behind them, from the ledger alone."),
    h("p", { class: "tools" }, make, last?.state === "done" && h("a", { href: "/api/campaign/page", target: "_blank", rel: "noopener" }, "Open the report")),
    h("p", { class: last?.state === "failed" ? "bad" : "small" }, String(told)));
}
