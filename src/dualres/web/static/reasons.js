// Why a verdict: one sentence, and what it names marked on spectra of the recording and of the labelled ones most like it.
import { ask, attempt, breakable, fill, h, state } from "/api.js";
import { choose } from "/look.js";
import { overlay } from "/overlay.js";

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function reasons(found, id) {
  const picture = h("div", {});
  const near = (found.nearest || []).map((one) => [one, state.recordings.find((each) => each.name === one.file)]);
  draw(picture, found, id, near);
  return [
    h("p", { class: "sentence" }, found.sentence),
    near.length ? h("p", { class: "small" }, "Most alike: ", near.map(([one, there], at) => [at ? "; of the others " : "", there ? h("button", { class: "link", onclick: () => choose(there.id) }, breakable(one.file)) : breakable(one.file), ` (${one.label})`]), ".") : null,
    picture,
  ];
}

const draw = attempt(async (place, found, id, near) => {
  const others = near.filter(([, there]) => there);
  const at = (one) => ask(`/api/recordings/${one}/curves`, { query: one === id && found.speed ? { speed: `${found.speed.rpm}rpm` } : {} });
  const [own, ...beside] = await Promise.all([at(id), ...others.map(([, there]) => at(there.id))]);
  if (!place.isConnected || own.problem) return;
  const { verdict, runner_up: rival } = found;
  const colours = { [verdict]: css("--accent"), [rival]: css("--bad") };
  const curves = beside.map((each, number) => ({ ...each, name: `${others[number][0].label}: ${others[number][0].file}`, dash: true, style: { colour: colours[others[number][0].label] || css("--quiet"), shape: "line" } })).filter((each) => !each.problem);
  curves.push({ ...own, name: "this recording", bold: true, style: { colour: css("--ink"), shape: "line" } });
  const marks = found.marks.map((mark) => ({ ...mark, name: mark.axis === "orders" ? mark.words.replace(/^at | x shaft| of .*\)|[()]/g, "") : "", colour: colours[mark.trait === "weak" ? other(mark.speaks_for, verdict, rival) : mark.speaks_for] }));
  overlay(place, curves, `Marked: where it is like ${verdict} or ${rival}, in the colour of the class that is strong there.`, marks);
});

const other = (name, one, two) => (name === one ? two : one);
