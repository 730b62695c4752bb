// What comes next: after each step the one that follows it.
import { classes, fill, h, state } from "/api.js";
import { count } from "/recordings.js";

const running = (kind) => state.commands.some((one) => one.kind === kind && one.state === "running");
const done = (kind) => state.commands.some((one) => one.kind === kind && one.state === "done");
const counted = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

// The sentence, the step it leads to, and how that is called on a button.
export function nextStep() {
  const all = state.recordings.filter((one) => !one.problem), names = classes();
  const labelled = all.filter((one) => one.label);
  if (!state.recordings.length) return ["Drop recordings here, or copy files into the folder."];
  if (!names.length) return [`${counted(all.length, "recording is", "recordings are")} here, and nothing is labelled. Label two classes or more, or check first what the machine's geometry tells.`, "check", "Check"];
  if (names.length < 2) return [`One class is labelled. Label a second one: a model tells classes apart.`, "look", "Label"];
  const few = names.filter((name) => count(name) < 2);
  if (running("fit")) return ["A model is being fitted."];
  if (!state.model && few.length) return [`${counted(labelled.length, "recording is", "recordings are")} labelled. Label another of ${few.slice(0, 2).join(" and ")}, and the fit can say how well it will do.`, "fit", "Fit anyway"];
  if (!state.model) return [`${counted(labelled.length, "recording", "recordings")} of ${names.length} classes are labelled. Fit a model to them.`, "fit", "Fit"];
  const judged = [...state.verdicts.keys()].some((key) => key.startsWith(`${state.model}/`));
  if (!judged) return [`The model ${state.model} is ready. See what it says of your recordings.`, "judge", "Judge"];
  if (running("export")) return [`${state.model} is being exported.`];
  if (!done("export")) return ["Correct what is wrong: the next fit learns from it. When verdicts are good, export the model.", "fit", "Export"];
  return ["The model is exported. Let it watch a machine.", "watch", "Watch"];
}

const STEPS = [["look", "Label", () => classes().length > 1], ["fit", "Fit", () => state.model], ["judge", "Judge", () => state.verdicts.size], ["fit", "Export", () => done("export")], ["watch", "Watch", () => false]];

export function guide(place, shown) {
  place.hidden = Boolean(state.campaign && !state.recordings.length);
  if (place.hidden) return;
  const [sentence, step, name] = nextStep();
  const open = STEPS.findIndex(([, , isDone]) => !isDone());
  fill(place,
    h("ol", { "aria-label": "Steps" }, STEPS.map(([view, title], at) => h("li", { class: at < open ? "done" : "", "aria-current": at === open ? "step" : undefined }, h("a", { href: `#${view}` }, title)))),
    h("p", {}, h("span", {}, sentence), step && step !== shown && h("a", { class: "go", href: `#${step}` }, name)));
}
