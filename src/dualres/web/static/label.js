// Labels: keys 1 to 9, component and conditions in place, undo. All of it lies in labels.csv.
import { ask, attempt, change, classes, fill, h, notice, recording, refresh, say, state } from "/api.js";

const SPEEDS = ["speed", "rpm", "speed_rpm", "speed_hz", "shaft_hz"]; // columns that say the speed of the shaft
let added = []; // classes that nobody has used yet

export const shown = () => [...new Set([...classes(), ...added])].slice(0, 9);

export function labelBar(one, { part, forgetPart, move }) {
  const bar = h("section", { class: "labels", "aria-label": "Label" });
  bar.say = attempt(async (label) => {
    const marked = part();
    await say(one.id, { label }, marked && { start_s: Number(marked[0].toFixed(3)), end_s: Number(marked[1].toFixed(3)) });
    forgetPart();
    notice(`${one.name}: ${label || "no label"}`, true);
    if (!marked && label && bar.querySelector("[name=on]").checked) move(1);
  });
  bar.refresh = () => fill(bar, ...parts(bar, recording(one.id) || one));
  bar.refresh();
  return bar;
}

function parts(bar, one) {
  const names = shown();
  const cell = (name, value, hint) => h("label", {}, `${name} `, h("input", {
    value: value || "", placeholder: hint, size: 7,
    onchange: attempt((event) => say(one.id, { [name]: event.target.value.trim() })),
  }));
  const conditions = [...new Set(state.recordings.flatMap((each) => Object.keys(each.condition)))];
  const columns = conditions.length ? conditions : ["load"];
  const shaft = columns.some((name) => SPEEDS.includes(name)) ? columns : [...columns, "speed"];
  const hint = (name) => (SPEEDS.includes(name) && one.speed_rpm ? `${Math.round(one.speed_rpm)}rpm` : name === "speed" ? "1797rpm" : "");
  const fresh = h("input", { placeholder: "new class", size: 10, "aria-label": "A new class", onkeydown: (event) => {
    const label = event.target.value.trim();
    if (event.key !== "Enter" || !label) return;
    added = [...added, label];
    bar.say(label);
  } });
  return [
    h("div", { class: "keys" },
      names.map((label, at) => h("button", { class: one.label === label ? "key chosen" : "key", "aria-pressed": String(one.label === label), onclick: () => bar.say(label) }, h("kbd", {}, String(at + 1)), ` ${label}`)),
      fresh,
      one.label && h("button", { onclick: () => bar.say("") }, "No label"),
      one.end_s !== null && h("button", { onclick: attempt(async () => { await change(`/api/recordings/${one.id}/part`, "DELETE"); await refresh(); }) }, "Remove part"),
      h("button", { onclick: undo, title: "Ctrl Z" }, "Undo"),
      h("label", { class: "small" }, h("input", { type: "checkbox", name: "on", checked: true }), " go on to the next")),
    h("div", { class: "tools" }, cell("component", one.component, "bearing 3"), shaft.map((name) => cell(name, one.condition[name], hint(name)))),
  ];
}

export const undo = attempt(async () => {
  const { undone } = await ask("/api/undo", { method: "POST" });
  await refresh();
  notice(undone ? "Taken back." : "There is nothing to take back.", true);
});
