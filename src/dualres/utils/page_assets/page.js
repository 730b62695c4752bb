// The page as a whole: which view the address asks for, and the filters.

const byId = (id) => document.getElementById(id);
const VIEWS = { results: "Results", tables: "Tables", figures: "Figures" };
let scrolledTo = 0; // where the results were left for a job
let showMissing = false;

const withResults = data.studies.filter((study) => study.cells.some((cell) => cell.done));
const finished = (study) => study.cells.filter((cell) => cell.done).length;
const fullest = withResults.toSorted((one, other) => finished(other) - finished(one))[0]; // the first of equals
const firstStudy = (fullest ?? data.studies[0])?.name ?? "all";

/** What the address chooses; a choice that the study does not have is dropped. */
function choice() {
  const asked = address();
  const view = asked.view in VIEWS ? asked.view : "results";
  const unasked = view === "results" ? firstStudy : "all";
  const study = asked.study === "all" || studies.has(asked.study) ? asked.study : unasked;
  const offered = offers(study);
  const kept = Object.fromEntries(Object.keys(offered).map((name) => [name, asked[name] in offered[name] ? asked[name] : ""]));
  return { ...kept, study, view, metric: asked.metric, keys: asked.keys?.split(",") };
}

/** The values of each filter that occur in the chosen study, and how they are called. */
function offers(study) {
  const all = [...data.jobs, ...data.missing].filter((job) => study === "all" || job.studies.includes(study));
  const used = (field) => new Set(all.map((job) => String(job[field])));
  const pick = (field, entries) => Object.fromEntries(entries.filter(([value]) => used(field).has(value)));
  return {
    dataset: pick("dataset", Object.entries(data.datasets)),
    method: pick("method", Object.entries(data.methods)),
    budget: pick("budget", data.budgets.map((b) => [b.join("x"), b.join(" × ")])),
    seed: pick("seed", data.seeds.map((seed) => [`${seed}`, `${seed}`])),
  };
}

function select(name, label, options, value) {
  const id = `filter-${name}`;
  return h("div", { class: "filter" }, h("label", { for: id }, label), h("select", {
    id,
    onchange: (event) => {
      history.replaceState(null, "", addressWith({ [name]: event.target.value, keys: "", item: "" }));
      render();
      byId(id)?.focus();
    },
  }, options.map(([key, text]) => h("option", { value: key, selected: key === value }, text))));
}

function filters(chosen) {
  const named = [["all", "All studies"], ...data.studies.map((s) => [s.name, studyName(s.name) + (withResults.includes(s) ? "" : ` (${MISSING_TEXT})`)])];
  const fields = [select("study", "Study", named, chosen.study)];
  if (chosen.view === "results") {
    const labels = { dataset: "Dataset", method: "Method", budget: "Budget", seed: "Seed" };
    for (const [name, options] of Object.entries(offers(chosen.study))) {
      fields.push(select(name, labels[name], [["", "All"], ...Object.entries(options)], chosen[name]));
    }
    fields.push(select("metric", "Score", Object.entries(METRICS), chosen.metric));
  }
  byId("filters").replaceChildren(...fields);
}

const matching = (chosen) => (job) =>
  (chosen.study === "all" || job.studies.includes(chosen.study))
  && ["dataset", "method", "budget", "seed"].every((name) => !chosen[name] || String(job[name]) === chosen[name]);

function results(chosen) {
  if (chosen.keys) {
    const behind = data.jobs.filter((job) => chosen.keys.some((key) => job.key.startsWith(key)));
    return [h("section", {}, h("h2", {}, "Jobs behind a number"),
      h("p", {}, `${plural(behind.length, "job")}. `, h("a", { href: addressWith({ keys: "" }) }, "Show all results")),
      scrolling("Jobs behind a number", jobTable(behind)))];
  }
  const shown = data.studies.filter((study) => chosen.study === "all" || study.name === chosen.study);
  const done = data.jobs.filter(matching(chosen)), missing = data.missing.filter(matching(chosen));
  const listed = showMissing ? [...done, ...missing] : done;
  const box = h("input", { type: "checkbox", id: "show-missing", checked: showMissing, onchange: (event) => {
    showMissing = event.target.checked;
    render();
    byId("show-missing").focus();
  } });
  return [
    ...shown.map((study) => matrix(study, chosen)),
    h("section", { id: "jobs" },
      h("h2", {}, "Jobs"),
      h("p", { role: "status" }, `${plural(done.length, "finished job")} in this choice; ${missing.length} ${MISSING_TEXT}. `
        + "Scores in percent. Choose a method's name to see the job."),
      missing.length > 0 && h("p", { class: "check" }, box, h("label", { for: "show-missing" }, `List the ${plural(missing.length, "job")} not run, too`)),
      listed.length ? scrolling("Jobs", jobTable(listed)) : h("p", { class: "empty" }, "No job of this choice was run.")),
  ];
}

