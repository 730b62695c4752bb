"use strict";

// What every part of the page uses: the data, the address, elements, words.

const data = JSON.parse(document.getElementById("data").textContent);
const studies = new Map(data.studies.map((study) => [study.name, study]));
const METRICS = { f1: "Macro-F1", accuracy: "Accuracy" };
const MISSING_TEXT = "not run";

/** An element with attributes (`onclick` and the like are listeners) and children; text is never read as HTML. */
function h(tag, attributes = {}, ...children) {
  const made = tag === "svg" || h.svg.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child != null && child !== false && child !== ""));
  return made;
}
h.svg = new Set(["path", "line", "text", "circle", "g"]);

/** The address is the page's only memory, so that every view can be linked to and the back button works. */
const address = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

function addressWith(changes) {
  const next = { ...address(), ...changes };
  const kept = Object.entries(next).filter(([, value]) => value);
  return "#" + new URLSearchParams(kept).toString().replaceAll("%2C", ",");
}

const studyName = (name) => name[0].toUpperCase() + name.slice(1);
const methodName = (name) => data.methods[name] ?? name;
const datasetName = (name) => data.datasets[name] ?? name;
const budgetName = (text) => text.replace("x", " × ");
const number = (value, digits = 2) => value.toFixed(digits);
const seconds = (value) => `${Number(value.toFixed(3))} s`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`;
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** Mean and sample SD in percent; n counts seeds. */
function meanText([mean, sd], n) {
  return `${number(mean)}${sd == null ? "" : ` ± ${number(sd)}`} %, n = ${n}`;
}

/** A list of names and values; values may be elements. */
function facts(pairs, className = "facts") {
  return h("dl", { class: className }, pairs.filter(([, value]) => value != null && value !== "").map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** A box in which something wide scrolls; the keyboard can scroll it, too. */
function scrolling(label, child) {
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, child);
}
