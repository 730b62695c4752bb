// Which view is open, what the server tells, and keys that work everywhere.
import { attempt, fill, h, listen, notice, refresh, state, tell } from "/api.js";
import { check } from "/check.js";
import { dropZone } from "/drop.js";
import { commands, fit } from "/fit.js";
import { guide } from "/guide.js";
import { judge } from "/judge.js";
import { undo } from "/label.js";
import { working } from "/bulk.js";
import { choose, nextUnlabelled, selectAll } from "/list.js";
import { look } from "/look.js";
import { loadMachine } from "/machine.js";
import { map } from "/map.js";
import { labelOf, written } from "/recordings.js";
import { results } from "/results.js";
import { trend } from "/trend.js";
import { watch } from "/watch.js";

const views = { look: ["Label", look], map: ["Map", map], check: ["Check", check], trend: ["Trend", trend], fit: ["Fit", fit], judge: ["Judge", judge], watch: ["Watch", watch] };
const place = document.getElementById("view");

function route() {
  if (state.campaign) views.results = ["Results", results];
  const first = state.campaign && !state.recordings.length ? "results" : "look";
  const name = location.hash.slice(1) in views ? location.hash.slice(1) : first;
  fill(document.getElementById("views"), Object.entries(views).map(([key, [title]]) => h("a", { href: `#${key}`, "aria-current": key === name ? "page" : undefined }, title)));
  place.replaceChildren();
  place.dataset.view = name;
  const nothing = !state.recordings.length && !["watch", "results"].includes(name);
  place.dataset.empty = String(nothing);
  if (nothing) welcome(place);
  else views[name][1](place);
  guided();
}

// The first screen of an empty folder.
function welcome(where) {
  fill(where, h("section", { class: "welcome" }, h("h2", {}, "Begin with recordings of vibration"),
    dropZone(async () => {}),
    h("p", { class: "small" }, "WAV, FLAC, CSV, NPY and MATLAB files are read, and those of several recorders. You may as well copy them into the folder and open the page anew.")));
}

const guided = () => guide(document.getElementById("guide"), place.dataset.view);

function busy() {
  const going = state.commands.filter((one) => one.state === "running");
  document.getElementById("busy").textContent = going.map((one) => `${one.title}: ${one.total ? `${one.done} of ${one.total}` : "starting"}`).join("; ");
}

function news() {
  const events = new EventSource("/api/events");
  events.addEventListener("hello", attempt(async () => { await refresh(); await commands(); busy(); }));
  events.addEventListener("folder", attempt(refresh));
  events.addEventListener("changes", attempt(async (event) => {
    const { epoch, version } = JSON.parse(event.data);
    await written(); // the answer to what is being written tells of it
    if (epoch !== state.epoch || version > state.version) await refresh();
  }));
  events.addEventListener("keys", (event) => { state.keys = JSON.parse(event.data); tell("folder"); });
  events.addEventListener("writing", (event) => { const { done, total } = JSON.parse(event.data); if (done < total) working(`Writing ${done.toLocaleString("en")} of ${total.toLocaleString("en")}`); });
  events.addEventListener("wave", () => tell("wave"));
  for (const kind of ["streams", "overview", "checks", "verdicts"]) events.addEventListener(kind, () => tell(kind));
  events.addEventListener("machine", attempt(loadMachine));
  events.addEventListener("command", (event) => {
    const one = JSON.parse(event.data);
    state.commands = [...state.commands.filter((each) => each.number !== one.number), one].sort((a, b) => a.number - b.number);
    busy();
    tell("command");
  });
  events.addEventListener("end", () => { events.close(); notice("The server has ended. Start dualres serve again."); });
  events.onerror = () => { if (events.readyState === EventSource.CLOSED) notice("The server has ended. Start dualres serve again."); };
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  const looking = place.dataset.view === "look";
  if (event.key === "Escape" && typing) return typing.blur();
  if (typing || event.altKey) return;
  if (event.ctrlKey || event.metaKey) {
    const action = { z: undo, a: looking && state.selected.size < 2 ? selectAll : null }[event.key];
    if (action) { event.preventDefault(); action(); }
    return;
  }
  if (event.key === "Escape" && state.selected.size > 1) choose(state.chosen);
  if (event.key === "n" && looking) nextUnlabelled();
  if (event.key === "/" && looking) { event.preventDefault(); document.querySelector(".filter input")?.focus(); }
  if (event.key === "u") undo();
  const label = labelOf(event.key);
  if (label) (document.querySelector(".labels")?.say || document.querySelector(".why")?.correct)?.(label);
});

window.addEventListener("hashchange", route);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", route); // plots are painted in the page's colours
await refresh().catch((error) => notice(error.message));
document.getElementById("folder").textContent = state.folder || "DualRes";
document.title = `${state.folder || "Folder"} · DualRes`;
await commands().catch(() => {});
await loadMachine().catch(() => {});
listen((what) => {
  if (what === "folder" && place.dataset.empty === "true" && state.recordings.length) route();
  else if (["folder", "command", "verdict"].includes(what)) guided();
});
route();
news();
