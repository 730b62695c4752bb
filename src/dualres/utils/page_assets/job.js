// One job: what it found, how its fit went, and everything the result can answer for.

function jobView(job) {
  const classes = data.pool[job.classes];
  const quick = job.studies.map((name) => studies.get(name).quick).find(Boolean);
  const [recordings, windows] = job.budget.split("x");
  const title = `${methodName(job.method)} on ${datasetName(job.dataset)}, fold ${job.fold}`;
  const back = h("a", { class: "back", href: addressWith({ job: "" }) }, "← Back to the results");
  return [
    back,
    h("h2", { class: "title", tabindex: -1 }, title, quick && h("span", { class: "tag quick" }, "quick")),
    h("p", { class: "lead" }, `${recordings} recordings × ${windows} windows labelled per class, seed ${job.seed}. `
      + `Judged on ${plural(job.judgedCount, job.judged === "validation" ? "validation recording" : "recording")}. `
      + `${job.studies.length > 1 ? "Studies" : "Study"}: ${job.studies.join(", ")}.`),
    h("div", { class: "tiles" },
      tile(`${number(job.f1)} %`, "macro-F1"),
      tile(`${number(job.accuracy)} %`, "accuracy"),
      tile(seconds(job.labelled), "labelled per class"),
      tile(String(job.judgedCount), "recordings judged"),
      tile(job.heldOut, "held-out unit"),
      job.fit == null ? tile(String(job.together), "fits done as one") : tile(`${number(job.fit, 1)} s`, "fit time")),
    h("div", { class: "pair" },
      part("Confusion", "Recordings: rows are the true class, columns the class named.", confusionTable(classes, job.confusion)),
      part("Recall per class", "The share of each class's recordings that were named right.", recallBars(classes, job))),
    part("Training loss", "", lossCurve(job)),
    h("div", { class: "pair" },
      part("Plan", "All that the result depends on; its hash is the job's key.", planFacts(job)),
      part("Provenance", "", provenance(job))),
    part("Support windows", "The only labelled signal the fit has seen.", supportWindows(job)),
    part("Input recordings", "", inputHashes(job)),
  ];
}

const tile = (value, caption) => h("div", { class: "tile" }, h("b", {}, value), h("span", {}, caption));
const part = (title, text, body) => h("section", {}, h("h2", {}, title), text && h("p", {}, text), body);
const code = (text) => h("code", {}, text);

function confusionTable(classes, counts) {
  const rows = counts.map((row, i) => {
    const all = row.reduce((sum, count) => sum + count, 0);
    return h("tr", {}, h("th", { scope: "row" }, classes[i]), row.map((count, j) => h("td", {
      class: count ? (i === j ? "hit" : "miss") : "none",
      style: `--share: ${all ? (100 * count) / all : 0}`,
      title: `${count} of ${all} ${classes[i]} named ${classes[j]}`,
    }, String(count))));
  });
  return scrolling("Confusion matrix", h("table", { class: "confusion" },
    h("thead", {}, h("tr", {}, h("td", {}), classes.map((name) => h("th", { scope: "col" }, h("span", {}, name))))),
    h("tbody", {}, rows)));
}

function recallBars(classes, job) {
  return h("ul", { class: "bars" }, classes.map((name, i) => {
    const all = job.confusion[i].reduce((sum, count) => sum + count, 0);
    return h("li", {},
      h("span", {}, name),
      h("span", { class: "bar", style: `--share: ${job.recall[i]}`, "aria-hidden": "true" }),
      h("span", { class: "value" }, all ? `${number(job.recall[i], 1)} %` : "none judged", h("small", {}, `${job.confusion[i][i]} of ${all}`)));
  }));
}

/** The loss against updates, drawn to the width there is and drawn again when that changes. */
function lossCurve(job) {
  if (!job.loss) return h("p", { class: "empty" }, "This method is fitted in one step and has no updates.");
  const updates = data.pool[job.steps];
  const spoken = `Training loss goes from ${job.loss[0]} to ${job.loss.at(-1)} nats over ${updates.at(-1)} updates`;
  const readout = h("p", { class: "readout" }, `${spoken}.`);
  const box = h("div", { class: "curve" });
  new ResizeObserver(() => box.replaceChildren(drawCurve(box.clientWidth, updates, job.loss, spoken, readout))).observe(box);
  return h("div", {}, box, readout);
}

