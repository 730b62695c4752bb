// Fits: what is labelled, how to learn, how far it is, and what to expect of each model. The estimate stands first.
import { ask, attempt, breakable, change, classes, duration, fill, h, listen, state, tell } from "/api.js";
import { choose } from "/look.js";
import { machine } from "/machine.js";
import { draw } from "/plots.js";
import { questions } from "/questions.js";
import { conditions } from "/recordings.js";

const PARTS = { "": "by its name", outer: "fault of the outer race", inner: "fault of the inner race", ball: "fault of a rolling element", cage: "fault of the cage", none: "no fault of the bearing" };
const FAULTS = 30; // classes whose part can be chosen

export function fit(place) {
  const understood = h("section", {}), form = h("section", {}), work = h("section", { hidden: true }), models = h("section", { hidden: true }), advice = h("section", { hidden: true });
  fill(place, h("div", { class: "columns" }, h("div", {}, understood, form, work), h("div", {}, models, advice)));
  const redraw = () => { showUnderstood(understood); showForm(form); };
  redraw();
  showModels(models);
  showAdvice(advice);
  showWork(work);
  listen((what) => {
    if (!models.isConnected) return;
    if (what === "folder") { showAdvice(advice); showUnderstood(understood); showForm(form); showModels(models); }
    if (what === "command") { showWork(work); showAdvice(advice); }
  });
}

function showUnderstood(place) {
  const rows = classes().map((label) => {
    const some = state.recordings.filter((one) => one.label === label);
    const units = new Set(some.map((one) => one.component).filter(Boolean));
    const seconds = some.reduce((sum, one) => sum + (one.seconds || 0), 0);
    return h("tr", {}, h("th", { scope: "row" }, label), ...[some.length, duration(seconds), units.size || "unknown"].map((cell) => h("td", { class: "number" }, String(cell))));
  });
  const unlabelled = state.recordings.filter((one) => !one.label).length;
  fill(place, h("h2", {}, "What is labelled"),
    rows.length ? h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ...["Class", "Recordings", "Seconds", "Components"].map((name, at) => h("th", { class: at ? "number" : "" }, name)))), h("tbody", {}, rows))) : h("p", {}, "Nothing yet: label two classes or more."),
    unlabelled ? h("p", { class: "small" }, `${unlabelled} recordings have no label.`) : null);
}

function freeName() {
  let number = 1;
  while ((state.names || []).includes(`model-${number}`)) number += 1;
  return `model-${number}`;
}

// Drawn again only where its choices are others: what was chosen and typed stays.
function showForm(place) {
  const units = ["component", "recording", ...conditions()];
  const choices = JSON.stringify([classes(), units, state.names]);
  if (place.choices === choices || (place.choices && place.contains(document.activeElement))) return;
  place.choices = choices;
  const name = h("input", { value: freeName(), required: true, "aria-label": "Name" });
  const recipe = h("select", {}, h("option", { value: "orders" }, "orders: seconds, the default"), h("option", { value: "views" }, "views: seconds, without the speed"), h("option", { value: "robust" }, "robust: the paper's network, minutes"), h("option", { value: "paper" }, "paper: as published, minutes"));
  const held = h("select", {}, h("option", { value: "" }, "whatever the labels allow"), units.map((unit) => h("option", { value: unit }, `an unseen ${unit}`)));
  const bearing = geometry();
  const start = attempt(async () => { await change("/api/fits", "POST", { name: name.value.trim(), recipe: recipe.value, held_out: held.value, ...bearing.stated() }); await commands(); });
  place.hidden = classes().length < 2;
  fill(place, h("h2", {}, "Fit"),
    h("div", { class: "form" }, h("label", {}, "Name ", name), h("label", {}, "How to learn ", recipe), h("label", {}, "Say how well it does on ", held)),
    bearing.fields,
    h("button", { class: "main", id: "fit", disabled: classes().length < 2, onclick: start }, "Fit"));
}

