// The recordings of the folder, and one of them in detail: waveform, spectrum, spectrograms, envelope.
import { ask, attempt, duration, fill, h, listen, recording, state } from "/api.js";
import { bulk } from "/bulk.js";
import { labelBar } from "/label.js";
import { recordingList } from "/list.js";
import { machine, sayMachine } from "/machine.js";
import { showOverlay } from "/overlay.js";
import { draw, heat } from "/plots.js";
import { read, written } from "/recordings.js";

const view = { id: null, start: 0, end: 0, axis: 0, part: null, beside: false };
let asked = 0; // so that an answer which comes late is not drawn
let turn = 0; // of the pictures below the waveform

export function look(place) {
  const list = recordingList();
  const detail = h("article", { id: "detail" });
  fill(place, h("div", { class: "two" }, list.aside, detail));
  listen((what) => {
    if (!place.isConnected || !detail.isConnected) return;
    if (["folder", "verdict", "chosen"].includes(what)) list.redraw();
    if (what === "chosen") list.reveal();
    if (what === "chosen" || (what === "folder" && state.chosen !== view.id && state.selected.size < 2)) open(detail);
    if (what === "folder") refreshed(detail);
    if (what === "wave") drawWave();
    if (what === "overview") detail.querySelector("#beside")?.refresh();
  });
  list.redraw();
  list.reveal();
  open(detail);
}

export { choose } from "/list.js";
export const part = () => view.part;
export const forgetPart = () => setPart(null);

const facts = (one) => {
  const rounded = (number, digits) => number.toLocaleString("en", { maximumFractionDigits: digits });
  const turning = one.speed_rpm ? `, ${rounded(one.speed_rpm, 1)} rpm` : "";
  return `${duration(one.seconds)} at ${rounded(one.rate, 2)} Hz${turning}`;
};

// Asked for only when it is opened; then it is open for the next recording, too.
function besideClasses(id) {
  const curves = h("div", {});
  const whole = h("details", { id: "beside", open: view.beside, ontoggle: () => { view.beside = whole.open; whole.refresh(); } }, h("summary", {}, "Beside the classes"), curves);
  whole.refresh = () => { if (whole.open) showOverlay(curves, id); };
  return whole;
}

// What somebody has said of the recording that is shown; its lines follow its speed.
function refreshed(detail) {
  const one = recording(view.id);
  const line = document.getElementById("facts");
  detail.querySelector(".labels")?.refresh();
  if (!one || one.problem || !line || line.textContent === facts(one)) return;
  fill(line, facts(one));
  drawEnvelope();
}

// A recording whose file nobody has looked at yet.
const openOnceRead = attempt(async (detail, one) => {
  fill(detail, h("h2", {}, one.name), labelBar(one, { part, forgetPart }), h("p", { class: "small" }, "Reading ..."));
  await read(one.id);
  if (view.id === one.id && detail.isConnected) open(detail);
});