function drawCurve(width, updates, losses, spoken, readout) {
  const height = 240, edge = { left: 40, right: 14, top: 26, bottom: 40 };
  const yTicks = ticks(Math.max(...losses), 4), xTicks = ticks(updates.at(-1), width < 480 ? 4 : 8);
  const top = Math.max(yTicks.at(-1), ...losses);
  const x = (update) => edge.left + (update / updates.at(-1)) * (width - edge.left - edge.right);
  const y = (loss) => height - edge.bottom - (loss / top) * (height - edge.top - edge.bottom);
  const dot = h("circle", { r: 4.5, class: "dot", visibility: "hidden" });
  const point = (event) => {
    const along = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const nearest = updates.reduce((best, u, i) => Math.abs(x(u) - along) < Math.abs(x(updates[best]) - along) ? i : best, 0);
    dot.setAttribute("cx", x(updates[nearest]));
    dot.setAttribute("cy", y(losses[nearest]));
    dot.setAttribute("visibility", "visible");
    readout.textContent = `Update ${updates[nearest]}: ${losses[nearest]} nats.`;
  };
  return h("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": spoken, onpointermove: point },
    yTicks.map((t) => [
      h("line", { x1: edge.left, x2: width - edge.right, y1: y(t), y2: y(t), class: "grid" }),
      h("text", { x: edge.left - 8, y: y(t) + 4, "text-anchor": "end" }, String(t))]),
    xTicks.map((t) => h("text", { x: x(t), y: height - edge.bottom + 18, "text-anchor": "middle" }, String(t))),
    h("text", { x: 0, y: 12 }, "Loss (nats)"),
    h("text", { x: (edge.left + width - edge.right) / 2, y: height - 4, "text-anchor": "middle" }, "Updates"),
    h("path", { class: "loss", d: updates.map((u, i) => `${i ? "L" : "M"}${x(u).toFixed(1)} ${y(losses[i]).toFixed(1)}`).join("") }),
    dot);
}

/** Round numbers from 0 up to at most `largest`, about `count` steps of them. */
function ticks(largest, count) {
  if (!(largest > 0)) return [0];
  const rough = largest / count, unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough);
  return Array.from({ length: Math.floor(largest / step + 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

function planFacts(job) {
  const plan = { ...data.pool[job.plan], fold: job.fold, method: job.method, seed: job.seed };
  const spoken = (name) => name.replaceAll("_", " ");
  const words = (value) => value === null ? "–" : typeof value === "object" ? listed(value) : String(value);
  return facts([
    ["key", code(job.key)],
    ...Object.keys(plan).sort().map((name) => [spoken(name), name === "fold_hash" ? code(plan[name]) : words(plan[name])]),
  ]);
}

const listed = (pairs) => Object.entries(pairs).map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`).join(", ");

function provenance(job) {
  const cost = data.pool[job.cost], machine = data.pool[job.machine];
  return facts([
    ["Device", `${machine.device}, ${plural(machine.threads, "thread")}`],
    ["System", machine.system],
    ["Versions", listed(data.pool[job.versions])],
    job.fit == null
      ? ["Time", `judging ${number(job.judge, 1)} s; ${job.together} fits were done as one, and none has a time of its own`]
      : ["Wall time", `${number(job.wall, 1)} s (fit ${number(job.fit, 1)} s, judging ${number(job.judge, 1)} s)`],
    ["Parameters", `${cost.registered.toLocaleString("en")} held, ${cost.active.toLocaleString("en")} trained`],
    ["Model file", megabytes(cost.file_bytes)],
    ["Model SHA-256", code(job.model)],
    ["Peak memory", megabytes(job.rss)],
    ["Peak memory, GPU", cost.peak_bytes == null ? null : megabytes(cost.peak_bytes)],
    ["Labelled per class", labelledText(data.pool[job.labelledBy])],
  ]);
}

/** Unique labelled seconds: one number where all classes have the same. */
function labelledText(byClass) {
  const each = Object.entries(byClass);
  if (new Set(Object.values(byClass)).size === 1) return `${seconds(each[0][1])}, the same for all ${each.length}`;
  return each.map(([name, value]) => `${name} ${seconds(value)}`).join(", ");
}

function supportWindows(job) {
  return h("div", {}, data.pool[job.support].map(([names, starts]) => facts([
    ["Windows start at", `${starts.map((start) => (start / data.rate).toFixed(3)).join(", ")} s`],
    [`of ${plural(names.length, "recording")}`, names.join(", ")],
  ], "facts tall")));
}

function inputHashes(job) {
  const inputs = data.pool[job.inputs].map((i) => data.pool[i]);
  return h("details", {},
    h("summary", {}, `${plural(inputs.length, "recording")} and the SHA-256 of their samples`),
    scrolling("Input recordings", h("table", { class: "hashes" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Recording"), h("th", { scope: "col" }, "SHA-256"))),
      h("tbody", {}, inputs.map(([name, hash]) => h("tr", {}, h("td", {}, name), h("td", {}, code(hash))))))));
}
