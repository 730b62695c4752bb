// A list of any length: only rows in sight are on the page. All rows are equally high.
import { fill, h } from "/api.js";

const BEYOND = 8; // rows above and below those in sight

// `draw` gives the cells of a row, `same` a text that differs where the row must be drawn anew.
export function rowsOf({ id, name, height, draw, same, selected, pick, several = false, empty }) {
  const inside = h("ul", { class: "rows", role: "rowgroup" });
  const list = h("div", { id, class: "list", role: "grid", tabindex: "0", "aria-label": name, "aria-multiselectable": several ? "true" : undefined }, inside);
  let rows = [];
  let nodes = new Map(); // by id, those on the page
  let waiting = false;

  function render() {
    waiting = false;
    const first = Math.max(0, Math.floor(list.scrollTop / height) - BEYOND);
    const last = Math.min(rows.length, Math.ceil((list.scrollTop + (list.clientHeight || 800)) / height) + BEYOND);
    const now = new Map();
    for (let at = first; at < last; at++) now.set(rows[at].id, nodeOf(rows[at], at));
    for (const [key, node] of nodes) if (now.get(key) !== node) node.remove();
    nodes = now;
    let before = null; // in the order of the list, for those who hear it
    for (const node of now.values()) {
      if (before ? before.nextSibling !== node : inside.firstChild !== node) inside.insertBefore(node, before ? before.nextSibling : inside.firstChild);
      before = node;
    }
    if (!rows.length) fill(inside, h("li", { class: "empty", role: "row" }, h("span", { role: "gridcell" }, empty())));
  }

  function nodeOf(row, at) {
    const known = nodes.get(row.id);
    const chosen = selected(row);
    const text = `${chosen} ${same(row)}`;
    if (known && known.text === text) {
      placed(known, at);
      return known;
    }
    const node = h("li", { role: "row", id: `row-${row.id}`, class: chosen, "aria-selected": String(chosen !== "") }, draw(row).map((cell) => (cell.setAttribute("role", "gridcell"), cell)));
    Object.assign(node, { text, row });
    placed(node, at);
    return node;
  }

  function placed(node, at) {
    if (node.at === at) return;
    node.at = at;
    node.setAttribute("aria-rowindex", at + 1);
    node.style.transform = `translateY(${at * height}px)`;
  }

  list.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(render);
  });
  new ResizeObserver(() => render()).observe(list);
  list.addEventListener("click", (event) => {
    const row = event.target.closest("li")?.row;
    if (row) pick(row, event);
  });

  return {
    list,
    get rows() { return rows; },
    get page() { return Math.max(1, Math.floor(list.clientHeight / height) - 1); },
    show(some) {
      rows = some;
      list.setAttribute("aria-rowcount", rows.length);
      inside.style.height = `${Math.max(rows.length, 1) * height}px`;
      render();
    },
    reveal(id) {
      const at = rows.findIndex((row) => row.id === id);
      if (at < 0) return list.removeAttribute("aria-activedescendant");
      const top = at * height;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + height - list.clientHeight;
      render();
      list.setAttribute("aria-activedescendant", `row-${id}`);
    },
  };
}
