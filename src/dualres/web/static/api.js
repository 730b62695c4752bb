// Everything that is asked of the server, and how things are put on the page: text is only ever text.

export async function ask(path, { method = "GET", query = {}, body, raw } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const target = given.length ? `${path}?${new URLSearchParams(given)}` : path;
  const headers = method === "GET" ? {} : { "X-DualRes": "1" };
  if (body !== undefined && !raw) headers["Content-Type"] = "application/json";
  const answer = await fetch(target, { method, headers, body: raw ? body : body && JSON.stringify(body) });
  const kind = answer.headers.get("content-type") || "";
  if (!answer.ok) {
    const told = kind.includes("json") ? (await answer.json()).error : await answer.text();
    throw new Error(told || `the server answered ${answer.status}`);
  }
  return kind.includes("json") ? answer.json() : answer;
}

export const change = (path, method, body) => ask(path, { method, body });

// An element: h("button", { class: "key", onclick: f }, "text", other)
export function h(tag, given = {}, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) one.addEventListener(name.slice(2), value);
    else if (name === "value") one.value = value;
    else one.setAttribute(name, value === true ? "" : value);
  }
  one.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return one;
}

// A name that breaks after a mark rather than within a word.
export function breakable(name) {
  return name.split(/(?<=[_\-/ ])/).flatMap((part) => [part, h("wbr")]);
}

export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter(Boolean));
  return parent;
}

let fading;
export function notice(text, good = false, [name, action] = []) {
  const place = document.getElementById("notice");
  fill(place, text, name && h("button", { onclick: () => { notice(""); action(); } }, name));
  place.className = good ? "good" : "";
  clearTimeout(fading);
  if (text) fading = setTimeout(() => notice(""), name ? 8000 : good ? 2500 : 9000);
}

export const attempt = (action) => async (...given) => {
  try {
    return await action(...given);
  } catch (error) {
    notice(error.message);
  }
};

export const percent = (share) => `${(100 * share).toFixed(0)} %`;

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 90) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return seconds < 5400 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

// What several parts of the page look at; a change is told to all.
export const state = { recordings: [], models: [], commands: [], chosen: null, model: null, verdicts: new Map(), selected: new Set() };
const listeners = new Set();
export const listen = (listener) => listeners.add(listener);
export const tell = (what) => listeners.forEach((listener) => listener(what));

export { classes, recording, refresh, say } from "/recordings.js";

// A verdict that was asked for before, and not only found among many, is not asked for again, as long as neither the
// model nor what the list says of its conditions has changed.
export async function verdict(id) {
  const key = `${state.model}/${id}`;
  if (!state.verdicts.has(key) || state.verdicts.get(key).brief) {
    state.verdicts.set(key, await ask(`/api/verdicts/${id}`, { query: { model: state.model } }));
    tell("verdict");
  }
  return state.verdicts.get(key);
}
export const known = (id) => state.verdicts.get(`${state.model}/${id}`);
