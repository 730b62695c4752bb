// Verdicts: drop files, see what a model says of each and why; a key corrects it, and then it is a label.
import { ask, attempt, change, duration, fill, h, known, listen, notice, percent, recording, refresh, say, state, tell, verdict } from "/api.js";
import { commands } from "/fit.js";
import { shown } from "/label.js";
import { choose, geometry } from "/look.js";
import { keyOf } from "/recordings.js";

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
  const files = h("input", { type: "file", multiple: true, hidden: true, onchange: (event) => dropped([...event.target.files]) });
  const folder = h("input", { type: "file", webkitdirectory: true, hidden: true, onchange: (event) => dropped([...event.target.files]) });
  const zone = h("div", { class: "drop" }, "Drop recordings here, or ", h("button", { class: "link", onclick: () => files.click() }, "choose files"), " or ", h("button", { class: "link", onclick: () => folder.click() }, "a folder"), ". They are kept in the folder, in dropped.", files, folder);
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => { event.preventDefault(); zone.classList.remove("over"); dropped([...event.dataTransfer.files]); });
  const list = h("div", { class: "scroll" }), why = h("section", { class: "why" }), expected = h("p", { class: "small" });
  const all = h("button", { class: "main", id: "judge-all", onclick: attempt(() => judgeAll(state.recordings.filter((one) => !one.problem))) }, "Judge all");
  const table = h("button", { onclick: attempt(async () => { await ask(`/api/models/${encodeURIComponent(state.model)}/table`, { method: "POST" }); await commands(); }) }, "Make a table");
  const done = h("span", {});
  fill(place, h("section", {}, h("p", { class: "tools" }, h("label", {}, "Model ", chosen), all, table, done), expected, zone), h("div", { class: "two wide" }, list, why));
  const redraw = () => {
    fill(chosen, (state.names || []).map((name) => h("option", { value: name, selected: name === state.model }, name)));
    all.disabled = table.disabled = !state.model;
    if (!state.model) fill(list, h("p", { class: "empty" }, "There is no model yet: fit one first."));
    else showTable(list);
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

function showTable(list) {
  const rows = state.recordings.map((one) => {
    const said = known(one.id);
    return h("tr", { "aria-selected": String(one.id === state.chosen), tabindex: "0", onclick: () => choose(one.id), onkeydown: (event) => { if (event.key === "Enter") choose(one.id); } },
      h("td", {}, one.name), h("td", {}, one.label || h("span", { class: "small" }, "no label")),
      h("td", { class: said?.answer || "" }, one.problem ? h("span", { class: "small" }, "cannot be read") : said ? answered(said) : h("button", { onclick: attempt(() => verdict(one.id)) }, "Judge")));
  });
  fill(list, h("table", { class: "verdicts" }, h("thead", {}, h("tr", {}, ...["Recording", "Label", "Verdict"].map((name) => h("th", {}, name)))), h("tbody", {}, rows)));
}

async function judgeAll(some) {
  for (const one of some) await verdict(one.id);
  notice(`${some.length} recordings were judged.`, true);
}

const dropped = attempt(async (some) => {
  const kept = [];
  for (const file of some) {
    try {
      kept.push(await ask("/api/recordings", { method: "POST", query: { name: file.name }, body: file, raw: true }));
    } catch (error) {
      notice(`${file.name}: ${error.message}`);
    }
  }
  await refresh();
  if (kept.length) choose(kept[0].id);
  if (state.model) await judgeAll(kept.filter((one) => !one.problem));
});

const showWhy = attempt(async (place) => {
  const one = recording(state.chosen);
  if (!one || one.problem || !state.model) return fill(place, h("p", { class: "empty" }, one?.problem || "Choose a recording to see why it gets its verdict."));
  fill(place, h("h2", {}, one.name), h("p", { class: "small" }, "Judging ..."));
  const said = await verdict(one.id);
  const found = said.error ? null : await ask(`/api/reasons/${one.id}`, { query: { model: state.model, ...geometry() } });
  if (state.chosen !== one.id || !place.isConnected) return;
  const correct = attempt(async (label) => { await say(one.id, { label }); notice(`${one.name}: ${label}`, true); });
  place.correct = correct;
  const strongest = Object.entries(said.probabilities || {}).sort((a, b) => b[1] - a[1]).slice(0, 5);
  fill(place, h("h2", {}, one.name),
    h("p", { class: `answer ${said.answer}` }, answered(said)), said.reason ? h("p", { class: "small" }, said.reason) : null,
    said.speed !== undefined ? h("p", { class: "small" }, said.speed ? `Judged at ${said.speed.rpm.toFixed(0)} rpm, ${SPEED_WORDS[said.speed.source]}.` : "Its speed is not clear; judged without.") : null,
    h("ul", { class: "bars" }, strongest.map(([label, value]) => h("li", {}, h("span", {}, label), h("meter", { value, max: 1, "aria-label": label }), h("span", { class: "number" }, percent(value))))),
    h("p", {}, "What is it really? A key makes it a label."),
    h("div", { class: "keys" }, shown().map((label) => h("button", { class: one.label === label ? "key chosen" : "key", onclick: () => correct(label) }, keyOf(label) && h("kbd", {}, keyOf(label)), ` ${label}`))),
    said.geometry ? h("p", { class: "small" }, `${said.geometry.said}.`) : null,
    found ? reasons(found) : null,
    h("p", { class: "small" }, h("button", { class: "link", onclick: () => { location.hash = "look"; } }, "Look at it"), ` ${duration(one.seconds)}`));
});

function reasons(found) {
  const heard = (band) => `${band.view}, ${band.words}`;
  const top = (against) => [...found.bands].sort((a, b) => (against ? a.nats - b.nats : b.nats - a.nats)).slice(0, 3).filter((band) => (against ? band.nats < 0 : band.nats > 0));
  const list = (against, title) => [h("h3", {}, title), h("ul", { class: "small" }, top(against).map((band) => h("li", {}, `${band.nats.toFixed(2)} nats: ${heard(band)}`)))];
  const near = (found.nearest || []).map((one) => {
    const there = state.recordings.find((each) => each.name === one.file);
    return h("li", {}, there ? h("button", { class: "link", onclick: () => choose(there.id) }, one.file) : one.file, `, ${one.label}`);
  });
  const [label, rival] = found.explained || [found.verdict, found.runner_up]; // of what was labelled
  const speed = found.speed && h("p", { class: "small" }, `By multiples of the shaft's ${found.speed.rpm.toFixed(0)} rpm, ${found.speed.source}.`);
  return [speed, list(false, `For ${label}`), list(true, `For ${rival}`), near.length ? [h("h3", {}, "Most alike"), h("ul", { class: "small" }, near)] : null];
}
