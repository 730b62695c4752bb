// Labels and conditions from names of files, by a pattern: a preview of what it would write, then one change.
import { attempt, change, fill, h, notice, state } from "/api.js";
import { undo } from "/label.js";
import { choose } from "/list.js";
import { working } from "/bulk.js";
import { sayByPattern } from "/recordings.js";

const MARKS = /[_\- ]/;
const USUAL = ["label", "component", "load"];
const number = (count) => count.toLocaleString("en");
let asked = 0; // so that a preview which comes late is not shown

// A pattern to begin with: what stands between the marks of the first name.
function guess() {
  const name = (state.recordings[0]?.file || "").split("/").at(-1);
  const stem = name.replace(/\.[^.]*$/, "");
  const mark = MARKS.exec(stem)?.[0];
  if (!mark) return "{label}_{component}_{load}";
  const places = stem.split(mark).length;
  const fields = USUAL.slice(0, places).map((one) => `{${one}}`);
  return [...fields, ...(places > fields.length ? ["*"] : [])].join(mark);
}

export function byPattern() {
  const place = document.getElementById("detail");
  const some = state.selected.size > 1 ? [...state.selected] : undefined;
  const pattern = h("input", { value: guess(), size: 40, "aria-label": "Pattern", spellcheck: "false" });
  const over = h("input", { type: "checkbox" });
  const preview = h("div", { "aria-live": "polite" });
  const go = h("button", { class: "main", id: "write-pattern", disabled: true });
  const wanted = () => ({ pattern: pattern.value, over: over.checked, ...(some && { ids: some }) });
  const look = async () => {
    const mine = (asked += 1);
    go.disabled = true;
    try {
      const found = await change("/api/pattern", "POST", wanted());
      if (mine !== asked) return;
      fill(preview, shownAs(found, over.checked));
      go.disabled = !found.writes;
      go.textContent = found.writes ? `Write ${number(found.writes)} recordings` : "Nothing to write";
    } catch (error) {
      if (mine === asked) fill(preview, h("p", { class: "bad" }, error.message));
    }
  };
  let later;
  pattern.addEventListener("input", () => { clearTimeout(later); later = setTimeout(look, 200); });
  over.addEventListener("change", look);
  go.addEventListener("click", attempt(async () => {
    working("Writing labels …");
    try {
      const { written } = await sayByPattern(wanted());
      notice(`${number(written)} recordings were labelled by their names.`, true, ["Undo", undo]);
    } finally {
      working("");
    }
    choose(state.chosen);
  }));
  fill(place,
    h("div", { class: "title" }, h("h2", {}, some ? `Labels from names of ${number(some.length)} chosen recordings` : "Labels from names"), h("button", { onclick: () => choose(state.chosen) }, "Close")),
    h("p", { class: "small" }, "Write the columns in braces as they stand in the names, and a star for what does not matter: {label}_{component}_{load}_*. With a slash, folders count too."),
    h("div", { class: "tools" }, pattern, h("label", { class: "small" }, over, " also where something else is written"), go), preview);
  look();
}

function shownAs(found, over) {
  const columns = Object.keys(found.columns);
  const values = ([name, one]) => h("li", {}, h("b", {}, name), ` ${number(one.different)} different: ${Object.entries(one.values).map(([text, count]) => `${text} (${number(count)})`).join(", ")}${one.different > Object.keys(one.values).length ? " …" : ""}`);
  const cell = (row, name) => {
    const was = row.there[name];
    if (!was) return h("td", { class: "good" }, row.cells[name]);
    if (was === row.cells[name]) return h("td", {}, was);
    return h("td", { class: "bad" }, over ? [h("s", {}, was), ` ${row.cells[name]}`] : [was, h("span", { class: "small" }, ` not ${row.cells[name]}`)]);
  };
  return [
    h("p", {}, `${number(found.fitting)} of ${number(found.recordings)} names fit. ${number(found.writes)} recordings would be written.`,
      found.conflicts ? h("span", { class: "bad" }, ` In ${number(found.conflicts)} something else is written; it ${over ? "would be written over" : "stays"}.`) : null),
    found.fitting ? h("ul", { class: "small" }, Object.entries(found.columns).map(values)) : null,
    found.rows.length ? h("div", { class: "scroll" }, h("table", { class: "preview" }, h("thead", {}, h("tr", {}, ["Recording", ...columns].map((name) => h("th", {}, name)))), h("tbody", {}, found.rows.map((row) => h("tr", {}, h("td", {}, row.name), columns.map((name) => cell(row, name))))))) : null,
    found.fitting > found.rows.length ? h("p", { class: "small" }, `and ${number(found.fitting - found.rows.length)} more`) : null,
  ];
}
