// Draws the figures that a page carries as JSON. Colours come as roles ("@series-1") and are looked up in the style
// sheet, so that a change of theme draws them anew; nothing here needs inline styles or eval.

import { locale, t } from "./words.js";

const NARROW = 640; // px of the figure's own width
const WAIT_MS = 120;

// A role's colour in the theme of the element that asks.
function colourReader(scheme) {
  const probe = document.createElement("span");
  probe.hidden = true;
  if (scheme) probe.style.colorScheme = scheme;
  document.body.append(probe);
  const known = new Map();
  const read = (role) => {
    if (!known.has(role)) {
      probe.style.color = `var(--${role})`;
      known.set(role, getComputedStyle(probe).color);
    }
    return known.get(role);
  };
  return { read, end: () => probe.remove() };
}

// A step of a colour scale begins with a number and ends with a colour.
const isNumbers = (values) => typeof values[0] === "number" && typeof values.at(-1) === "number";

function withColours(value, read) {
  if (typeof value === "string") return /^@[a-z0-9-]+$/.test(value) ? read(value.slice(1)) : value;
  if (Array.isArray(value)) return isNumbers(value) ? value : value.map((each) => withColours(each, read));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withColours(each, read)]));
}

function merged(base, change) {
  const result = { ...base };
  for (const [key, value] of Object.entries(change ?? {})) {
    const deep = value && typeof value === "object" && !Array.isArray(value) && base[key];
    result[key] = deep ? merged(base[key], value) : value;
  }
  return result;
}

// The words of the points, put together here: spelt out they would be most of the page.
function withWords(figure) {
  if (!figure.words) return figure.data;
  const { names, metric } = figure.words;
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const side = (value, a, b) => (value === 0
    ? t("no difference")
    : t("{system} {points} better", { system: value > 0 ? a : b, points: format.format(Math.abs(value)) }));
  return figure.data.map((trace) => ({
    ...trace,
    hovertext: trace.customdata.map(([a, b], row) =>
      [
        t("{a} and {b}", { a: names[a], b: names[b] }),
        t("{metric}: {verdict}", { metric, verdict: side(trace.x[row], names[a], names[b]) }),
        t("people: {verdict}", { verdict: side(trace.y[row], names[a], names[b]) }),
      ].join("<br>")),
  }));
}

function prepared(figure, width, scheme) {
  const isNarrow = width < NARROW;
  const colours = colourReader(scheme);
  const data = withWords(figure).map(({ narrow, ...trace }) => merged(trace, isNarrow ? narrow : {}));
  const layout = merged(figure.layout, isNarrow ? figure.narrow.layout : {});
  layout.font = { ...layout.font, family: getComputedStyle(document.body).fontFamily };
  if (isNarrow) layout.font.size = 12;
  const result = { data: withColours(data, colours.read), layout: withColours(layout, colours.read) };
  colours.end();
  return result;
}

const figureOf = (chart) => JSON.parse(chart.parentElement.querySelector('script[type="application/json"]').textContent);

function draw(chart) {
  const figure = prepared(figureOf(chart), chart.clientWidth);
  chart.style.minHeight = `${figure.layout.height}px`;
  const config = { displayModeBar: false, responsive: false, doubleClick: false, showTips: false };
  return window.Plotly.react(chart, figure.data, { ...figure.layout, width: chart.clientWidth }, config);
}

// For papers and slides: the light theme on white, wide enough to be read, with its title.
async function download(chart, format) {
  const width = 1000;
  const figure = prepared(figureOf(chart), width, "light");
  const top = (figure.layout.margin?.t ?? 8) + 44;
  const layout = {
    ...figure.layout,
    width,
    height: figure.layout.height + 44,
    margin: { ...figure.layout.margin, t: top },
    paper_bgcolor: "#ffffff",
    title: { text: chart.dataset.title.replace(/[<>&]/g, (letter) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;" })[letter]),
      x: 0, xref: "paper", xanchor: "left", y: 1, yref: "container", yanchor: "top", pad: { t: 12 }, font: { size: 18 } },
  };
  if (layout.legend?.yref === "container") layout.legend = { ...layout.legend, y: 1 - 40 / layout.height };
  await window.Plotly.downloadImage({ data: figure.data, layout }, {
    format, width, height: layout.height, scale: format === "png" ? 2 : 1, filename: chart.dataset.file,
  });
}

function setUpDownloads(chart) {
  const place = chart.parentElement.querySelector("[data-figure-downloads]");
  place.hidden = false;
  for (const button of place.querySelectorAll("[data-download]")) {
    button.setAttribute("aria-label", t("{format} of {title}", { format: button.textContent, title: chart.dataset.title }));
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        await download(chart, button.dataset.download);
      } finally {
        button.disabled = false;
      }
    });
  }
}

const lastWidth = new WeakMap();
const watcher = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    if (Math.abs((lastWidth.get(target) ?? 0) - contentRect.width) < 1) continue;
    lastWidth.set(target, contentRect.width);
    clearTimeout(target.redraw);
    target.redraw = setTimeout(() => draw(target), WAIT_MS);
  }
});

function setUp(root) {
  for (const chart of root.querySelectorAll("[data-chart]")) {
    lastWidth.set(chart, chart.clientWidth);
    draw(chart);
    setUpDownloads(chart);
    watcher.observe(chart);
  }
}

const redrawAll = () => document.querySelectorAll("[data-chart]").forEach(draw);

// A finished run: fetch the page again and put its results in place of the old ones, at the same height, without moving
// what the reader looks at.
async function replaceResults() {
  const old = document.getElementById("results");
  if (!old) return;
  const answer = await fetch(window.location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("results");
  const anchor = [...old.querySelectorAll(".exhibit")].find((each) => each.getBoundingClientRect().bottom > 0);
  const before = anchor?.getBoundingClientRect().top;
  old.querySelectorAll("[data-chart]").forEach((chart) => { watcher.unobserve(chart); window.Plotly.purge(chart); });
  old.replaceWith(fresh);
  setUp(fresh);
  document.dispatchEvent(new CustomEvent("results-replaced", { detail: fresh }));
  const after = anchor && document.getElementById(anchor.id);
  if (after) window.scrollBy({ top: after.getBoundingClientRect().top - before, behavior: "instant" });
  document.getElementById("live-region").textContent = t("The new analysis is on the page.");
}

document.addEventListener("DOMContentLoaded", () => setUp(document));
document.addEventListener("themechange", redrawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
document.addEventListener("analysis-finished", replaceResults);
document.addEventListener("runfinished", replaceResults);
