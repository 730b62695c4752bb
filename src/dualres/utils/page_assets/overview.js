// The overview: for each study a matrix of methods against datasets and budgets, and the jobs behind it.

const tip = document.getElementById("tip");

const seedsText = (seeds) => `${seeds.length > 1 ? "seeds" : "seed"} ${seeds.join(", ")}`;

/** The lines that say what a matrix cell rests on. */
function cellFacts(cell) {
  const ran = cell.f1 != null;
  return [
    ["Macro-F1", ran ? meanText(cell.f1, cell.seeds.length) : null],
    ["Accuracy", ran ? meanText(cell.accuracy, cell.seeds.length) : null],
    ["In the paper", cell.paper && `${cell.paper.values.map(([metric, text]) => `${METRICS[metric]} ${text} %`).join(", ")} `
      + `(${seedsText(cell.paper.seeds)}). ${cell.paper.folds}`],
    ["Seeds", ran ? cell.seeds.join(", ") : null],
    ["Folds", cell.folds.join(", ")],
    ["Held out", cell.heldOut],
    ["Labelled", cell.labelled == null ? null : `${seconds(cell.labelled)} per class`],
    ["Jobs", cell.done === 0 ? `${MISSING_TEXT} (${cell.planned} planned)` : `${cell.done} of ${cell.planned} finished`],
  ];
}

/** Show what a cell rests on beside it, within the window. */
function showTip(button, title, cell) {
  tip.replaceChildren(h("strong", {}, title), facts(cellFacts(cell)));
  tip.hidden = false;
  const at = button.getBoundingClientRect();
  const left = Math.min(Math.max(8, at.left + at.width / 2 - tip.offsetWidth / 2), innerWidth - tip.offsetWidth - 8);
  const below = at.bottom + 8 + tip.offsetHeight < innerHeight;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${below ? at.bottom + 8 : Math.max(8, at.top - tip.offsetHeight - 8)}px`;
}

const hideTip = () => { tip.hidden = true; };

function matrix(study, chosen) {
  const columns = study.columns
    .map((column, index) => ({ ...column, index }))
    .filter((c) => (!chosen.dataset || c.dataset === chosen.dataset) && (!chosen.budget || c.budget === chosen.budget));
  const seed = chosen.seed ? Number(chosen.seed) : null;
  const cells = new Map(study.cells.filter((c) => c.seed === seed).map((c) => [`${c.column} ${c.method}`, c]));
  const present = new Set(columns.filter((c) => study.cells.some((x) => x.column === c.index && x.done)).map((c) => c.dataset));
  const shown = columns.filter((c) => present.has(c.dataset));
  const absent = [...new Set(columns.map((c) => c.dataset))].filter((name) => !present.has(name));
  const methods = Object.keys(data.methods).filter((method) =>
    (!chosen.method || method === chosen.method) && shown.some((c) => cells.has(`${c.index} ${method}`)));
  const metric = chosen.metric === "accuracy" ? "accuracy" : "f1";
  const panel = h("div", { class: "panel", "aria-live": "polite" });
  const table = h("table", { class: "matrix" },
    h("caption", { class: "unseen" }, `${METRICS[metric]} in percent, ${study.name} study`),
    matrixHead(shown),
    h("tbody", {}, methods.map((method) => h("tr", {},
      h("th", { scope: "row" }, methodName(method)),
      shown.map((column, i) => matrixCell({
        study, column, method, metric, panel,
        cell: cells.get(`${column.index} ${method}`),
        best: bestOf(shown[i], methods, cells, metric),
        first: i > 0 && shown[i - 1].dataset !== column.dataset,
      }))))));
  const visible = methods.flatMap((method) => shown.map((c) => cells.get(`${c.index} ${method}`))).filter((c) => c?.f1);
  const marked = visible.some((c) => c.done < c.planned);
  const uneven = new Set(visible.map((c) => c.seeds.join())).size > 1;
  const further = [...new Set(study.cells.filter((c) => c.seed != null && c.done).map((c) => c.seed))]
    .filter((s) => !study.seeds.includes(s)).sort((a, b) => a - b);
  return h("section", { "data-study": study.name },
    h("h2", {}, studyName(study.name), study.quick && h("span", { class: "tag quick" }, "quick")),
    h("p", {}, study.question),
    methods.length ? scrolling(`Overview of the ${study.name} study`, table) : h("p", { class: "empty" }, "No job of this choice was run."),
    h("p", { class: "note" }, [
      `${METRICS[metric]} in percent: per seed the mean over folds, then mean ± sample SD over seeds; best of a column in bold. `
        + "Budgets are recordings per class × windows of each.",
      seed == null && further.length > 0
        && `Of the study's own ${seedsText(study.seeds)}, as in its tables; ${seedsText(further)} also ran: choose one to see it.`,
      marked && "An asterisk marks cells with jobs still missing.",
      uneven && "Not every cell has the same seeds; choose one to compare like with like.",
      absent.length && `Not run: ${absent.map(datasetName).join(", ")}.`,
      `${study.done} of ${study.planned} planned jobs are finished${study.devices && `, on ${study.devices}`}.`,
    ].filter(Boolean).join(" ")),
    panel);
}

function matrixHead(columns) {
  const groups = [];
  for (const column of columns) {
    if (groups.at(-1)?.dataset === column.dataset) groups.at(-1).span += 1;
    else groups.push({ dataset: column.dataset, span: 1 });
  }
  const setting = (c) => c.training ?? budgetName(c.budget);
  return h("thead", {},
    h("tr", {}, h("td", {}), groups.map((g, i) =>
      h("th", { scope: "colgroup", colspan: g.span, class: `${i ? "first" : ""} ${g.span > 1 ? "group" : ""}`.trim() }, h("span", {}, datasetName(g.dataset))))),
    h("tr", {}, h("td", {}), columns.map((c, i) =>
      h("th", { scope: "col", class: i && columns[i - 1].dataset !== c.dataset ? "first" : null }, setting(c)))));
}

