// Verdicts: drop files, see what a model says of each and why; a key corrects it, and then it is a label.
import { ask, attempt, breakable, duration, fill, h, known, listen, notice, percent, recording, say, state, tell, verdict } from "/api.js";
import { dropZone } from "/drop.js";
import { commands } from "/fit.js";
import { shown } from "/label.js";
import { choose } from "/look.js";
import { machine } from "/machine.js";
import { reasons } from "/reasons.js";
import { keyOf } from "/recordings.js";

const SHOWN = 200; // rows at a time
let most = SHOWN;

const SPEED_WORDS = {
  stated: "as stated", refined: "stated and refined by vibration", measured: "as measured", estimated: "found by vibration",
};

export function answered(said) {
  if (said.error) return said.error;
  if (said.answer === "none_of_these") return "none of these";
  if (said.answer === "one_of") return `one of ${said.set.join(", ")}`;
  const name = `${said.verdict} ${percent(said.probability)}`;
  return said.answer === "named" ? `${name}, at most ${percent(said.names_error)} of names are wrong` : `${name}, no promise`;
}

export function judge(place) {
  const chosen = h("select", { "aria-label": "Model", onchange: (event) => { state.model = event.target.value; tell("folder"); } });
  const list = h("div", {}), why = h("section", { class: "why", hidden: true }), expected = h("p", { class: "small" });
  const all = h("button", { class: "main", id: "judge-all", onclick: attempt(() => judgeAll(state.recordings.filter((one) => !one.problem))) }, "Judge all");
  const table = h("button", { onclick: attempt(async () => { await ask(`/api/models/${encodeURIComponent(state.model)}/table`, { method: "POST" }); await commands(); }) }, "Make a table");
  const done = h("span", {});
  const zone = dropZone(async (kept) => {
    if (kept.length) choose(kept[0].id);
    if (state.model) await judgeAll(kept.filter((one) => !one.problem));
  });
  const models = h("p", { class: "tools" }, h("label", {}, "Model ", chosen), all, table, done);
  const tools = h("section", { class: "judging" }, models);
  fill(place, tools, h("section", { class: "dropping" }, expected, zone), h("div", { class: "two wide" }, list, why));
  const redraw = () => {
    fill(chosen, (state.names || []).map((name) => h("option", { value: name, selected: name === state.model }, name)));
    tools.hidden = !state.model;
    if (state.model && state.recordings.length) showTable(list);
    else fill(list);
    fill(done, tableLink());
  };
  redraw();
  showExpected(expected);
  listen((what) => {
    if (!list.isConnected) return;
    if (["folder", "verdict", "command"].includes(what)) redraw();
    if (what === "chosen") { redraw(); showWhy(why); }
    if (what === "folder") showExpected(expected);
  });
  showWhy(why);
}

const showExpected = attempt(async (place) => {
  const one = state.model && (await ask("/api/models")).find((each) => each.name === state.model);
  const score = one?.score?.macro_f1;
  fill(place, one ? (score === undefined ? "Nobody knows how well this model does: nothing was held out." : `Expected of this model: macro-F1 ${(100 * score).toFixed(1)} % on an unseen ${one.held_out}. What has a label may have taught it, so that verdicts on those say nothing.${one.promised_under ? ` P${one.promised_under.slice(1)}.` : ""}`) : "");
});

function tableLink() {
  const last = state.commands.filter((one) => one.kind === "table").at(-1);
  if (!last) return null;
  if (last.state === "running") return h("span", { class: "small" }, `${last.stage} ${last.done} of ${last.total}`);
  if (last.state !== "done") return h("span", { class: "bad" }, last.messages.at(-1) || last.state);
  const address = URL.createObjectURL(new Blob([`${last.result}\n`], { type: "text/csv" }));
  return h("a", { href: address, download: "verdicts.csv" }, "Download verdicts.csv");
}

