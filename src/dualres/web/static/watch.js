// Streams of dualres watch: what each says now and said before, and alarms with their stated rate.
import { ask, attempt, change, fill, h, listen, percent } from "/api.js";
import { draw } from "/plots.js";

export function watch(place) {
  const list = h("div", { class: "streams" });
  fill(place, list);
  show(list);
  listen((what) => { if (list.isConnected && what === "streams") show(list); });
}

const show = attempt(async (list) => {
  const found = await ask("/api/streams");
  if (!found.length) return fill(list, h("section", {}, h("h2", {}, "No stream yet"), h("p", {}, "Verdicts of live streams appear here once they are written to the folder:"), h("pre", {}, "dualres watch models/model-1.safetensors SOURCE --to streams/gateway.jsonl")));
  const cards = found.map((one) => [one, h("div", { class: "plot" })]);
  fill(list, cards.map(([one, plot]) => card(one, plot)));
  for (const [one, plot] of cards) curve(one, plot);
});

function card(one, plot) {
  const { latest, alarm } = one;
  const raised = alarm?.raised;
  return h("section", { class: raised ? "stream alarm" : "stream" },
    h("div", { class: "title" }, h("h2", {}, one.name), h("p", { class: "small" }, latest.time ? new Date(latest.time).toLocaleString() : "")),
    h("p", { class: latest.answer === "none_of_these" ? "answer none_of_these" : "answer" }, latest.answer === "none_of_these" ? "none of these" : latest.answer === "one_of" ? `one of ${(latest.set || []).join(", ")}` : `${latest.label} ${latest.probability === null ? "" : percent(latest.probability)}`),
    raised && h("p", { class: "bad" }, `Alarm since block ${alarm.since}. `, alarm.acknowledged ? "Acknowledged." : h("button", { onclick: attempt(async () => { await change("/api/streams/acknowledge", "POST", { stream: one.name }); await show(document.querySelector(".streams")); }) }, "Acknowledge")),
    h("p", { class: "small" }, alarm ? alarm.promise || alarm.reason : "Alarms were not asked for.", latest.missing ? ` ${latest.missing} samples are missing.` : ""),
    plot);
}

function curve(one, place) {
  const times = one.points.map((point, at) => (point.time ? Date.parse(point.time) / 1000 : at));
  const evidence = one.points.some((point) => point.evidence !== null);
  const values = one.points.map((point) => (evidence ? point.evidence : point.probability));
  if (times.length < 2) return;
  const threshold = evidence && one.alarm ? times.map(() => one.alarm.threshold) : null;
  draw(place, threshold ? [times, values, threshold] : [times, values], {
    height: 120, labels: ["", evidence ? "evidence" : "probability"], time: true, select: false,
    series: [{ width: 1.5 }, ...(threshold ? [{ dash: [4, 4], width: 1, bad: true }] : [])],
  });
}
