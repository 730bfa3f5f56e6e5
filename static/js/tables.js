// Tables that sort by a press on their heads, and definitions shown at the term.

import { locale } from "./words.js";

function sortKey(row, column) {
  const value = row.cells[column].dataset.sort;
  if (value === "") return null;
  const number = Number(value);
  return Number.isNaN(number) ? value : number;
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), locale, { numeric: true });
}

function sortBy(table, column, head) {
  const direction = head.getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", direction);
  const sign = direction === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows].map((row) => [sortKey(row, column), row]);
  // What has no value stays last, whichever way the rest goes.
  rows.sort(([a], [b]) => (a === null ? (b === null ? 0 : 1) : b === null ? -1 : sign * compare(a, b)));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

function setUpSorting(root) {
  for (const table of root.querySelectorAll("table[data-sortable]")) {
    if (table.tBodies[0].rows.length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const name = head.querySelector(".head");
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...name.childNodes); // a name may hold marks of what can’t be seen
      if (name.dataset.term) {
        button.dataset.term = name.dataset.term;
        button.setAttribute("aria-describedby", `term-${name.dataset.term}`);
      }
      name.replaceWith(button);
      button.addEventListener("click", () => sortBy(table, column, head));
    });
  }
}

let tip = null;

function hideTip() {
  tip?.remove();
  tip = null;
}

function showTip(element) {
  hideTip();
  const definition = document.getElementById(`term-${element.dataset.term}`);
  if (!definition) return;
  tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("aria-hidden", "true"); // screen readers have it by aria-describedby
  tip.textContent = definition.textContent;
  document.body.append(tip);
  const place = element.getBoundingClientRect();
  const left = Math.min(place.left, window.innerWidth - tip.offsetWidth - 12);
  const below = place.bottom + 8 + tip.offsetHeight < window.innerHeight;
  tip.style.left = `${Math.max(12, left)}px`;
  tip.style.top = below ? `${place.bottom + 8}px` : `${Math.max(8, place.top - tip.offsetHeight - 8)}px`;
}

const termOf = (event) => (event.target instanceof Element ? event.target.closest("[data-term]") : null);

for (const name of ["pointerover", "focusin"]) {
  document.addEventListener(name, (event) => {
    const element = termOf(event);
    if (element) showTip(element);
    else if (name === "pointerover") hideTip();
  });
}
document.addEventListener("focusout", hideTip);
// Focus by key scrolls the page to its term: the definition goes along. Otherwise scrolling puts it away.
document.addEventListener("scroll", () => {
  if (!tip) return;
  const focused = document.activeElement?.closest("[data-term]");
  if (focused) showTip(focused);
  else hideTip();
}, { capture: true, passive: true });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
document.addEventListener("DOMContentLoaded", () => setUpSorting(document));
document.addEventListener("results-replaced", (event) => setUpSorting(event.detail));
