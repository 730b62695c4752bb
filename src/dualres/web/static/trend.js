// Machines over time: levels, fault lines and distance from health of dated recordings, and when a machine changed.
import { ask, attempt, breakable, change, fill, h, listen, recording, state } from "/api.js";
import { commands } from "/fit.js";
import { choose } from "/look.js";
import { loadMachine, machineFields, settledMachine } from "/machine.js";
import { draw } from "/plots.js";

const SHOWN = 60; // recordings of a table at a time
// What is drawn: a title with its unit, the value, and which change has its limit on this scale.
const CURVES = [["rise, dB", "rise_db"], ["kurtosis", "impulsiveness"], ["distance, dB", "distance_db"], ["mm/s rms", "velocity_mm_s"], ["line score", "striking", "lines"]];
const ANSWERS = ["changed", "no change found", "cannot tell"];
const view = { told: null, healthy: "", judged: false, most: SHOWN };

export function trend(place) {
  const fields = h("div", { class: "form" }), work = h("div", {}), found = h("div", {});
  const healthy = h("input", { value: view.healthy, placeholder: "not known", "data-fact": "healthy", onchange: (event) => { view.healthy = event.target.value.trim(); } });
  const judged = h("input", { type: "checkbox", checked: view.judged, onchange: (event) => { view.judged = event.target.checked; } });
  const start = attempt(async () => {
    await change("/api/trend", "POST", { ...(await settledMachine()), healthy: view.healthy, model: (view.judged && state.model) || "" });
    await commands();
  });
  fill(place,
    h("section", {},
      h("h2", {}, "Trend"),
      h("p", {}, "When did a machine change? Recordings of different days are put in order, by a column time or date of the list, by dates in their names, or by their files. A column component or machine tells several machines apart."),
      h("details", {}, h("summary", {}, "What is known of the machine"), h("div", { class: "form" }, fields,
        h("label", {}, "Healthy at first ", healthy),
        state.model && h("label", {}, "Verdicts beside ", h("span", {}, judged, ` of ${state.model}`))),
        h("p", { class: "small" }, "Each field may stay empty. With a speed and a bearing or gear, fault lines are followed, too. “Healthy at first” is how many of the first recordings are known to be healthy, or the label they have.")),
      h("p", { class: "tools" }, h("button", { class: "main", id: "follow", onclick: start }, "Follow over time")),
      work),
    found);
  const load = attempt(async () => {
    view.told = await ask("/api/trend");
    if (found.isConnected) showMachines(found);
  });
  const last = () => state.commands.filter((one) => one.kind === "trend").at(-1);
  let shown = last()?.state;
  showWork(work, last());
  listen((what) => {
    if (!found.isConnected || what !== "command") return;
    showWork(work, last());
    if (last()?.state === "done" && shown !== "done") load();
    shown = last()?.state;
  });
  attempt(async () => { await loadMachine(); machineFields(fields, async () => {}); })();
  load();
}

function showWork(place, one) {
  if (!one || one.state === "done") return fill(place, null);
  if (one.state !== "running") return fill(place, h("p", { class: "bad" }, one.state === "cancelled" ? "Cancelled. What was read is kept for the next look." : one.messages.at(-1) || "It did not work."));
  fill(place, h("progress", { value: one.total ? one.done / one.total : 0, max: 1, "aria-label": "Recordings read" }),
    h("p", { class: "small" }, one.total ? `${one.done.toLocaleString("en")} of ${one.total.toLocaleString("en")} recordings read ` : "Starting ",
      h("button", { onclick: attempt(() => change(`/api/commands/${one.number}`, "DELETE")) }, "Cancel")));
}

function showMachines(place) {
  const ids = new Map(state.recordings.map((one) => [one.name, one.id]));
  const machines = [...view.told.machines].sort((a, b) => ANSWERS.indexOf(a.answer) - ANSWERS.indexOf(b.answer));
  const several = machines.length > 1;
  fill(place, several ? overview(machines) : null, machines.map((one) => machineOf(one, ids, several)));
  place.querySelectorAll("section.machine").forEach((section) => { if (!several || section.querySelector("details").open) section.paint(); });
}

// How many changed, for many machines.
function overview(machines) {
  const counts = ANSWERS.map((answer) => [answer, machines.filter((one) => one.answer === answer).length]).filter(([, count]) => count);
  return h("section", {}, h("p", { class: "sentence" }, `${machines.length.toLocaleString("en")} machines: ${counts.map(([answer, count]) => `${count.toLocaleString("en")} ${answer}`).join(", ")}.`));
}

// Of several machines, what has not changed is folded, and drawn when it is opened.
function machineOf(one, ids, several) {
  const name = [one.machine, one.axis && `axis ${one.axis}`].filter(Boolean).join(", ") || state.folder;
  const answer = one.answer === "changed" ? "answer none_of_these" : "answer";
  const plots = h("div", { class: "plots" }), table = h("div", {});
  const head = [h("h2", {}, breakable(name)), h("p", { class: answer }, one.answer)];
  const rest = [h("p", { class: "sentence" }, sentence(one)),
    h("p", { class: "small" }, about(one)),
    one.changes.length ? changes(one) : null, plots, table,
    one.left_out.length ? h("details", {}, h("summary", {}, `${one.left_out.length.toLocaleString("en")} left out`), h("ul", { class: "small" }, one.left_out.slice(0, SHOWN).map(({ file, reason }) => h("li", {}, breakable(file), `: ${reason}`)))) : null];
  const section = h("section", { class: "machine" }, several ? h("details", { open: one.answer === "changed", ontoggle: () => section.paint() }, h("summary", {}, head), rest) : [head, rest]);
  section.paint = () => { if (!plots.childElementCount) { curves(plots, one); rows(table, one, ids); } };
  return section;
}

