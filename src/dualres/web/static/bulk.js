// Several recordings at once: one change, which one undo takes back.
import { attempt, breakable, fill, h, notice, recording, state } from "/api.js";
import { cellFields, classButtons, told, undo } from "/label.js";
import { choose } from "/list.js";
import { sayOfMany } from "/recordings.js";

const NAMED = 8; // recordings whose names are shown

export function bulk(place) {
  const ids = [...state.selected];
  const panel = h("section", { class: "labels bulk", "aria-label": "Several recordings" });
  const write = attempt(async (cells) => {
    const ending = `${ids.length.toLocaleString("en")} recordings`;
    working(`Writing ${ending} …`);
    try {
      const { written } = await sayOfMany(ids, cells);
      notice(`${written.toLocaleString("en")} recordings: ${told(cells)}`, true, ["Undo", undo]);
    } finally {
      working("");
    }
  });
  panel.say = (label) => write({ label });
  panel.refresh = () => {
    const typing = panel.contains(document.activeElement) && document.activeElement.matches("input");
    if (!typing) fill(panel, parts(panel, ids.map(recording).filter(Boolean), write));
  };
  fill(place, h("div", { class: "title" }, h("h2", {}, `${ids.length.toLocaleString("en")} recordings`), h("button", { onclick: () => choose(state.chosen) }, "Unselect")), panel, names(ids));
  panel.refresh();
}

function parts(panel, some, write) {
  const all = (value) => some.every((one) => value(one) === value(some[0])) && value(some[0]);
  const value = (name) => all((one) => (name === "component" ? one.component : one.condition[name]) || "");
  return [
    h("p", { class: "small" }, "A key or a button labels all of them."),
    h("div", { class: "keys" }, classButtons(panel.say, (label) => all((one) => one.label) === label), h("button", { onclick: () => panel.say("") }, "No label"), h("button", { onclick: undo, title: "u" }, "Undo")),
    h("div", { class: "tools" }, cellFields(value, (name) => (text) => write({ [name]: text }))),
  ];
}

function names(ids) {
  const some = ids.slice(0, NAMED).map(recording).filter(Boolean);
  const more = ids.length - some.length;
  return h("ul", { class: "small" }, some.map((one) => h("li", {}, breakable(one.name), one.label ? `: ${one.label}` : "")), more > 0 ? h("li", {}, `and ${more.toLocaleString("en")} more`) : null);
}

// What is under way, where everybody looks for it.
export function working(text) {
  document.getElementById("busy").textContent = text;
}
