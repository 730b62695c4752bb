// A map of all recordings: what sounds alike lies together. Below it, what the classes have in common.
import { ask, attempt, fill, h, known, listen, recording, state } from "/api.js";
import { answered } from "/judge.js";
import { choose } from "/look.js";
import { showOverlay } from "/overlay.js";
import { drawShape, QUIET, styleOf, swatch } from "/palette.js";

const MARGIN = 18, REACH = 12; // pixels: around the points; from the pointer to what it means
const PAUSE_MS = 1500;
const view = { told: null, at: [], pointed: -1 };

export function map(place) {
  const canvas = h("canvas", { id: "map", tabindex: "0", role: "img", "aria-label": "Map of all recordings; arrow keys go from one to the next, Enter opens it" });
  const tip = h("p", { id: "tip", hidden: true }), about = h("p", { class: "small" }), legend = h("p", { class: "legend" });
  const beside = h("section", {}), curves = h("div", {});
  fill(place, h("section", {}, h("h2", {}, "All recordings"), about, legend, h("div", { class: "map" }, canvas, tip)), beside);
  fill(beside, h("h2", {}, "Classes over each other"), curves);
  const paint = () => { if (canvas.isConnected && view.told) drawMap(canvas); };
  const load = seldom(async () => {
    view.told = await ask("/api/map");
    if (!canvas.isConnected) return;
    explain(about, legend);
    paint();
    await showOverlay(curves, state.chosen);
  });
  canvas.addEventListener("mousemove", (event) => point(canvas, tip, nearest([event.offsetX, event.offsetY])));
  canvas.addEventListener("mouseleave", () => point(canvas, tip, -1));
  canvas.addEventListener("click", (event) => open(nearest([event.offsetX, event.offsetY])));
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Enter") open(view.pointed);
    if (!way) return;
    event.preventDefault();
    point(canvas, tip, next(way));
  });
  new ResizeObserver(paint).observe(canvas.parentElement);
  listen((what) => {
    if (!canvas.isConnected) return;
    if (what === "verdict") paint();
    if (["folder", "overview"].includes(what)) load();
  });
  load();
}

// Once at a time, and again a while after the last call: news come faster than thousands of places are found.
function seldom(action) {
  let going = false, again = false;
  const run = async () => {
    if (going) { again = true; return; }
    going = true;
    await attempt(action)();
    await new Promise((done) => setTimeout(done, PAUSE_MS));
    going = false;
    if (again) { again = false; run(); }
  };
  return run;
}

function explain(about, legend) {
  const { ids, by, orders, running, done, total, far } = view.told;
  const labels = [...new Set(ids.map((id) => recording(id)?.label).filter(Boolean))].sort();
  const axes = by === "classes" ? "Its axes set the labelled classes apart." : "Its axes are what differs most.";
  const more = state.recordings.length > total ? ` Of ${state.recordings.length.toLocaleString("en")} recordings, ${total.toLocaleString("en")} are shown.` : "";
  fill(about, running ? `${done.toLocaleString("en")} of ${total.toLocaleString("en")} recordings were listened to so far. ` : "",
    ids.length ? `What sounds alike lies together${orders ? ", whatever the speed of the shaft" : ""}. ${axes}${more} A click opens a recording.` : running ? "" : "There is nothing to show yet.");
  const shown = labels.map((label) => h("span", {}, swatch(styleOf(label)), label));
  const plain = ids.some((id) => !recording(id)?.label) ? [h("span", {}, swatch(QUIET), "no label")] : [];
  const ringed = far.some(Boolean) || ids.some(isNovel) ? [h("span", {}, h("i", { class: "novel" }), "unlike anything labelled")] : [];
  fill(legend, shown, plain, ringed);
}

const isNovel = (id) => known(id)?.answer === "none_of_these";

function drawMap(canvas) {
  const ratio = devicePixelRatio, { told } = view;
  const width = canvas.parentElement.clientWidth, height = Math.round(Math.min(460, Math.max(280, 0.55 * width)));
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  const span = (values) => { let low = Infinity, high = -Infinity; for (const one of values) { low = Math.min(low, one); high = Math.max(high, one); } return [low, high - low || 1]; };
  const [[left, wide], [low, tall]] = [span(told.x), span(told.y)];
  view.at = told.x.map((x, at) => [MARGIN + ((x - left) / wide) * (width - 2 * MARGIN), height - MARGIN - ((told.y[at] - low) / tall) * (height - 2 * MARGIN)]);
  const size = told.ids.length > 3000 ? 2.5 : told.ids.length > 500 ? 4 : 5.5;
  const css = getComputedStyle(document.documentElement);
  const all = [...new Set(state.recordings.map((one) => one.label).filter(Boolean))].sort();
  const labels = new Map(state.recordings.map((one) => [one.id, one.label]));
  const order = told.ids.map((_, at) => at).sort((a, b) => Boolean(labels.get(told.ids[a])) - Boolean(labels.get(told.ids[b])));
  for (const at of order) {
    const id = told.ids[at];
    drawShape(ctx, styleOf(labels.get(id), all), view.at[at], size);
    if (told.far[at] || isNovel(id)) circle(ctx, view.at[at], size + 4, css.getPropertyValue("--bad"), 1.5);
    if (id === state.chosen) circle(ctx, view.at[at], size + 7, css.getPropertyValue("--ink"), 1.5);
  }
  if (view.pointed >= 0 && view.at[view.pointed]) circle(ctx, view.at[view.pointed], size + 7, css.getPropertyValue("--accent"), 2.5);
}

function circle(ctx, [x, y], radius, colour, width) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.stroke();
}

function nearest([x, y]) {
  let best = -1, least = REACH * REACH;
  view.at.forEach(([a, b], at) => {
    const far = (a - x) ** 2 + (b - y) ** 2;
    if (far < least) [best, least] = [at, far];
  });
  return best;
}

// From the one that is pointed to, or the chosen one, on to the next that lies that way.
function next([right, down]) {
  const from = view.pointed >= 0 ? view.pointed : Math.max(view.told.ids.indexOf(state.chosen), 0);
  let best = from, least = Infinity;
  view.at.forEach(([x, y], at) => {
    const [a, b] = [x - view.at[from][0], y - view.at[from][1]];
    const along = a * right + b * down, aside = Math.abs(a * down) + Math.abs(b * right);
    if (at !== from && along > 0 && along + 2 * aside < least) [best, least] = [at, along + 2 * aside];
  });
  return best;
}

function point(canvas, tip, at) {
  if (at === view.pointed) return;
  view.pointed = at;
  const one = at >= 0 && recording(view.told.ids[at]);
  tip.hidden = !one;
  canvas.style.cursor = one ? "pointer" : "default";
  if (one) {
    const said = known(one.id);
    fill(tip, h("b", {}, one.name), h("br"), [one.label || "no label", said && `judged: ${answered(said)}`, view.told.far[at] && "unlike anything labelled"].filter(Boolean).join(" · "));
    const [x, y] = view.at[at];
    tip.style.left = `${Math.min(x + 14, canvas.clientWidth - tip.offsetWidth - 4)}px`;
    tip.style.top = `${y + 14 + tip.offsetHeight > canvas.clientHeight ? y - tip.offsetHeight - 10 : y + 14}px`;
  }
  drawMap(canvas);
}

function open(at) {
  const id = view.told?.ids[at];
  if (!id) return;
  choose(id);
  location.hash = "look";
}
