// An annotator's page comes alive. Everything here also works without it, by forms.

import { filled, locale, t } from "../words.js";
import { Answering, apply } from "./answering.js";
import { Flagging, Skipping } from "./asides.js";
import { setUpKeysDialog } from "./dialogs.js";
import { Drafts } from "./drafts.js";
import { listenToKeys } from "./keys.js";
import { setUpMessage, showMessage, shownMessage } from "./message.js";
import { Pages, panelOf, parseItem } from "./pages.js";
import { Queue } from "./queue.js";
import { openStore } from "./queue_store.js";
import { Renewing } from "./renewing.js";
import { SavedMark, announce, putAway } from "./saved_mark.js";

const RETRY = 3000;

async function json(url, options = {}) {
  const headers = { Accept: "application/json", ...(options.body && { "Content-Type": "application/json" }) };
  const response = await fetch(url, { ...options, headers });
  if (!response.ok) throw Object.assign(new Error(`answered ${response.status}`), { status: response.status });
  return response.json();
}

// The line above the item, and for listeners its heading, with the number of the item that shows: the how-many-th it is
// of this sitting. `news`: what the server has just told.
function showProgress(pages, news = null) {
  for (const place of document.querySelectorAll("[data-progress]")) {
    if (news) Object.assign(place.dataset, news);
    if (!pages.current) continue;
    const number = Number(pages.current.dataset.position) - Number(place.dataset.offset);
    const { line, past, mine, study } = place.dataset;
    const [shown, graded, inAll] = [number, Number(mine), Number(study)].map((each) => each.toLocaleString(locale));
    place.textContent = filled(number > 0 ? line : past, { item: shown, mine: graded, study: inAll });
    const heading = number > 0 ? t("Item {number}", { number: shown }) : t("An earlier item");
    pages.current.querySelector("h1").textContent = heading;
  }
}

// A reply that tells no progress means: one item more is graded, and all else is as it was.
function countOn() {
  for (const { dataset } of document.querySelectorAll("[data-progress]")) {
    dataset.mine = Number(dataset.mine) + 1;
    dataset.study = Number(dataset.study) + 1;
  }
}

// Keeps one item ahead, and says goodbye when everything is answered and stored.
class Supply {
  #timer = null;
  #asking = false;
  #again = false;
  #stopped = false;

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
    } catch ({ status }) {
      if (status === 401) return this.queue.signedOut(status);
      this.pages.explain(t("The next item comes when the connection is back."));
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
    this.#take(await json("/grade/next", { method: "POST", body: JSON.stringify(this.onPage) }));
  }

  // The items at the end of the page: what is ahead is among them.
  get have() {
    return this.pages.ids.slice(-10);
  }

  // What the page has, so that a reply brings what it lacks.
  get onPage() {
    return { have: this.have, message: shownMessage() };
  }

  // The page goes elsewhere, and a reply that is still on its way must not lead it to another place.
  leaveFor(place) {
    this.#stopped = true;
    location.assign(place);
  }

  // What came with a stored answer; where that was nothing (another tab asked, or a crush), it is asked for.
  receive(reply) {
    if (reply.items) this.#take(reply);
    if (!reply.items || (!reply.done && !this.pages.ahead)) this.refill();
  }

  #take({ items, progress, closed, done, message }) {
    showMessage(message);
    for (const { html } of items) this.pages.add(this.prepared(parseItem(html)));
    showProgress(this.pages, progress);
    const over = closed || (done && !this.pages.current); // a closed study offers nothing, not even these
    if (over && !this.#stopped && !this.queue.waiting.length) location.assign("/grade/thanks");
  }

  async fetch(id) {
    return this.prepared(parseItem((await json(`/grade/${id}`)).html));
  }

  // An item as it will be once the answers on their way have arrived.
  prepared(article) {
    for (const { item, answer } of this.queue.waiting) if (item === article.dataset.id) apply(article, answer);
    return article;
  }
}

