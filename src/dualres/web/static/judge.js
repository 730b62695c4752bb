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
// How far the server is with judging many; `known` counts the verdicts that were taken over from it.
const judging = { model: null, known: 0, done: 0, total: 0, running: false, asked: false };
const number = (count) => count.toLocaleString("en");

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
  const all = h("button", { class: "main", id: "judge-all", onclick: attempt(() => (judging.running ? stop() : judgeAll())) });
  const table = h("button", { onclick: attempt(async () => { await ask(`/api/models/${encodeURIComponent(state.model)}/table`, { method: "POST" }); await commands(); }) }, "Make a table");
  const done = h("span", {}), going = h("span", { class: "going small", role: "status" });
  const zone = dropZone(async (kept) => {
    if (kept.length) choose(kept[0].id);
    const sound = kept.filter((one) => !one.problem);
    if (state.model && sound.length) await judgeAll(sound.map((one) => one.id));
  });
  const models = h("p", { class: "tools" }, h("label", {}, "Model ", chosen), all, going, table, done);
  const tools = h("section", { class: "judging" }, models);
  fill(place, tools, h("section", { class: "dropping" }, expected, zone), h("div", { class: "two wide" }, list, why));
  const redraw = () => {
    fill(chosen, (state.names || []).map((name) => h("option", { value: name, selected: name === state.model }, name)));
    tools.hidden = !state.model;
    if (state.model && state.recordings.length) showTable(list);
    else fill(list);
    fill(done, tableLink());
    showGoing();
  };
  const showGoing = () => {
    all.textContent = judging.running ? "Stop" : "Judge all";
    all.className = judging.running ? "" : "main";
    fill(going, judging.running && h("progress", { value: judging.done, max: Math.max(judging.total, 1), "aria-label": "Judged" }), judging.running && ` ${number(judging.done)} of ${number(judging.total)}`);
  };
  redraw();
  showExpected(expected);
  listen((what) => {
    if (!list.isConnected) return;
    if (what === "verdicts") news();
    if (["folder", "verdict", "command"].includes(what)) redraw();
    if (what === "chosen") { redraw(); showWhy(why); }
    if (what === "folder") showExpected(expected);
  });
  showWhy(why);
  news();
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

// All, or these: the server judges one after the other, and what it has found is asked for as it comes.
async function judgeAll(ids) {
  take(await ask("/api/verdicts", { method: "POST", body: { model: state.model, ...(ids && { ids }) } }));
  judging.asked = true;
  await news();
}

async function stop() {
  take(await ask("/api/verdicts", { method: "DELETE" }));
  judging.asked = false;
  notice(`Stopped: ${number(judging.done)} of ${number(judging.total)} were judged.`, true);
}

function take({ model, done, total, running }) {
  Object.assign(judging, { done, total, running: running && model === state.model });
  tell("verdict");
}

let asking = Promise.resolve(); // one question at a time
function news() {
  asking = asking.catch(() => {}).then(attempt(async () => {
    const { model } = state;
    if (!model) return;
    if (judging.model !== model || !state.verdicts.size) Object.assign(judging, { model, known: 0 });
    const found = await ask("/api/verdicts", { query: { model, since: judging.known } });
    if (state.model !== model) return;
    if (found.model === model) judging.known = found.known;
    for (const { id, ...said } of found.verdicts) {
      const before = state.verdicts.get(`${model}/${id}`);
      if (!before || before.brief) state.verdicts.set(`${model}/${id}`, { ...said, brief: true });
    }
    take(found);
    if (judging.asked && !found.running && found.model === model) {
      judging.asked = false;
      notice(`${number(found.total)} recordings were judged.`, true);
    }
  }));
  return asking;
}

// What labels say and what geometry says to it.
export function sources({ verdict: name, geometry }) {
  const share = geometry.by_labels[name], one = geometry.classes[name];
  if (geometry.reason) return `By labels alone: ${geometry.reason}.`;
  if (share === undefined) return `${name[0].toUpperCase()}${name.slice(1)}: ${geometry.said}.`;
  const labels = `Labels alone say ${name} with ${percent(share)}.`;
  if (!one) return `${labels} It is no fault that the geometry knows.`;
  if (one.score === undefined) return `${labels} The geometry says nothing of it.`;
  const speaks = Math.abs(one.nats) < 0.1 ? "says little about it" : one.nats > 0 ? "speaks for it" : "speaks against it";
  return `${labels} The geometry ${speaks}: the ${one.part} stands out by ${one.score.toFixed(1)}, with a weight of ${one.weight.toFixed(2)} beside ${one.labelled_recordings} labelled ${one.labelled_recordings === 1 ? "recording" : "recordings"}.`;
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
    said.geometry ? h("p", { id: "sources" }, sources(said)) : null,
    found ? reasons(found, one.id) : null,
    h("p", { class: "small" }, h("button", { class: "link", onclick: () => { location.hash = "look"; } }, "Look at it"), ` ${duration(one.seconds)}`));
});
