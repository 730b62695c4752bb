// Labels: a key for each class, component and conditions in place, undo. All of it lies in labels.csv.
import { attempt, fill, h, notice, state } from "/api.js";
import { keysOf } from "/keys.js";
import { beside, choose } from "/list.js";
import { conditions, count, keyOf, ordered, recording, removePart, say, takeBack } from "/recordings.js";

const SPEEDS = ["speed", "rpm", "speed_rpm", "speed_hz", "shaft_hz"]; // columns that say the speed of the shaft
const BUTTONS = 40; // classes with a button; others are written into the field

export const shown = () => ordered().slice(0, BUTTONS);

// What was written, as it is told: "inner, load 2".
export const told = (cells) => Object.entries(cells).map(([name, text]) => (text ? (name === "label" ? text : `${name} ${text}`) : `no ${name}`)).join(", ");

export const saved = (name, cells) => notice(`${name}: ${told(cells)}`, true, ["Undo", undo]);

export function labelBar(one, { part, forgetPart }) {
  const bar = h("section", { class: "labels", "aria-label": "Label" });
  let drawn = "";
  bar.say = attempt(async (label) => {
    const marked = part();
    const next = !marked && label && bar.querySelector("[name=on]").checked ? beside(1) : null;
    const seconds = marked && { start_s: Number(marked[0].toFixed(3)), end_s: Number(marked[1].toFixed(3)) };
    const writing = say(one.id, { label }, seconds);
    if (next && next !== one.id) choose(next); // at once, so that the next key is about the next recording
    await writing;
    if (marked) forgetPart();
    saved(marked ? `${one.name}, ${seconds.start_s} to ${seconds.end_s} s` : one.name, { label });
  });
  bar.refresh = () => {
    const now = recording(one.id) || one;
    const same = JSON.stringify([now.label, now.component, now.condition, now.speed_rpm, ordered(), state.keys, conditions()]);
    if (same === drawn) return;
    const typing = drawn && bar.contains(document.activeElement) && document.activeElement.matches("input:not([type=checkbox])");
    if (typing) return document.activeElement.addEventListener("blur", () => bar.isConnected && bar.refresh(), { once: true });
    drawn = same;
    fill(bar, ...parts(bar, now));
  };
  bar.refresh();
  return bar;
}

function parts(bar, one) {
  const write = (name) => attempt(async (text) => {
    await say(one.id, { [name]: text });
    saved(one.name, { [name]: text });
  });
  const value = (name) => (name === "component" ? one.component : one.condition[name]);
  return [
    h("div", { class: "keys" },
      classButtons(bar.say, (label) => one.label === label),
      one.label && h("button", { onclick: () => bar.say("") }, "No label"),
      one.end_s !== null && h("button", { onclick: attempt(() => removePart(one.id)) }, "Remove part"),
      h("button", { onclick: undo, title: "u" }, "Undo"),
      h("label", { class: "small" }, h("input", { type: "checkbox", name: "on", checked: true }), " go on to the next")),
    h("div", { class: "tools" }, cellFields(value, write, one.speed_rpm)),
    keysOf(),
  ];
}

// A button for each class with its key, and a field for a class that nobody has used yet.
export function classButtons(choose, chosen) {
  const fresh = h("input", { placeholder: "new class", size: 10, "aria-label": "A new class", onkeydown: (event) => {
    const label = event.target.value.trim();
    if (event.key !== "Enter" || !label) return;
    event.target.value = "";
    event.target.blur();
    choose(label);
  } });
  const button = (label) => h("button", { class: chosen(label) ? "key chosen" : "key", "aria-pressed": String(chosen(label)), title: `${count(label).toLocaleString("en")} recordings`, onclick: () => choose(label) }, keyOf(label) && h("kbd", {}, keyOf(label)), ` ${label}`);
  return [shown().map(button), fresh];
}

// Component, load, speed, and whatever else the list says.
export function cellFields(value, write, rpm) {
  const columns = conditions();
  const shaft = columns.find((name) => SPEEDS.includes(name)) || "speed";
  const names = [...new Set(["component", "load", shaft, ...columns])];
  const hints = { component: "bearing 3", load: "2", [shaft]: rpm ? `${Math.round(rpm)}rpm` : shaft === "speed" ? "1797rpm" : "" };
  return names.map((name) => h("label", {}, `${name} `, h("input", {
    value: value(name) || "", placeholder: hints[name] || "", size: 7, onchange: (event) => write(name)(event.target.value.trim()),
  })));
}

export const undo = attempt(async () => {
  const { undone } = await takeBack();
  notice(undone ? "Taken back." : "There is nothing to take back.", true);
});