function goBack(pages, supply) {
  pages.back((id) => supply.fetch(id)).then(
    (moved) => announce(moved ? backInWords(panelOf(pages.current)) : t("This is your first item.")),
    ({ status }) => {
      if (status === 401) supply.queue.signedOut(status);
      else announce(t("The item before can’t be fetched without a connection."));
    },
  );
}

function backInWords(panel) {
  const words = panel.questions.map((question) => question.words).filter(Boolean);
  if (!words.length || panel.missing) return t("Back one item. It has no answer.");
  return t("Back one item. Your answer was {answer}.", { answer: words.join(", ") });
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

// What was answered in another tab counts here, too: it shows, and can be changed, but is not asked again.
function adopt(pages, { item, revision, answers }) {
  const article = pages.find(item);
  if (!article || Number(article.dataset.revision) >= revision) return false;
  article.dataset.revision = String(revision);
  article.dataset.elsewhere = "true";
  panelOf(article).answers = answers;
  return article === pages.current;
}

// Of an answer that was refused, the item shows what is stored; without a connection, when it is opened again.
function followRefusals(pages, queue, supply) {
  const look = () => putAway(queue, pages.current?.dataset.id);
  pages.addEventListener("show", look);
  queue.addEventListener("refused", ({ detail }) => {
    look();
    supply.fetch(detail).then((article) => pages.replace(article), () => {});
  });
  look();
}

function setUpGrading(stage, queue) {
  const pages = new Pages(stage);
  const supply = new Supply(pages, queue);
  skipAnswered(pages, queue, supply);
  showProgress(pages);
  const answering = new Answering(pages, queue, new Drafts(queue.owner));
  const skipping = new Skipping(pages, answering);
  const flagging = new Flagging(pages, answering);
  const actions = {
    enter: () => answering.enter(),
    move: (step) => answering.move(step),
    skip: () => skipping.open(),
    flag: () => flagging.open(),
    back: () => goBack(pages, supply),
    help: setUpKeysDialog(pages),
  };
  setUpBack(pages, supply);
  listenToKeys((key) => skipping.press(key) || answering.press(key), (name, value) => actions[name](value));
  let leadsTo = null; // where the server wants the page to go, once nothing waits to be sent
  queue.addEventListener("stored", ({ detail }) => {
    if (!detail.progress) countOn();
    showProgress(pages, detail.progress);
    showMessage(detail.message);
    if (adopt(pages, detail)) answering.hint(t("You answered this item in another tab."));
    leadsTo = detail.go ?? leadsTo;
    const isChanged = document.body.dataset.return && detail.item === pages.current?.dataset.id;
    if (leadsTo && !queue.waiting.length) supply.leaveFor(leadsTo);
    else if (isChanged && !queue.waiting.length) supply.leaveFor(document.body.dataset.return);
    else supply.receive(detail);
  });
  queue.onPage = () => supply.onPage;
  queue.hasDraft = () => answering.hasDraft;
  followRefusals(pages, queue, supply);
  window.addEventListener("online", () => supply.refill());
  pages.addEventListener("show", ({ detail }) => {
    showProgress(pages);
    if (!detail) supply.refill();
  });
  return supply;
}

async function start() {
  const queue = new Queue(await openStore(), document.body.dataset.owner);
  const stage = document.querySelector("[data-stage]");
  let supply = null;
  const renewing = new Renewing(queue, () => supply?.refill());
  new SavedMark(queue, () => renewing.open());
  setUpMessage();
  await queue.load();
  if (stage) supply = setUpGrading(stage, queue);
  else putAway(queue);
  queue.start();
  window.addEventListener("beforeunload", (event) => {
    if (queue.waiting.length && !queue.store.durable) event.preventDefault();
  });
  document.documentElement.dataset.ready = "grading";
  document.dispatchEvent(new Event("grading-ready"));
}

start();