/** Show the tables or figures of the chosen study and, above them, a list to jump by. */
function exhibits(view, chosen) {
  const box = byId(view);
  box.querySelector(".contents")?.remove();
  const all = [...box.querySelectorAll(".exhibit")];
  for (const one of all) one.hidden = chosen.study !== "all" && one.dataset.study !== "" && one.dataset.study !== chosen.study;
  const shown = all.filter((one) => !one.hidden);
  const links = shown.map((one) => h("li", {},
    h("a", { href: addressWith({ item: one.dataset.name }) }, one.querySelector("h2").textContent)));
  box.prepend(h("nav", { class: "contents", "aria-label": `List of ${view}` },
    shown.length ? h("details", { open: innerWidth > 760 }, h("summary", {}, plural(shown.length, view.slice(0, -1))), h("ol", {}, links)) : h("p", { class: "empty" }, `There are no ${view} of this study.`)));
  const wanted = shown.find((one) => one.dataset.name === address().item);
  if (wanted) {
    wanted.scrollIntoView();
    wanted.querySelector("h2").focus({ preventScroll: true });
  }
}

function tabs(chosen) {
  byId("views").replaceChildren(...Object.entries(VIEWS).map(([view, label]) => {
    const count = view === "results" ? data.jobs.length : byId(view).querySelectorAll(".exhibit").length;
    return h("a", { href: addressWith({ view, job: "", item: "", keys: "" }), "aria-current": view === chosen.view ? "page" : null },
      label, h("span", { class: "count" }, String(count)));
  }));
}

function banner() {
  const quick = withResults.filter((study) => study.quick);
  byId("banner").hidden = quick.length === 0;
  if (quick.length) {
    byId("banner").replaceChildren(h("strong", {}, "Quick results. "),
      `${quick.map((study) => study.name).join(", ")}: ${[...new Set(quick.map((study) => study.quick))].join("; ")}. `
      + "They show that everything runs; they are not the studies' results.");
  }
}

function render() {
  const chosen = choice();
  const asked = address().job;
  const job = asked && data.jobs.find((one) => one.key.startsWith(asked));
  hideTip();
  tabs(chosen);
  filters(chosen);
  byId("filters").hidden = Boolean(asked);
  for (const view of Object.keys(VIEWS)) byId(view).hidden = Boolean(asked) || view !== chosen.view;
  byId("job").hidden = !asked;
  byId("results").replaceChildren(...(chosen.view === "results" && !asked ? results(chosen) : []));
  if (chosen.view !== "results" && !asked) exhibits(chosen.view, chosen);
  byId("job").replaceChildren(...(job ? jobView(job) : asked ? [noSuchJob(asked)] : []));
  document.title = job ? `${methodName(job.method)} ${job.fold} ${job.budget} seed ${job.seed}` : "DualRes benchmark";
}

function noSuchJob(key) {
  return h("section", {}, h("h2", {}, "No such job"), h("p", {}, `These results hold no job ${key}. `,
    h("a", { href: addressWith({ job: "" }) }, "Back to the results")));
}

addEventListener("hashchange", (event) => {
  const jobIn = (url) => new URLSearchParams(new URL(url).hash.slice(1)).get("job");
  const was = jobIn(event.oldURL), is = jobIn(event.newURL);
  if (is && !was) scrolledTo = scrollY;
  render();
  if (is) {
    scrollTo(0, 0);
    byId("job").querySelector("h2")?.focus({ preventScroll: true });
  } else if (was) {
    scrollTo(0, scrolledTo);
    document.querySelector(`#results a[href*="job=${was}"]`)?.focus({ preventScroll: true });
  }
});
addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
addEventListener("scroll", hideTip, { passive: true });
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});

byId("lead").textContent = `${plural(data.jobs.length, "finished job")} of ${plural(withResults.length, "study").replace("studys", "studies")}. `
  + "Every number leads back to its plan, seed, fold and hashes.";
banner();
render();