// What is known of the bearing joins what labels say, and faults that nobody labelled can be judged.
function geometry() {
  const { bearing, orders } = machine();
  const known = { bearing: orders || /elements|^\d{1,2}\s*(-|to)/.test(bearing) ? "" : bearing, orders };
  const field = (key, title, hint) => [key, h("input", { value: known[key], placeholder: hint, "data-geometry": key }), title];
  const texts = [field("bearing", "Bearing", "6205"), field("orders", "or fault orders", "outer=3.58,inner=5.42")];
  const parts = classes().slice(0, FAULTS).map((label) => [label, h("select", { "data-fault": label }, Object.entries(PARTS).map(([value, title]) => h("option", { value }, title)))]);
  const only = h("input", { type: "checkbox" });
  const fields = h("details", { id: "geometry", open: Boolean(known.bearing || known.orders) }, h("summary", {}, "Geometry of the bearing"),
    h("p", { class: "small" }, "Faults of a bearing show at known orders of the shaft. Where they are known they speak beside the labels, the more the fewer labels there are, and faults that nobody labelled can be judged. A column bearing or orders of the list serves as well. Leave both empty to learn from labels alone."),
    h("div", { class: "form" }, texts.map(([, input, title]) => h("label", {}, `${title} `, input)),
      parts.map(([label, select]) => h("label", {}, breakable(label), select)),
      h("label", {}, "Labelled classes only ", h("span", {}, only))));
  const stated = () => {
    const said = Object.fromEntries(texts.map(([key, input]) => [key, input.value.trim()]).filter(([, text]) => text));
    const faults = Object.fromEntries(parts.map(([label, select]) => [label, select.value]).filter(([, part]) => part));
    return { ...said, ...(Object.keys(faults).length && { faults }), labelled_only: only.checked };
  };
  return { fields, stated };
}

export async function commands() {
  state.commands = await ask("/api/commands");
  tell("command");
}

function showWork(place) {
  const one = state.commands.filter((each) => each.kind === "fit").at(-1);
  place.hidden = !one;
  if (!one) return;
  const share = one.total ? one.done / one.total : 0;
  const losses = h("div", { class: "plot" });
  fill(place, h("h2", {}, one.title),
    one.state === "running"
      ? [h("progress", { value: share, max: 1, "aria-label": one.stage }), h("p", { class: "small" }, [one.stage || "Starting", one.total ? `${one.done} of ${one.total}` : "", one.left_s ? `about ${duration(one.left_s)} left` : ""].filter(Boolean).join(", ")),
        h("button", { onclick: attempt(() => change(`/api/commands/${one.number}`, "DELETE")) }, "Cancel")]
      : h("p", { class: one.state === "done" ? "good" : "bad" }, { done: "Done.", cancelled: "Cancelled; nothing was written.", failed: "It did not work:" }[one.state]),
    losses,
    one.messages.length ? h("ul", { class: "small" }, one.messages.map((text) => h("li", {}, text))) : null);
  if (one.losses.length > 1) draw(losses, [one.losses.map((_, i) => i + 1), one.losses], { height: 140, labels: ["update", "loss"], series: [{ width: 1.5 }], select: false });
}

const showModels = attempt(async (place) => {
  const found = await ask("/api/models");
  place.hidden = !found.length;
  fill(place, h("h2", {}, "Models"), found.length > 1 ? compared(found) : null, found.map((one) => (one.problem ? h("p", { class: "bad" }, `${one.name}: ${one.problem}`) : card(one))));
});

const score = (one) => (one.score ? `${(100 * one.score.macro_f1).toFixed(1)} %` : "no estimate");

function compared(found) {
  const row = (one) => h("tr", {}, h("th", { scope: "row" }, one.name), h("td", { class: "number" }, score(one)), h("td", {}, one.held_out ? `unseen ${one.held_out}` : "nothing was held out"), h("td", {}, one.recipe ? "trained" : "closed form"));
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ...["Model", "Macro-F1", "On an", "By"].map((name, at) => h("th", { class: at === 1 ? "number" : "" }, name)))), h("tbody", {}, found.map(row))));
}

