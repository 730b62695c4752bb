// Recordings that are dropped on the page or chosen: kept in the folder, and told one by one.
import { ask, attempt, h, notice, refresh } from "/api.js";

export function dropZone(then) {
  const take = attempt((some) => dropped([...some], then));
  const field = (given) => h("input", { type: "file", hidden: true, ...given, onchange: (event) => take(event.target.files) });
  const files = field({ multiple: true }), folder = field({ webkitdirectory: true });
  const zone = h("div", { class: "drop" }, "Drop recordings here, or ", h("button", { class: "link", onclick: () => files.click() }, "choose files"), " or ", h("button", { class: "link", onclick: () => folder.click() }, "a folder"), ". They are kept in the folder, in dropped.", files, folder);
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => { event.preventDefault(); zone.classList.remove("over"); take(event.dataTransfer.files); });
  return zone;
}

async function dropped(some, then) {
  const kept = [];
  for (const file of some) {
    try {
      kept.push(await ask("/api/recordings", { method: "POST", query: { name: file.name }, body: file, raw: true }));
    } catch (error) {
      notice(`${file.name}: ${error.message}`);
    }
  }
  await refresh();
  await then(kept);
}
