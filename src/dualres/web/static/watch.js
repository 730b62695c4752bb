// Streams of dualres watch: what each says now and said before, and alarms with their stated rate.
import { ask, attempt, change, fill, h, listen, percent } from "/api.js";
import { styleOf } from "/palette.js";
import { draw } from "/plots.js";

export function watch(place) {
  const list = h("div", { class: "streams" });
  fill(place, list);
  show(list);
  listen((what) => { if (list.isConnected && what === "streams") show(list); });
}

const show = attempt(async (list) => {
  const found = await ask("/api/streams");
  if (!found.length) return fill(list, h("section", {}, h("h2", {}, "No stream yet"), h("p", {}, "A gateway that watches a machine writes its verdicts to the folder streams; they appear here as they come. How to start one is told in the guide to live streams that came with DualRes.")));
  const cards = found.map((one) => [one, h("div", { class: "plot" }), h("div", { class: "plot" })]);
  fill(list, cards.map(([one, ...plots]) => card(one, plots)));
  for (const [one, names, evidence] of cards) { said(one, names); proof(one, evidence); }
});

function card(one, plots) {
  const { latest, alarm } = one;
  const raised = alarm?.raised;
  return h("section", { class: raised ? "stream alarm" : "stream" },
    h("div", { class: "title" }, h("h2", {}, one.name), h("p", { class: "small" }, latest.time ? new Date(latest.time).toLocaleString() : "")),
    h("p", { class: latest.answer === "none_of_these" ? "answer none_of_these" : "answer" }, latest.answer === "none_of_these" ? "none of these" : latest.answer === "one_of" ? `one of ${(latest.set || []).join(", ")}` : `${latest.label} ${latest.probability === null ? "" : percent(latest.probability)}`),
    raised && h("p", { class: "bad" }, `Alarm since block ${alarm.since}. `, alarm.acknowledged ? "Acknowledged." : h("button", { onclick: attempt(async () => { await change("/api/streams/acknowledge", "POST", { stream: one.name }); await show(document.querySelector(".streams")); }) }, "Acknowledge")),
    h("p", { class: "small" }, alarm ? alarm.promise || alarm.reason : "Alarms were not asked for.", latest.missing ? ` ${latest.missing} samples are missing.` : ""),
    plots);
}

const NOTHING = "none of these";
const times = (one) => one.points.map((point, at) => (point.time ? Date.parse(point.time) / 1000 : at));

// Which class each verdict named, over time; larger where it was surer.
function said(one, place) {
  if (one.points.length < 2) return place.remove();
  const name = (point) => (point.answer === "none_of_these" ? NOTHING : point.label);
  const labels = [...new Set(one.points.map(name))].sort((a, b) => (a === NOTHING) - (b === NOTHING) || a.localeCompare(b));
  place.setAttribute("aria-label", `Verdicts over time: ${labels.join(", ")}`);
  place.setAttribute("role", "img");
  const x = times(one), rows = one.points.map((point) => labels.indexOf(name(point)));
  draw(place, [x, rows, ...labels.map((label, at) => rows.map((row) => (row === at ? row : null)))], {
    height: 62 + 24 * labels.length, labels: ["", ""], names: labels, time: one.points.every((point) => point.time), select: false,
    scales: { y: { range: [-0.6, labels.length - 0.4] } },
    series: [{ width: 1, stroke: "#8a96a0", paths: uPlot.paths.stepped({ align: 1 }) },
      ...labels.map((label) => ({ stroke: label === NOTHING ? undefined : styleOf(label, labels).colour, bad: label === NOTHING, paths: () => null, points: { show: true, size: 7, fill: label === NOTHING ? undefined : styleOf(label, labels).colour } }))],
  });
}

// The evidence of an alarm, and the line that it must pass.
function proof(one, place) {
  const values = one.points.map((point) => point.evidence);
  if (values.length < 2 || !one.alarm || values.every((value) => value === null)) return place.remove();
  draw(place, [times(one), values, values.map(() => one.alarm.threshold)], {
    height: 110, labels: ["", "evidence"], time: one.points.every((point) => point.time), select: false,
    series: [{ width: 1.5 }, { dash: [4, 4], width: 1, bad: true }],
  });
}