function card(one) {
  const { low, high, level } = one.score || {};
  const range = high !== undefined ? `, from ${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)} % in ${(10 * level).toFixed(0)} of 10 such supports` : "";
  const hz = h("input", { placeholder: "64000", size: 8, "aria-label": "Rate of the device in Hz" });
  const address = `/api/models/${encodeURIComponent(one.name)}`;
  const exporting = (to) => attempt(async () => { await change(`${address}/export`, "POST", { to, ...(hz.value && { rate: hz.value }) }); await commands(); });
  return h("article", { class: "model" },
    h("h3", {}, one.name),
    h("p", { class: "score" }, h("b", {}, score(one)), h("span", {}, one.held_out ? `macro-F1 on an unseen ${one.held_out}${range}` : "No unit was held out, so nobody knows how well it does.")),
    questions(one),
    one.geometry.length ? h("details", {}, h("summary", {}, "What comes from geometry"), h("ul", { class: "small" }, one.geometry.map((text) => h("li", {}, text)))) : null,
    h("ul", { class: "small" }, [...one.promises.map((text) => `States ${text}`), one.promised_under, ...one.remarks].filter(Boolean).map((text) => h("li", {}, text.charAt(0).toUpperCase() + text.slice(1)))),
    h("p", { class: "tools" },
      one.report && h("a", { href: `${address}/report`, target: "_blank", rel: "noopener" }, "Report"),
      h("a", { href: `${address}/file`, download: "" }, "Model file"),
      h("label", {}, "Device at ", hz, " Hz"), h("button", { class: "export", onclick: exporting("c99") }, "Export C"), h("button", { onclick: exporting("onnx") }, "Export ONNX"),
      h("span", { "data-export": one.name }, exportState(one.name))));
}

function exportState(name) {
  const last = state.commands.filter((each) => each.kind === "export" && each.title === `Export ${name}`).at(-1);
  if (!last) return "";
  if (last.state === "running") return "exporting ...";
  if (last.state !== "done") return last.messages.at(-1) || "the export failed";
  return h("a", { href: `/api/models/${encodeURIComponent(name)}/export`, download: "" }, "Download the export");
}

function showAdvice(place) {
  document.querySelectorAll("[data-export]").forEach((span) => span.replaceChildren(exportState(span.dataset.export)));
  const latest = (kind) => state.commands.filter((each) => each.kind === kind).at(-1);
  const advice = latest("advise"), audit = latest("audit");
  const start = (path, body) => attempt(async () => { await ask(path, { method: "POST", body }); await commands(); });
  place.hidden = !classes().length;
  fill(place, h("h2", {}, "What to label next"),
    h("p", { class: "small" }, "Which recordings tell most once they are labelled, and whether what is learned from lies among what is judged."),
    h("p", { class: "tools" }, h("button", { onclick: start("/api/advice", {}), disabled: advice?.state === "running" }, "Advise"), h("button", { onclick: start("/api/audit"), disabled: audit?.state === "running" }, "Look for leaks")),
    advice && told(advice, advised), audit && told(audit, audited));
}

function told(command, shown) {
  if (command.state === "running") return h("p", { class: "small" }, `${command.title}: ${command.stage || "starting"} ${command.total ? `${command.done} of ${command.total}` : ""}`);
  return command.state === "done" ? shown(command.result) : h("p", { class: "bad" }, command.messages.at(-1) || command.state);
}

function advised(result) {
  const curve = result.curve?.expected?.map((one) => h("li", {}, `${one.per_class} recordings of each class: ${one.score.toFixed(0)} % expected, ${one.low.toFixed(0)} to ${one.high.toFixed(0)} % four times in five`));
  return h("div", {}, h("ol", {}, (result.next || []).map((one) => {
    const there = state.recordings.find((each) => each.name === one.file);
    return h("li", {}, there ? h("button", { class: "link", onclick: () => { choose(there.id); location.hash = "look"; } }, one.file) : one.file, ` ${one.reason}`);
  })), curve ? h("ul", { class: "small" }, curve) : h("p", { class: "small" }, result.no_curve_because || ""));
}

function audited(findings) {
  if (!findings.length) return h("p", { class: "good" }, "No leak found.");
  return h("ul", {}, findings.map((one) => h("li", { class: one.severity === "leak" ? "bad" : "" }, `${one.severity}: ${one.message}`, h("span", { class: "small" }, ` ${one.recordings.slice(0, 6).join(", ")}`))));
}
