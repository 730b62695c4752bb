// The recordings as the page knows them, at some version: the server tells what has changed since, and no more.
import { ask, change, state, tell } from "/api.js";

const byId = new Map();
const counts = new Map(); // label -> how many recordings; "" for those without one
const columns = new Set(); // conditions that any recording has
const KEYS = "123456789abcdefghilmopqrstvwxyz"; // in the order in which the server gives them

export const recording = (id) => byId.get(id);
export const known = () => ({ since: state.version || 0, epoch: state.epoch || "" });
export const conditions = () => [...columns];
export const classes = () => [...counts.keys()].filter((label) => label && counts.get(label)).sort();
export const count = (label) => counts.get(label) || 0;
export const keyOf = (label) => state.keys?.[label];
export const labelOf = (key) => Object.keys(state.keys || {}).find((label) => state.keys[label] === key);

// All classes in the order of their keys; those beyond the last key follow by name.
export function ordered() {
  const place = (label) => (keyOf(label) ? KEYS.indexOf(keyOf(label)) : KEYS.length);
  return classes().sort((a, b) => place(a) - place(b));
}

// Take in an answer: everything, or what has changed.
export function take(found) {
  if (!found.rows) return;
  const added = found.all ? everything(found.rows) : changes(found.rows, found.removed);
  Object.assign(state, { version: found.version, epoch: found.epoch, folder: found.folder, names: found.models, campaign: found.campaign, links: found.links, keys: found.keys });
  if (added) state.recordings.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  state.model = found.models.includes(state.model) ? state.model : found.models[0] || null;
  state.chosen = byId.has(state.chosen) ? state.chosen : state.recordings[0]?.id || null;
  for (const id of state.selected) if (!byId.has(id)) state.selected.delete(id);
  tell("folder");
}

function everything(rows) {
  byId.clear();
  counts.clear();
  columns.clear();
  state.verdicts.clear();
  state.recordings = rows.id.map((_, at) => put(rowAt(rows, at)));
  return false; // the server has them in order
}

function changes(rows, removed) {
  for (const id of removed) {
    const one = byId.get(id);
    if (one) counts.set(one.label || "", count(one.label || "") - 1);
    byId.delete(id);
  }
  if (removed.length) state.recordings = state.recordings.filter((one) => byId.has(one.id));
  let added = false;
  rows.id.forEach((id, at) => {
    const now = rowAt(rows, at);
    const one = byId.get(id);
    if (!one) {
      state.recordings.push(put(now));
      added = true;
      return;
    }
    if (one.component !== now.component || JSON.stringify(one.condition) !== JSON.stringify(now.condition)) forgetVerdicts(id);
    counts.set(one.label || "", count(one.label || "") - 1);
    put(Object.assign(one, now));
  });
  return added;
}

function put(one) {
  one.words = `${one.name} ${one.label || ""} ${one.component || ""} ${Object.entries(one.condition).map((each) => each.join(" ")).join(" ")}`.toLowerCase();
  byId.set(one.id, one);
  counts.set(one.label || "", count(one.label || "") + 1);
  Object.keys(one.condition).forEach((name) => columns.add(name));
  return one;
}

function rowAt(rows, at) {
  const condition = {};
  for (const name in rows.condition) if (rows.condition[name][at] !== null) condition[name] = rows.condition[name][at];
  return {
    id: rows.id[at], name: rows.name[at], file: rows.file[at] ?? rows.name[at], label: rows.label[at], component: rows.component[at], condition,
    start_s: rows.start_s[at], end_s: rows.end_s[at], seconds: rows.seconds[at], rate: rows.rate[at], axes: rows.axes[rows.axis[at]], problem: rows.problem[at], speed_rpm: rows.speed_rpm[at],
  };
}

// A verdict may be another at another speed, whatever the label says.
function forgetVerdicts(id) {
  for (const key of state.verdicts.keys()) if (key.endsWith(`/${id}`)) state.verdicts.delete(key);
}

let asking = null; // one question at a time; who asks meanwhile waits for the next
export function refresh() {
  asking = (asking || Promise.resolve()).catch(() => {}).then(async () => take(await ask("/api/changes", { query: known() })));
  return asking;
}

// What the file of a recording says, read now.
export async function read(id) {
  const found = await ask(`/api/recordings/${id}`);
  return Object.assign(recording(id) || {}, found);
}

const writing = new Set(); // what is being written

// Once nothing is being written any more.
export async function written() {
  while (writing.size) await Promise.allSettled(writing);
}

async function saved(asked) {
  writing.add(asked);
  try {
    const found = await asked;
    take(found);
    return found;
  } catch (error) {
    writing.delete(asked);
    await refresh(); // what somebody else has changed is shown
    throw error;
  } finally {
    writing.delete(asked);
  }
}

// Say something of a recording, or of a part of it, with what was shown of it till now: what somebody else has changed
// since is not written over, but shown.
export function say(id, cells, part) {
  const one = recording(id);
  const there = part ? state.recordings.find((each) => each.file === one.file && (each.start_s || 0) === part.start_s && each.end_s === part.end_s) : one;
  const shown = (name) => (name === "label" || name === "component" ? there?.[name] : there?.condition[name]) || "";
  const seen = Object.fromEntries(Object.keys(cells).map((name) => [name, shown(name)]));
  return saved(change(`/api/recordings/${id}/label`, "PUT", { cells, seen, ...part, ...known() }));
}

export const sayOfMany = (ids, cells) => saved(change("/api/labels", "PUT", { ids, cells, ...known() }));
export const sayByPattern = (wanted) => saved(change("/api/pattern", "PUT", { ...wanted, ...known() }));
export const removePart = (id) => saved(ask(`/api/recordings/${id}/part`, { method: "DELETE", query: known() }));
export const takeBack = () => saved(change("/api/undo", "POST", known()));

export async function chooseKey(label, key) {
  state.keys = (await change("/api/keys", "PUT", { label, key })).keys;
  tell("folder");
}
