// Spectra and envelopes of all classes over each other, and a recording over them.
import { ask, attempt, breakable, fill, h, recording } from "/api.js";
import { styleOf, swatch } from "/palette.js";
import { draw } from "/plots.js";

const INK = () => getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();

// The mean of every class, and over it one recording, if any. `only` names the classes that are shown.
export const showOverlay = attempt(async (place, id, only) => {
  const one = id && recording(id);
  const [told, own] = await Promise.all([ask("/api/classes"), one && !one.problem ? ask(`/api/recordings/${id}/curves`) : null]);
  if (!place.isConnected) return;
  const shown = told.classes.filter((each) => !only || only.includes(each.label));
  const curves = shown.map((each) => ({ name: `${each.label} (${each.count})`, hz: told.hz, orders: told.orders, ...each, style: styleOf(each.label) }));
  if (own && !own.problem) curves.push({ ...own, name: one.name, style: { colour: INK(), shape: "line" }, bold: true });
  if (!curves.length) return fill(place, h("p", { class: "small" }, told.running ? "Recordings are being looked at ..." : own?.problem || "Nothing is labelled yet: curves of classes appear with the first label."));
  overlay(place, curves, told.running ? `${told.done} of ${told.total} recordings were looked at so far.` : "");
});

// Curves: { name, style, bold, dash, hz, db, orders, stands_out }; marks as reasons have them.
export function overlay(place, curves, remark = "", marks = []) {
  const spectrum = h("div", { class: "plot" });
  const turning = curves.filter((each) => each.stands_out);
  const envelope = turning.length ? h("div", { class: "plot" }) : null;
  fill(place,
    h("p", { class: "legend" }, curves.map((each) => h("span", {}, each.bold || each.dash ? h("i", { class: each.dash ? "line dashed" : "line", style: undefined, "data-colour": each.style.colour }) : swatch(each.style, 5), breakable(each.name)))),
    h("h3", {}, "Spectrum"), spectrum,
    envelope ? [h("h3", {}, "Envelope, by turns of the shaft"), envelope] : h("p", { class: "small" }, "The envelope by turns of the shaft is drawn where the speed is known."),
    remark && h("p", { class: "small" }, remark));
  place.querySelectorAll("i.line").forEach((one) => { one.style.borderColor = one.dataset.colour; });
  lines(spectrum, curves, "hz", "db", ["Hz", "dB"], marks.filter((each) => each.where === "spectrum"));
  if (envelope) lines(envelope, turning, "orders", "stands_out", ["times in a turn of the shaft", "stands out by"], marks.filter((each) => each.where === "envelope" && each.axis === "orders"));
}

function lines(place, curves, axis, value, labels, spans) {
  const x = curves.map((each) => each[axis]).reduce((a, b) => (b.at(-1) > a.at(-1) ? b : a));
  const rows = curves.map((each) => (each[axis].at(-1) === x.at(-1) ? each[value] : resampled(each[axis], each[value], x)));
  const series = curves.map((each) => ({ stroke: each.style.colour, width: each.bold ? 2 : 1.25, dash: each.dash ? [6, 4] : undefined }));
  draw(place, [x, ...rows], { height: 190, labels, series, select: false, spans });
}

// A curve at other places; nothing beyond its end.
function resampled(own, values, x) {
  let at = 0;
  return x.map((where) => {
    if (where > own.at(-1)) return null;
    while (at < own.length - 2 && own[at + 1] < where) at += 1;
    const [low, high] = [values[at], values[at + 1]];
    return low === null || high === null ? low : low + (high - low) * Math.min(Math.max((where - own[at]) / (own[at + 1] - own[at]), 0), 1);
  });
}