// Without the answer itself, which stands above it.
const sentence = (one) => {
  const rest = one.said.startsWith(`${one.answer}: `) ? one.said.slice(one.answer.length + 2) : one.said;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
};

function about(one) {
  const dates = one.times_from.includes("last written")
    ? "Nothing says when these were recorded, so the times at which their files were last written count. Copies may be newer: a column time in labels.csv, or dates in the names, say it better."
    : `Times are from ${one.times_from}.`;
  return [dates, one.recordings && `Distances are from the first ${one.baseline_recordings} of ${one.recordings} recordings, shaded below.`, one.adjusted_for.length && `Levels were adjusted for ${one.adjusted_for.join(", ")}.`, one.severity && `Severity: ${one.severity}.`].filter(Boolean).join(" ");
}

function changes(one) {
  const head = ["What rose", "Found", "Began about", "Healthy", "Then", "Limit"];
  const row = (each) => h("tr", {}, h("th", { scope: "row" }, each.said), h("td", {}, each.found.time), h("td", {}, each.began.time), ...[each.healthy, each.level, each.limit].map((value) => h("td", { class: "number" }, `${value.toFixed(1)}${each.by === "lines" ? "" : " dB"}`)));
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, head.map((name, at) => h("th", { class: at > 2 ? "number" : "" }, name)))), h("tbody", {}, one.changes.map(row))));
}

// One below the other, over the same time, with the healthy recordings shaded and the first change marked.
function curves(place, one) {
  if (one.points.length < 2) return;
  const moments = one.points.map((point) => Date.parse(point.time.length === 10 ? point.time : `${point.time.replace(" ", "T")}Z`) / 1000);
  const dated = moments.every(Number.isFinite) && one.points.every((point) => point.time.includes("-"));
  const x = dated ? moments : one.points.map((_, at) => at + 1);
  const [change] = one.changes;
  const lines = change ? [{ hz: x[change.began.number - 1], name: "began", named: false }, { hz: x[change.found.number - 1], name: "found", named: true }] : [];
  const spans = [{ low: x[0], high: x[Math.min(one.baseline_recordings, x.length) - 1], colour: getComputedStyle(place).getPropertyValue("--line"), trait: "strong" }];
  for (const [title, value, by] of CURVES) {
    const values = one.points.map((point) => point[value] ?? null);
    if (values.every((each) => each === null)) continue;
    const plot = h("div", { class: "plot", role: "img", "aria-label": `${title} over time` });
    place.append(plot);
    const limit = by && !one.adjusted_for.length ? one.changes.find((each) => each.by === by)?.limit : undefined;
    const limited = limit !== undefined;
    draw(plot, [x, values, ...(limited ? [values.map(() => limit)] : [])], {
      height: 136, labels: [dated ? undefined : "recording", title], time: dated, utc: dated, select: false, lines, spans,
      series: [{ points: { show: x.length <= 200, size: 5 } }, ...(limited ? [{ dash: [4, 4], bad: true }] : [])],
    });
  }
}

function rows(place, one, ids) {
  if (!one.points.length) return;
  const [change] = one.changes;
  const marks = change ? { [change.found.number - 1]: "change found", [change.began.number - 1]: "began about here" } : {};
  const number = (value, digits) => (value === undefined || value === null ? "" : (Math.round(value * 10 ** digits) / 10 ** digits + 0).toFixed(digits)); // no -0.0
  const columns = [["Rise, dB", (p) => number(p.rise_db, 1)], ["Kurtosis", (p) => number(p.kurtosis, 1)], ["Crest", (p) => number(p.crest, 1)], ["Distance, dB", (p) => number(p.distance_db, 1)], ["mm/s", (p) => [number(p.velocity_mm_s, 2), p.zone].filter(Boolean).join(" ")], ["Lines", (p) => number(p.striking, 1)]]
    .filter(([, cell]) => one.points.some((point) => cell(point)));
  const last = one.points.length - 1;
  const some = one.points.map((_, at) => last - at).slice(0, view.most); // the newest first
  const row = (at) => {
    const point = one.points[at], id = ids.get(point.file);
    return h("tr", {}, h("td", {}, point.time), h("td", {}, id && recording(id) ? h("button", { class: "link", onclick: () => { choose(id); location.hash = "look"; } }, breakable(point.file)) : breakable(point.file)),
      ...columns.map(([, cell]) => h("td", { class: "number" }, cell(point))), h("td", {}, [point.answer, point.verdict].filter(Boolean).join(", "), marks[at] ? h("b", { class: "bad" }, ` ${marks[at]}`) : null));
  };
  fill(place, h("details", { open: place.querySelector("details")?.open }, h("summary", {}, "Recordings, the newest first"),
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Time"), h("th", {}, "Recording"), ...columns.map(([name]) => h("th", { class: "number" }, name)), h("th", {}, "Said"))), h("tbody", {}, some.map(row)))),
    some.length <= last ? h("button", { onclick: () => { view.most += 5 * SHOWN; rows(place, one, ids); } }, `Show more of ${(last + 1).toLocaleString("en")}`) : null));
}
