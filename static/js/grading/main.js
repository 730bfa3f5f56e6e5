// An annotator's page comes alive. Everything here also works without it, by forms.

import { Answering, apply } from "./answering.js";
import { setUpKeysDialog, setUpZoom } from "./dialogs.js";
import { Flagging } from "./flagging.js";
import { listenToKeys } from "./keys.js";
import { Pages, parseItem } from "./pages.js";
import { Queue } from "./queue.js";
import { openStore } from "./queue_store.js";
import { SavedMark, announce } from "./saved_mark.js";

const RETRY = 3000;

async function json(url, options = {}) {
  const headers = { Accept: "application/json", ...(options.body && { "Content-Type": "application/json" }) };
  const response = await fetch(url, { ...options, headers });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  return response.json();
}

// The line above the item, with the number of the item that shows. `news`: what the server has just told.
function showProgress(pages, news = null) {
  for (const place of document.querySelectorAll("[data-progress]")) {
    if (news) Object.assign(place.dataset, news);
    if (!pages.current) continue;
    const number = Number(pages.current.dataset.position) - Number(place.dataset.offset);
    const { pattern, earlier } = place.dataset;
    place.textContent = number > 0 ? pattern.replace("{item}", number.toLocaleString("en")) : earlier;
  }
}

// Keeps one item ahead, and says goodbye when everything is answered and stored.
class Supply {
  #timer = null;
  #asking = false;
  #again = false;

  constructor(pages, queue) {
    this.pages = pages;
    this.queue = queue;
  }

  async refill() {
    if (this.#asking) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#asking = true;
    try {
      await this.#ask();
    } catch {
      this.pages.explain("The next item comes when the connection is back.");
      this.#timer = setTimeout(() => this.refill(), RETRY);
    } finally {
      this.#asking = false;
    }
    if (this.#again) {
      this.#again = false;
      this.refill();
    }
  }

  async #ask() {
    const have = this.pages.ids.slice(-10);
    const reply = await json("/grade/next", { method: "POST", body: JSON.stringify({ have }) });
    for (const { html } of reply.items) this.pages.add(this.prepared(parseItem(html)));
    showProgress(this.pages, reply.progress);
    const over = reply.closed || (reply.done && !this.pages.current); // a closed study offers nothing, not even these
    if (over && !this.queue.waiting.length) location.assign("/grade/thanks");
  }

  // An item as it will be once the answers on their way have arrived.
  prepared(article) {
    for (const { item, answer } of this.queue.waiting) if (item === article.dataset.id) apply(article, answer);
    return article;
  }
}

function goBack(pages, supply) {
  const fetchItem = async (id) => supply.prepared(parseItem((await json(`/grade/${id}`)).html));
  pages.back(fetchItem).then(
    (moved) => {
      if (!moved) return announce("This is your first item.");
      const { value } = pages.current.dataset;
      announce(value === "" ? "Back one item. It has no answer." : `Back one item. Your answer was ${value}.`);
    },
    () => announce("The item before can't be fetched without a connection."),
  );
}

function setUpBack(pages, supply) {
  const link = document.querySelector("[data-back]");
  const show = () => {
    const previous = pages.current?.dataset.previous;
    link.hidden = pages.index === 0 && !previous;
    if (previous) link.href = `/grade/${previous}`;
  };
  pages.addEventListener("show", show);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    goBack(pages, supply);
  });
}

// Answers that this browser gave before (a closed tab, a lost connection) count as given.
function skipAnswered(pages, queue, supply) {
  const given = new Set(queue.waiting.filter(({ answer }) => answer.kind !== "flag").map(({ item }) => item));
  for (const article of pages.items) supply.prepared(article);
  while (pages.current && given.has(pages.current.dataset.id)) pages.forward();
}

function setUpGrading(stage, queue) {
  const pages = new Pages(stage);
  const supply = new Supply(pages, queue);
  skipAnswered(pages, queue, supply);
  showProgress(pages);
  const answering = new Answering(pages, queue);
  const flagging = new Flagging(pages, answering);
  const showKeys = setUpKeysDialog();
  setUpZoom(stage);
  setUpBack(pages, supply);
  listenToKeys(answering.choices, (action, value) => {
    if (action === "grade" || action === "skip") answering.give(action, value ?? null, "key");
    else if (action === "back") goBack(pages, supply);
    else if (action === "flag") flagging.open();
    else showKeys();
  });
  let leadsTo = null; // where the server wants the page to go, once nothing waits to be sent
  queue.addEventListener("stored", ({ detail }) => {
    showProgress(pages, detail.progress);
    leadsTo = detail.go ?? leadsTo;
    if (leadsTo && !queue.waiting.length) location.assign(leadsTo);
    else if (document.body.dataset.return && !queue.waiting.length) location.assign(document.body.dataset.return);
    else supply.refill();
  });
  window.addEventListener("online", () => supply.refill());
  pages.addEventListener("show", ({ detail }) => {
    showProgress(pages);
    if (!detail) supply.refill();
  });
}

async function start() {
  const queue = new Queue(await openStore(), document.body.dataset.owner);
  const stage = document.querySelector("[data-stage]");
  new SavedMark(queue);
  await queue.load();
  if (stage) setUpGrading(stage, queue);
  queue.start();
  window.addEventListener("beforeunload", (event) => {
    if (queue.waiting.length && !queue.store.durable) event.preventDefault();
  });
  document.documentElement.dataset.ready = "grading";
}

start();