// What was judged stands first, and of that what needs eyes: without a promise, unlike anything, or against its label.
function showTable(list) {
  const rank = (one) => {
    const said = known(one.id);
    if (!said) return 3;
    return said.error || said.answer === "none_of_these" ? 0 : said.answer !== "named" || (one.label && said.verdict !== one.label) ? 1 : 2;
  };
  const ranked = state.recordings.map((one) => [rank(one), one]).sort((a, b) => a[0] - b[0]);
  const rows = ranked.slice(0, most).map(([, one]) => {
    const said = known(one.id);
    return h("tr", { "aria-selected": String(one.id === state.chosen), tabindex: "0", "data-id": one.id, onclick: () => choose(one.id), onkeydown: (event) => { if (event.key === "Enter") choose(one.id); } },
      h("td", { class: said?.answer || "" }, one.problem ? h("span", { class: "small" }, "cannot be read") : said ? answered(said) : h("button", { onclick: attempt(() => verdict(one.id)) }, "Judge")),
      h("td", {}, breakable(one.name)), h("td", {}, one.label || h("span", { class: "small" }, "no label")));
  });
  const more = ranked.length > most && h("p", {}, h("button", { onclick: () => { most += 5 * SHOWN; showTable(list); } }, `Show more of ${ranked.length.toLocaleString("en")}`));
  fill(list, h("table", { class: "verdicts judged" }, h("thead", {}, h("tr", {}, ...["Verdict", "Recording", "Label"].map((name) => h("th", {}, name)))), h("tbody", {}, rows)), more);
}

async function judgeAll(some) {
  for (const one of some) await verdict(one.id);
  notice(`${some.length} recordings were judged.`, true);
}

const showWhy = attempt(async (place) => {
  const one = recording(state.chosen);
  place.hidden = !one || !state.model;
  if (place.hidden) return;
  if (one.problem) return fill(place, h("h2", {}, breakable(one.name)), h("p", { class: "bad" }, one.problem));
  fill(place, h("h2", {}, breakable(one.name)), h("p", { class: "small" }, "Judging ..."));
  const said = await verdict(one.id);
  const found = said.error ? null : await ask(`/api/reasons/${one.id}`, { query: { model: state.model, bearing: machine().bearing, gear: machine().gear, speed: one.speed_rpm ? "" : machine().speed } });
  if (state.chosen !== one.id || !place.isConnected) return;
  const correct = attempt(async (label) => { await say(one.id, { label }); notice(`${one.name}: ${label}`, true); });
  place.correct = correct;
  const strongest = Object.entries(said.probabilities || {}).sort((a, b) => b[1] - a[1]).slice(0, 5);
  fill(place, h("h2", {}, breakable(one.name)),
    h("p", { class: `answer ${said.answer}` }, answered(said)), said.reason ? h("p", { class: "small" }, said.reason) : null,
    said.speed !== undefined ? h("p", { class: "small" }, said.speed ? `Judged at ${said.speed.rpm.toFixed(0)} rpm, ${SPEED_WORDS[said.speed.source]}.` : "Its speed is not clear; judged without.") : null,
    h("ul", { class: "bars" }, strongest.map(([label, value]) => h("li", {}, h("span", {}, label), h("meter", { value, max: 1, "aria-label": label }), h("span", { class: "number" }, percent(value))))),
    h("p", {}, "What is it really? A key makes it a label."),
    h("div", { class: "keys" }, shown().map((label) => h("button", { class: one.label === label ? "key chosen" : "key", onclick: () => correct(label) }, keyOf(label) && h("kbd", {}, keyOf(label)), ` ${label}`))),
    said.geometry ? h("p", { class: "small" }, `${said.geometry.said}.`) : null,
    found ? reasons(found, one.id) : null,
    h("p", { class: "small" }, h("button", { class: "link", onclick: () => { location.hash = "look"; } }, "Look at it"), ` ${duration(one.seconds)}`));
});