/** The best mean of a column among the cells that are complete; none where only one method was run. */
function bestOf(column, methods, cells, metric) {
  const whole = methods.map((m) => cells.get(`${column.index} ${m}`)).filter((c) => c?.[metric] && c.done === c.planned);
  return whole.length > 1 ? Math.max(...whole.map((c) => c[metric][0])) : Infinity;
}

function matrixCell({ study, column, method, metric, cell, best, first, panel }) {
  const edge = first ? "first" : null;
  if (!cell) return h("td", { class: edge }, h("span", { class: "blank", title: "not part of this study" }, "–"));
  const setting = column.training == null ? "" : `, ${column.training}`;
  const title = `${methodName(method)}, ${datasetName(column.dataset)}, ${budgetName(column.budget)}${setting}`;
  const value = cell[metric];
  const show = (event) => showTip(event.currentTarget, title, cell);
  const button = h("button", {
    type: "button",
    class: ["cell", value ? "" : "missing", value && value[0] >= best ? "best" : ""].join(" ").trim(),
    style: value ? `--share: ${value[0]}` : null,
    "aria-describedby": "tip",
    "data-cell": `${column.dataset} ${column.budget} ${method}`,
    onmouseenter: show, onfocus: show, onmouseleave: hideTip, onblur: hideTip,
    onclick: () => {
      const opening = panel.dataset.of !== button.dataset.cell + (column.training ?? "");
      panel.dataset.of = opening ? button.dataset.cell + (column.training ?? "") : "";
      panel.replaceChildren(...(opening ? cellPanel(study, title, cell, column) : []));
      for (const other of panel.parentElement.querySelectorAll(".cell")) other.removeAttribute("data-open");
      if (opening) button.setAttribute("data-open", "");
      hideTip();
    },
  }, value
    ? [h("span", {}, number(value[0]), cell.done < cell.planned && "*"), value[1] != null && h("small", {}, `± ${number(value[1])}`)]
    : cell.done ? `${cell.done} of ${cell.planned} jobs` : MISSING_TEXT);
  return h("td", { class: edge }, button);
}

/** What a cell rests on, and its jobs, below the matrix. */
function cellPanel(study, title, cell, column) {
  const behind = data.jobs.filter((job) =>
    job.studies.includes(study.name) && job.method === cell.method && job.dataset === column.dataset
    && job.budget === column.budget && (column.training == null || job.training === column.training)
    && cell.asked.includes(job.seed));
  return [
    h("h3", {}, title, study.quick && h("span", { class: "tag quick" }, "quick")),
    facts(cellFacts(cell), "facts wide"),
    behind.length ? scrolling(`Jobs of ${title}`, jobTable(behind)) : "",
  ];
}

const JOB_COLUMNS = [
  ["Method", (j) => methodName(j.method)],
  ["Dataset", (j) => datasetName(j.dataset)],
  ["Fold", (j) => j.fold],
  ["Budget", (j) => budgetName(j.budget)],
  ["Seed", (j) => j.seed, String],
  ["Macro-F1", (j) => j.f1, number],
  ["Accuracy", (j) => j.accuracy, number],
  ["Labelled", (j) => j.labelled, seconds],
  ["Held out", (j) => j.heldOut ?? "–"],
  ["Recordings", (j) => j.judgedCount, String],
  ["Updates", (j) => j.updates, String],
  ["Fit", (j) => j.fit, (s) => `${number(s, 1)} s`],
];

/** A row per job, sorted by the column whose heading was pressed last. */
function jobTable(jobs, order = { column: null, falling: false }) {
  const sorted = [...jobs];
  if (order.column != null) {
    const value = JOB_COLUMNS[order.column][1];
    sorted.sort((a, b) => compare(value(a), value(b), order.falling));
  }
  const head = JOB_COLUMNS.map(([name, , format], i) => h("th", {
    scope: "col",
    class: format && "number",
    "aria-sort": order.column === i ? (order.falling ? "descending" : "ascending") : null,
  }, h("button", { type: "button", class: "sort", onclick: (event) => {
    const again = { column: i, falling: order.column === i ? !order.falling : Boolean(format) };
    const table = jobTable(jobs, again);
    event.currentTarget.closest("table").replaceWith(table);
    table.querySelectorAll(".sort")[i].focus();
  } }, name)));
  return h("table", { class: "jobs" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, sorted.map(jobRow)));
}

function jobRow(job) {
  const cells = JOB_COLUMNS.slice(1).map(([name, value, format]) => {
    const found = value(job);
    const absent = job.key ? "–" : ["Macro-F1", "Accuracy"].includes(name) ? MISSING_TEXT : "–";
    return h("td", { class: format && "number" }, found == null ? absent : format ? format(found) : found);
  });
  const name = methodName(job.method);
  const label = `${name}, fold ${job.fold}, ${budgetName(job.budget)}, seed ${job.seed}`;
  const link = job.key ? h("a", { href: addressWith({ job: job.key }), "aria-label": label }, name) : name;
  return h("tr", { class: job.key ? null : "missing" },
    h("th", { scope: "row" }, link, job.judged === "validation" && h("span", { class: "tag" }, "validation")), cells);
}

/** Numbers by size, words by letter, what is missing last. */
function compare(a, b, falling) {
  if (a == null || b == null) return (a == null) - (b == null);
  const order = typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  return falling ? -order : order;
}
