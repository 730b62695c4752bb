// What to expect of a model, by what is new to it: a row for each question, the hardest first.
import { h } from "/api.js";

export function questions(model) {
  if (!model.questions.length) return null;
  const row = (one) => h("tr", {}, h("th", { scope: "row" }, one.question), h("td", { class: "number" }, one.macro_f1 === undefined ? "not known" : `${(100 * one.macro_f1).toFixed(1)} %`), h("td", {}, one.sure));
  const head = ["What is new to it", "Macro-F1", "How sure, or what would tell"].map((name, at) => h("th", { class: at === 1 ? "number" : "" }, name));
  return h("div", { class: "scroll" }, h("table", { class: "questions" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, model.questions.map(row))));
}
