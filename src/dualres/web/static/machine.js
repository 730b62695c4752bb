// What is known of the machine: its speed, its bearing, its gear. It is kept in the folder, and used wherever it helps.
import { ask, attempt, change, fill, h, state } from "/api.js";

const NONE = { speed: "", bearing: "", orders: "", gear: "", unit: "", zones: "" };
const HINTS = {
  speed: ["Shaft speed", "1797rpm"], bearing: ["Bearing", "6205, or 8-10 elements"], orders: ["Fault orders", "outer=3.58,inner=5.42"],
  gear: ["Gear/mate teeth", "29/95"],
};
const UNITS = { "": "not known", g: "g", "m/s2": "m/s²", "mm/s2": "mm/s²" };

export const machine = () => state.machine || NONE;
export const loadMachine = async () => { state.machine = await ask("/api/machine"); };

// One after the other, so that what comes back last is what holds.
let saying = Promise.resolve();
export function sayMachine(facts) {
  const said = saying.then(async () => { state.machine = await change("/api/machine", "PUT", facts); });
  saying = said.catch(() => {});
  return said;
}

// All that is known of it, once what was just typed is known, too.
export async function settledMachine() {
  await saying;
  return machine();
}

// Fields for all of it; `then` follows a change that was understood.
export function machineFields(place, then) {
  const said = (name) => attempt(async (event) => { await sayMachine({ [name]: event.target.value.trim() }); await then(); });
  const listed = state.recordings.filter((one) => one.speed_rpm).length;
  const speed = listed === state.recordings.length && listed ? "known of all" : HINTS.speed[1];
  fill(place,
    Object.entries(HINTS).map(([name, [title, hint]]) => h("label", {}, `${title} `, h("input", { value: machine()[name], placeholder: name === "speed" ? speed : hint, "data-fact": name, onchange: said(name) }))),
    h("label", {}, "Unit of samples ", h("select", { "data-fact": "unit", onchange: said("unit") }, Object.entries(UNITS).map(([value, title]) => h("option", { value, selected: value === machine().unit }, title)))),
    h("label", {}, "ISO 20816 zones ", h("span", { class: "noted" }, h("input", { value: machine().zones, placeholder: "such as 1.1,2.2,3.3", "data-fact": "zones", onchange: said("zones") }), h("span", { class: "small" }, "limits in mm/s between A, B, C and D that the standard has for the class and mounting of this machine", machine().zones && !machine().unit ? "; name the unit, too" : ""))));
}
