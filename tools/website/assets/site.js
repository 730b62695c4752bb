// Search without a server, the section in sight, and boxes that scroll by keys. Pages can be read without any of it.
"use strict";

const up = document.currentScript.dataset.up;
const form = document.getElementById("search");
const input = form.querySelector("input");
const list = document.getElementById("found");
const count = document.getElementById("count");
const MOST = 12; // results that are shown
const AROUND = 70; // characters before the first word found, in the excerpt

let index = null; // entries as [address, anchor, title, document, text, title in small letters, text in small letters]
let chosen = -1;

// The index is a script, which a page from a disk may load, and it is large enough to wait until somebody searches.
function loaded() {
  if (index) return Promise.resolve();
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = up + "search-index.js";
    script.onload = () => {
      index = window.searchIndex.map(entry => [...entry, entry[2].toLowerCase(), entry[4].toLowerCase()]);
      done();
    };
    script.onerror = failed;
    document.head.append(script);
  });
}

// How well an entry answers one word; 0 where it does not. A name's last part counts as its title: load in dualres.load.
function worth(word, [, , , document, , title, text]) {
  const last = title.slice(title.lastIndexOf(".") + 1);
  if (title === word || last === word) return 100;
  const at = title.indexOf(word);
  if (at >= 0) return at === 0 || /[^a-z0-9]/.test(title[at - 1]) ? 40 : 20;
  const inText = text.indexOf(word);
  if (inText >= 0) return inText === 0 || /[^a-z0-9]/.test(text[inText - 1]) ? 6 : 2;
  return document.toLowerCase().includes(word) ? 1 : 0;
}

function found(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const rated = [];
  index.forEach((entry, place) => {
    const each = words.map(word => worth(word, entry));
    if (each.every(Boolean)) {
      const phrase = words.length > 1 && entry[6].includes(words.join(" ")) ? 10 : 0;
      const whole = entry[2] === entry[3] ? 3 : 0; // the document itself
      rated.push([each.reduce((sum, one) => sum + one) + phrase + whole, place]);
    }
  });
  rated.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  return rated.map(([, place]) => index[place]);
}

// Text with the words marked, as nodes: nothing of the index is ever read as HTML.
function marked(text, words) {
  const pattern = new RegExp(`(${words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "gi");
  return text.split(pattern).map((part, i) => {
    if (i % 2 === 0) return part;
    const mark = document.createElement("mark");
    mark.textContent = part;
    return mark;
  });
}

function excerpt(entry, words) {
  const first = Math.min(...words.map(word => entry[6].indexOf(word)).filter(at => at >= 0), entry[4].length);
  const start = first === entry[4].length || first < AROUND ? 0 : entry[4].indexOf(" ", first - AROUND) + 1;
  const end = start + 3 * AROUND;
  return (start ? "… " : "") + entry[4].slice(start, end) + (end < entry[4].length ? " …" : "");
}

function made(tag, ...content) {
  const element = document.createElement(tag);
  element.append(...content);
  return element;
}

function show(entries, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const items = entries.slice(0, MOST).map((entry, i) => {
    const link = made("a", made("b", ...marked(entry[2], words)));
    if (entry[2] !== entry[3]) link.append(made("i", entry[3]));
    link.append(made("span", ...marked(excerpt(entry, words), words)));
    link.href = `${up}${entry[0]}#${entry[1]}`;
    link.tabIndex = -1;
    link.addEventListener("click", close);
    const item = made("li", link);
    item.id = `found-${i}`;
    item.role = "option";
    return item;
  });
  if (!items.length && words.length) {
    const none = made("li", "Nothing holds all of these words.");
    none.className = "none";
    items.push(none);
  }
  list.replaceChildren(...items);
  list.hidden = !words.length;
  input.setAttribute("aria-expanded", String(!list.hidden));
  count.textContent = words.length ? `${entries.length} found` : "";
  choose(entries.length ? 0 : -1);
}

function choose(next) {
  const items = [...list.querySelectorAll("[role=option]")];
  chosen = items.length ? (next + items.length) % items.length : -1;
  items.forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
  if (chosen < 0) return input.removeAttribute("aria-activedescendant");
  input.setAttribute("aria-activedescendant", items[chosen].id);
  items[chosen].scrollIntoView({ block: "nearest" });
}

function close() {
  list.hidden = true;
  input.setAttribute("aria-expanded", "false");
}

async function search() {
  await loaded();
  show(found(input.value), input.value);
}

form.hidden = false;
input.addEventListener("focus", loaded, { once: true });
input.addEventListener("input", search);
input.addEventListener("keydown", event => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
  } else if (event.key === "Escape") {
    input.value = "";
    close();
    input.blur();
  }
});
form.addEventListener("submit", event => {
  event.preventDefault();
  list.querySelector("[aria-selected=true] a")?.click();
});
document.addEventListener("click", event => {
  if (!form.contains(event.target)) close();
});
document.addEventListener("keydown", event => {
  const writing = event.target.matches("input, textarea, select");
  if (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    input.focus();
    input.select();
  } else if (event.key === "Escape" && location.hash === "#documents") {
    location.hash = "#content";
  }
});
const asked = new URLSearchParams(location.search).get("q");
if (asked) {
  input.value = asked;
  search();
}

// Which section is in sight, in the list beside the text.
const here = new Map([...document.querySelectorAll("aside li a")].map(a => [decodeURIComponent(a.hash.slice(1)), a]));
const sections = [...here.keys()].map(id => document.getElementById(id));
function follow() {
  const line = 120; // CSS pixels from the top: below the header
  const past = sections.filter(section => section.getBoundingClientRect().top < line);
  const now = here.get(past.at(-1)?.id);
  for (const link of here.values()) link.classList.toggle("now", link === now);
  if (now) {
    const box = now.closest("aside");
    const [top, bottom] = [now.offsetTop - box.scrollTop, box.clientHeight - 40];
    if (top < 0 || top > bottom) box.scrollTop = now.offsetTop - box.clientHeight / 2;
  }
}
if (sections.length) {
  addEventListener("scroll", () => requestAnimationFrame(follow), { passive: true });
  follow();
}

// The list of documents shows where we are.
const documents = document.getElementById("documents");
const current = documents.querySelector("[aria-current]");
if (current && current.offsetTop > documents.clientHeight) documents.scrollTop = current.offsetTop - documents.clientHeight / 2;

// What scrolls sideways can be scrolled by keys, too.
for (const box of document.querySelectorAll(".scroll, .code")) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
