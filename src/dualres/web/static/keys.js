// Keys of classes: each keeps its own, and another can be chosen.
import { attempt, h, notice } from "/api.js";
import { chooseKey, keyOf, ordered } from "/recordings.js";

export function keysOf() {
  const field = (label) => h("label", {}, h("input", {
    value: keyOf(label) || "", size: 1, maxlength: 1, "aria-label": `Key of ${label}`,
    onfocus: (event) => event.target.select(),
    oninput: attempt(async (event) => {
      const key = event.target.value.toLowerCase();
      if (!key || key === keyOf(label)) return;
      const other = ordered().find((each) => keyOf(each) === key);
      event.target.value = keyOf(label) || "";
      event.target.blur();
      await chooseKey(label, key);
      notice(`${key} is ${label} now.${other && keyOf(other) ? ` ${keyOf(other)} is ${other}.` : ""}`, true);
    }),
  }), ` ${label}`);
  const classes = ordered();
  return classes.length ? h("details", { class: "choose-keys" }, h("summary", { class: "small" }, "Choose keys"), h("div", { class: "tools" }, classes.map(field)), h("p", { class: "small" }, "A digit or a letter but j, k, n and u. A class keeps its key; two that want the same one swap.")) : null;
}
