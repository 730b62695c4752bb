// The recordings of the folder: found by words and labels, chosen one by one or several at once.
import { duration, fill, h, known, state, tell } from "/api.js";
import { answered } from "/judge.js";
import { byPattern } from "/pattern.js";
import { classes, count } from "/recordings.js";
import { rowsOf } from "/rows.js";

const NONE = "\u0000none"; // no label can be that
const TAIL = 14; // characters at the end of a name that are always seen
const filter = { words: "", label: null };
let shown = []; // the recordings that pass the filter
let anchor = null; // where a choice of several began

export function recordingList() {
  const words = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter by name, label or condition", title: "/", value: filter.words });
  const which = h("select", { "aria-label": "Which labels" });
  const left = h("p", { class: "left", role: "status" });
  const rows = rowsOf({ id: "list", name: "Recordings", height: 52, several: true, draw, same, selected, pick, empty: () => (state.recordings.length ? "Nothing matches." : "There are no recordings in this folder yet. Drop some under Judge, or copy files into it.") });
  const all = h("button", { class: "link", onclick: selectAll });
  const links = h("p", { class: "small" });
  const aside = h("aside", {}, h("div", { class: "filter" }, words, which), left, rows.list, h("p", { class: "under" }, all, h("button", { class: "link", onclick: byPattern }, "Labels from names …")), links);

  const filtered = () => {
    filter.words = words.value;
    filter.label = which.value === "" ? null : which.value;
    redraw();
  };
  words.addEventListener("input", filtered);
  which.addEventListener("change", filtered);
  rows.list.addEventListener("keydown", (event) => keys(event, rows.page));

  function redraw() {
    shown = passing();
    const labels = [["", `All ${number(state.recordings.length)}`], [NONE, `No label, ${number(count(""))}`], ...classes().map((label) => [label, `${label}, ${number(count(label))}`])];
    const texts = labels.map((each) => each[1]).join("\n");
    if (which.texts !== texts) {
      which.texts = texts;
      fill(which, labels.map(([value, text]) => h("option", { value, selected: value === (filter.label ?? "") }, text)));
    }
    showLeft(left);
    all.textContent = state.selected.size > 1 ? `Unselect ${number(state.selected.size)}` : `Select all ${number(shown.length)}`;
    all.hidden = shown.length < 2 && state.selected.size < 2;
    links.textContent = state.links ? `${number(state.links)} of these ${state.links === 1 ? "is a link" : "are links"} of yours to files elsewhere.` : "";
    links.hidden = !state.links;
    rows.show(shown);
  }
  return { aside, redraw, reveal: () => rows.reveal(state.chosen) };
}

function passing() {
  const wanted = filter.words.toLowerCase().trim();
  if (!wanted && filter.label === null) return state.recordings;
  return state.recordings.filter((one) => (filter.label === null || (one.label || NONE) === filter.label) && one.words.includes(wanted));
}

const number = (count) => count.toLocaleString("en");

function showLeft(place) {
  const open = count("");
  const whole = state.recordings.length;
  fill(place, h("progress", { value: whole - open, max: Math.max(whole, 1), "aria-label": "Labelled" }),
    h("span", {}, open ? `${number(open)} of ${number(whole)} left to label` : whole ? "Everything has a label" : ""),
    open ? h("button", { class: "link", onclick: nextUnlabelled, title: "n" }, "Next one") : null);
}

// The end of a name tells recordings apart: what does not fit is left out before it.
function shortened(name) {
  return [h("span", {}, name.slice(0, -TAIL)), h("span", {}, name.slice(-TAIL))];
}

function draw(one) {
  const facts = [duration(one.seconds), one.component, ...Object.entries(one.condition).map(([name, value]) => `${name} ${value}`)].filter(Boolean).join(" · ");
  const said = known(one.id);
  return [
    h("span", { class: "name", title: one.problem || one.name }, shortened(one.name)),
    h("span", { class: one.label ? "label" : "label none", title: one.label || undefined }, one.problem ? "cannot be read" : one.label || "no label"),
    h("span", { class: "small", title: facts }, facts),
    h("span", { class: "small verdict" }, said ? answered(said) : ""),
  ];
}

const same = (one) => `${one.label} ${one.seconds} ${one.problem} ${one.words} ${known(one.id) ? answered(known(one.id)) : ""}`;
const selected = (one) => [one.id === state.chosen && "chosen", state.selected.has(one.id) && "several"].filter(Boolean).join(" ");

export function choose(id) {
  state.chosen = id;
  state.selected.clear();
  anchor = id;
  tell("chosen");
}

function pick(one, event) {
  if (event.shiftKey) return extend(one.id);
  if (!event.ctrlKey && !event.metaKey) return choose(one.id);
  if (!state.selected.size && state.chosen) state.selected.add(state.chosen);
  if (state.selected.has(one.id) && state.selected.size > 1) state.selected.delete(one.id);
  else state.selected.add(one.id);
  state.chosen = anchor = state.selected.has(one.id) ? one.id : [...state.selected][0];
  tell("chosen");
}

// From where the choice began to here.
function extend(id) {
  const place = (one) => shown.findIndex((each) => each.id === one);
  const [from, to] = [place(anchor ?? state.chosen), place(id)].sort((a, b) => a - b);
  if (from < 0) return choose(id);
  anchor ??= state.chosen;
  state.selected = new Set(shown.slice(from, to + 1).map((one) => one.id));
  state.chosen = id;
  tell("chosen");
}

export function selectAll() {
  if (state.selected.size > 1) return choose(state.chosen);
  state.selected = new Set(shown.filter((one) => !one.problem).map((one) => one.id));
  tell("chosen");
}

// The one so many rows further down the list; of those that pass the filter.
export function beside(step) {
  const at = shown.findIndex((one) => one.id === state.chosen);
  return shown[Math.min(Math.max(at + step, 0), shown.length - 1)]?.id;
}

export function move(step, further = false) {
  const next = beside(step);
  if (!next || next === state.chosen) return;
  if (further) extend(next);
  else choose(next);
}

export function nextUnlabelled() {
  const at = state.recordings.findIndex((one) => one.id === state.chosen);
  const open = (one) => !one.label && !one.problem && one.id !== state.chosen;
  const next = state.recordings.slice(at + 1).find(open) || state.recordings.find(open);
  if (next) choose(next.id);
}

function keys(event, page) {
  const far = state.recordings.length;
  const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: page, PageUp: -page, Home: -far, End: far }[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  move(step, event.shiftKey);
}
