// A first verdict without any label and without a model: by the speed and the geometry of the machine alone.
import { ask, attempt, breakable, change, fill, h, listen, notice, recording, say, state } from "/api.js";
import { choose } from "/look.js";
import { loadMachine, machine, machineFields, settledMachine } from "/machine.js";
import { draw } from "/plots.js";

const SHOWN = 200; // rows at a time
const view = { told: null, chosen: null, most: SHOWN };

export function check(place) {
  const fields = h("div", { class: "form" }), work = h("p", { class: "small" }), table = h("div", {}), picture = h("section", { class: "why", hidden: true });
  const start = attempt(async () => { view.told = await change("/api/checks", "POST", await settledMachine()); show(table, work); });
  fill(place,
    h("div", { class: "two check" },
      h("div", {},
        h("section", {},
          h("h2", {}, "Check"),
          h("p", {}, "No label is needed, and no model: what turns, and how fast, says where faults must show. Name what you know of the machine; each field may stay empty."),
          fields,
          h("p", { class: "tools" }, h("button", { class: "main", id: "check-all", onclick: start }, "Check all"), work)),
        table),
      picture));
  const load = attempt(async () => {
    await loadMachine();
    machineFields(fields, async () => { if (view.told?.total) await start(); });
    view.told = await ask("/api/checks");
    show(table, work);
    if (view.chosen && recording(view.chosen)) showOne(picture, view.chosen);
  });
  place.pick = (id) => { view.chosen = id; show(table, work); showOne(picture, id); };
  listen((what) => {
    if (!table.isConnected) return;
    if (what === "checks") attempt(async () => { view.told = await ask("/api/checks"); show(table, work); })();
    if (what === "folder") show(table, work);
  });
  load();
}

const seen = (row) => (row.named ? "found" : ["", "cannot tell"].includes(row.answer) ? "unknown" : "");

function show(place, work) {
  const { told } = view;
  const counts = [...new Set(told.rows.map((row) => row.answer))].map((answer) => `${answer || "not checked"} ${told.rows.filter((row) => row.answer === answer).length}`);
  work.textContent = told.running ? `${told.done} of ${told.total} checked` : told.total ? counts.join(", ") : "";
  if (!told.rows.length) return fill(place);
  const isNumber = (value) => value !== null && value !== undefined;
  const velocity = told.rows.some((row) => isNumber(row.velocity_mm_s));
  const heads = ["Answer", "Recording", "p", "rpm", ...(velocity ? [told.facts.zones ? "mm/s, zone" : "mm/s"] : [])];
  const rows = told.rows.slice(0, view.most).map((row) => {
    const one = recording(row.id);
    if (!one) return null;
    const pick = () => place.closest("main").pick(row.id);
    return h("tr", { "aria-selected": String(row.id === view.chosen), tabindex: "0", onclick: pick, onkeydown: (event) => { if (event.key === "Enter") pick(); } },
      h("td", { class: seen(row) }, row.said, row.reason && row.answer !== "cannot tell" ? h("span", { class: "small" }, ` ${row.reason}`) : null),
      h("td", {}, breakable(one.name), one.label ? h("span", { class: "small" }, ` ${one.label}`) : null),
      h("td", { class: "number" }, row.named ? row.p.toPrecision(2) : ""),
      h("td", { class: "number" }, row.speed_rpm ? row.speed_rpm.toFixed(0) : ""),
      velocity ? h("td", { class: "number" }, isNumber(row.velocity_mm_s) ? [row.velocity_mm_s.toPrecision(3), row.zone].filter(Boolean).join(" ") : "") : null);
  });
  const more = told.rows.length > view.most && h("button", { onclick: () => { view.most += 5 * SHOWN; show(place, work); } }, `Show more of ${told.rows.length.toLocaleString("en")}`);
  fill(place, h("div", { class: "scroll" }, h("table", { class: "verdicts judged" }, h("thead", {}, h("tr", {}, ...heads.map((name, at) => h("th", { class: at > 1 ? "number" : "" }, name)))), h("tbody", {}, rows))), more);
}

const showOne = attempt(async (place, id) => {
  const one = recording(id);
  const found = await ask(`/api/recordings/${id}/check`, { query: machine() });
  if (view.chosen !== id || !place.isConnected) return;
  place.hidden = false;
  const envelope = h("div", { class: "plot" }), signal = h("div", { class: "plot" });
  const best = found.findings[0];
  const name = best?.named ? best.name : null;
  const label = name && one.label !== name ? h("button", { id: "take", onclick: attempt(async () => { await say(id, { label: name }); notice(`${one.name}: ${name}`, true); showOne(place, id); }) }, `Label it ${name}`) : null;
  fill(place, h("h2", {}, breakable(one.name)),
    h("p", { class: best?.named ? "answer none_of_these" : "answer" }, found.said),
    best?.named ? h("p", { class: "small" }, `p ${found.p.toPrecision(2)}, over everything that was looked for. ${words(best)}`) : found.reason ? null : h("p", { class: "small" }, "Nothing found does not say that the machine is healthy."),
    h("p", { class: "small" }, [found.curves && `The shaft turns at ${found.curves.rpm.toFixed(0)} rpm, ${found.speed_source}.`, found.velocity_mm_s !== undefined && `Velocity ${found.velocity_mm_s.toPrecision(3)} mm/s rms from 10 to 1,000 Hz${found.zone ? `, zone ${found.zone} by the limits given` : ""}.`].filter(Boolean).join(" ")),
    h("p", { class: "tools" }, label, h("button", { onclick: () => { choose(id); location.hash = "look"; } }, "Look at it")),
    found.curves ? [h("h3", {}, "Envelope of all bands"), envelope, h("h3", {}, "Signal"), signal,
      h("p", { class: "small" }, "How far each order stands out of the noise, in standard deviations. An order is how often something comes in a turn of the shaft.")] : null,
    parts(found));
  if (!found.curves) return;
  const { orders, envelope: over, signal: of } = found.curves;
  const labels = ["times in a turn of the shaft", ""];
  draw(envelope, [orders, over], { height: 220, labels, series: [{}], select: false, lines: marks(found, (part) => part.order !== null) });
  draw(signal, [orders, of], { labels, series: [{}], select: false, height: 130, lines: marks(found, (part) => part.order === null && part.named) });
});

const words = (part) => `It shows ${part.lines.slice(0, 3).map((line) => `${line.order.toFixed(2)}`).join(", ")} times in a turn.`;

function marks(found, wanted) {
  return found.findings.filter(wanted).flatMap((part) => part.lines.map((line, at) => {
    const first = part.order === null ? at === 0 : Math.abs(line.order - part.order * (part.factor || 1)) < 1e-6;
    return { hz: line.order, name: first ? part.name.replace(" race", "").replace("rolling ", "") : "", named: part.named };
  }));
}

function parts(found) {
  if (!found.findings.length) return null;
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ...["Looked for", "p", "Stands out by"].map((name, at) => h("th", { class: at ? "number" : "" }, name)))),
    h("tbody", {}, found.findings.map((part) => h("tr", {}, h("td", { class: part.named ? "found" : "" }, part.name), h("td", { class: "number" }, part.adjusted.toPrecision(2)), h("td", { class: "number" }, part.score.toFixed(1)))))));
}