function open(detail) {
  if (state.selected.size > 1) return bulk(detail);
  const one = recording(state.chosen);
  view.id = one?.id || null;
  if (one && one.seconds === null && one.problem === null) return openOnceRead(detail, one);
  if (!one) return fill(detail, null);
  if (one.problem) return fill(detail, h("h2", {}, one.name), h("p", { class: "bad" }, one.problem));
  Object.assign(view, { start: 0, end: one.seconds, axis: Math.min(view.axis, one.axes.length - 1), part: null });
  const field = (name, hint) => h("label", {}, `${name[0].toUpperCase()}${name.slice(1)} `, h("input", {
    value: machine()[name], placeholder: hint, size: 9, onchange: attempt(async (event) => { await sayMachine({ [name]: event.target.value.trim() }); await drawEnvelope(); }),
  }));
  fill(
    detail,
    h("div", { class: "title" },
      h("h2", {}, one.name),
      h("p", { class: "small", id: "facts" }, facts(one))),
    labelBar(one, { part, forgetPart }),
    h("div", { class: "tools" },
      one.axes.length > 1 && h("label", {}, "Axis ", h("select", { onchange: (event) => { view.axis = Number(event.target.value); drawAll(); } },
        one.axes.map((name, at) => h("option", { value: at, selected: at === view.axis }, name)))),
      h("button", { id: "play", onclick: attempt(play) }, "Play"),
      h("button", { onclick: () => zoom(0.5) }, "Closer"),
      h("button", { onclick: () => zoom(2) }, "Farther"),
      h("button", { onclick: () => show(0, one.seconds) }, "Whole"),
      h("span", { id: "part", class: "small" }, "Drag over the waveform to mark a part.")),
    h("div", { id: "wave", class: "plot", tabindex: "0", role: "img", "aria-label": `Waveform of ${one.name}; arrow keys move, plus and minus zoom` }),
    h("h3", {}, "Spectrum"), h("div", { id: "spectrum", class: "plot" }),
    h("h3", {}, "Spectrogram ", h("span", { class: "small" }, "frames of 4 ms, and of 16 ms below")),
    h("div", { class: "heat" }, h("canvas", { id: "fine", role: "img", "aria-label": "Spectrogram, frames of 4 ms" }), h("canvas", { id: "coarse", role: "img", "aria-label": "Spectrogram, frames of 16 ms" }), h("p", { id: "heatscale", class: "small" })),
    h("h3", {}, "Envelope spectrum"),
    h("div", { class: "tools" }, field("speed", "1797rpm"), field("bearing", "6205"), field("gear", "29/95"), h("span", { class: "small", id: "lines" })),
    h("div", { id: "envelope", class: "plot" }),
    besideClasses(one.id),
  );
  const wave = document.getElementById("wave");
  wave.addEventListener("wheel", (event) => { event.preventDefault(); if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(Math.sign(event.deltaX || event.deltaY) * 0.1); else zoom(event.deltaY > 0 ? 1.25 : 0.8, at(event)); }, { passive: false });
  wave.addEventListener("keydown", (event) => {
    const action = { ArrowLeft: () => pan(-0.25), ArrowRight: () => pan(0.25), "+": () => zoom(0.5), "-": () => zoom(2) }[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  drawAll();
}

const address = (what) => `/api/recordings/${view.id}/${what}`;
const stretch = () => ({ start_s: view.start, end_s: view.end, axis: view.axis });

// Where in the waveform a pointer is, from 0 to 1.
function at(event) {
  const box = document.querySelector("#wave .u-over").getBoundingClientRect();
  return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
}

function zoom(factor, where = 0.5) {
  const width = view.end - view.start;
  const wanted = Math.max(width * factor, 16 / recording(view.id).rate);
  const start = view.start + (width - wanted) * where;
  show(start, start + wanted);
}

function pan(share) {
  const width = view.end - view.start;
  const most = Math.max(recording(view.id).seconds - width, 0);
  const start = Math.min(Math.max(view.start + share * width, 0), most);
  show(start, start + width);
}

let later;
function show(start, end) {
  const seconds = recording(view.id).seconds;
  Object.assign(view, { start: Math.max(start, 0), end: Math.min(end, seconds) });
  drawWave();
  clearTimeout(later);
  later = setTimeout(drawRest, 250); // the other pictures follow when the hand rests
}

// A label that is being written goes before its pictures; who goes on at once waits for none.
const drawAll = attempt(async () => {
  const mine = (asked += 1);
  turn += 1;
  clearTimeout(later);
  await written();
  if (mine !== asked) return;
  drawWave();
  later = setTimeout(drawRest, 60);
});

const drawWave = attempt(async () => {
  const place = document.getElementById("wave");
  if (!place || !view.id) return;
  const mine = (asked += 1);
  const found = await ask(address("wave"), { query: { ...stretch(), columns: Math.max(100, Math.floor(place.clientWidth)) } });
  if (mine !== asked || !place.isConnected) return;
  const count = found.low.length;
  const step = (found.end_s - found.start_s) / count;
  const x = Array.from({ length: count }, (_, i) => found.start_s + (i + 0.5) * step);
  const exactly = count < 2000 && step * recording(view.id).rate <= 1.01;
  const data = exactly ? [x, found.high] : [x, found.low, found.high];
  draw(place, data, {
    height: 200, labels: ["seconds", ""], series: exactly ? [{}] : [{ width: 0.5 }, { width: 0.5 }], bands: !exactly,
    scales: { x: { time: false, min: found.start_s, max: found.end_s } },
    hooks: { setSelect: [(plot) => { if (plot.select.width > 2) setPart([plot.posToVal(plot.select.left, "x"), plot.posToVal(plot.select.left + plot.select.width, "x")]); }] },
  });
});

function setPart(marked) {
  view.part = marked && marked.map((second) => Math.min(Math.max(second, 0), recording(view.id).seconds));
  const place = document.getElementById("part");
  if (!place) return;
  if (!view.part) return fill(place, "Drag over the waveform to mark a part.");
  const [start, end] = view.part;
  fill(place, `${start.toFixed(3)} to ${end.toFixed(3)} s marked: a key labels it. `,
    h("button", { onclick: () => show(start, end) }, "Zoom to it"), " ", h("button", { onclick: () => setPart(null) }, "Unmark"));
}

// One after the other, so that a label always finds a free connection; given up once something else is shown.
async function drawRest() {
  const mine = (turn += 1);
  for (const one of [drawSpectrum, drawHeat, drawEnvelope]) {
    await written();
    if (mine !== turn || !view.id || !document.getElementById("spectrum")) return;
    await one();
  }
}

const drawSpectrum = attempt(async () => {
  const place = document.getElementById("spectrum");
  const found = await ask(address("spectrum"), { query: stretch() });
  if (place?.isConnected) draw(place, [found.hz, found.db], { labels: ["Hz", "dB"], series: [{}], select: false });
});

const drawHeat = attempt(async () => {
  const [fine, coarse] = ["fine", "coarse"].map((id) => document.getElementById(id));
  const answer = await ask(address("spectrogram"), { query: stretch() });
  const [columns, rows, highest] = ["columns", "rows", "highest-hz"].map((name) => Number(answer.headers.get(`x-${name}`)));
  const grids = new Uint8Array(await answer.arrayBuffer());
  if (!fine?.isConnected) return;
  heat(fine, grids.subarray(0, columns * rows), columns, rows);
  heat(coarse, grids.subarray(columns * rows), columns, rows);
  document.getElementById("heatscale").textContent = `0 to ${highest.toLocaleString("en", { maximumFractionDigits: 0 })} Hz upwards, ${view.start.toFixed(2)} to ${view.end.toFixed(2)} s`;
});

const drawEnvelope = attempt(async () => {
  const place = document.getElementById("envelope");
  const { speed, bearing, gear } = machine();
  const elements = /^\d{1,2}(\s*(-|to)\s*\d{1,2})?(\s*elements)?$/.test(bearing); // its number alone draws no line
  const found = await ask(address("envelope"), { query: { ...stretch(), speed, bearing: elements ? "" : bearing, gear } });
  if (!place?.isConnected) return;
  const lines = found.lines.filter((line) => line.where === "envelope");
  const named = found.lines.filter((line) => line.named).map((line) => `${line.name} (${line.meaning})`);
  const band = `of ${found.band.low_hz.toFixed(0)} to ${found.band.high_hz.toFixed(0)} Hz`;
  document.getElementById("lines").textContent = found.lines.length ? `${band}; found: ${named.join(", ") || "no line"}` : `${band}; a speed draws fault lines`;
  draw(place, [found.hz, found.db], { labels: ["Hz", "dB"], series: [{}], select: false, lines });
});

let player;
async function play() {
  const button = document.getElementById("play");
  if (player && !player.paused) {
    player.pause();
    button.textContent = "Play";
    return;
  }
  const [start, end] = view.part || [view.start, view.end];
  player = new Audio(`${address("sound")}?${new URLSearchParams({ start_s: start, end_s: end, axis: view.axis })}`);
  player.addEventListener("ended", () => { button.textContent = "Play"; });
  await player.play();
  button.textContent = "Stop";
}
