// From a press to an answer on its way: keys and buttons fill the questions of the item that shows, and send them.

import { t } from "../words.js";
import { panelOf } from "./pages.js";
import { Panel } from "./panel.js";
import { announce } from "./saved_mark.js";
import { Stopwatch } from "./stopwatch.js";

const DOUBLE_PRESS = 300; // the same press again so soon is a bounce of the key or the finger, not a judgement
const UNREAD = 250; // what is pressed so soon at a new item was meant for the one before
const FLASH = 180;
const HINT = 2500;

function newId() {
  // crypto.randomUUID needs https; these bytes don't.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The answer of a queued entry, shown on the item as if the server had it already.
export function apply(article, answer) {
  if (answer.kind === "flag") {
    article.dataset.note = answer.note;
    article.dataset.flagged = "true";
    return;
  }
  const panel = panelOf(article);
  // Entries of before there were several questions hold one value.
  panel.answers = answer.kind === "skip" ? {} : answer.answers ?? { [panel.questions[0].name]: answer.value };
  article.dataset.revision = String(Number(article.dataset.revision) + 1);
}

export class Answering {
  #hintTimer = null;
  #last = { press: "", at: -Infinity };
  #newSince = -Infinity;
  #watch = new Stopwatch();
  #byPointer = false;

  constructor(pages, queue, drafts) {
    this.pages = pages;
    this.queue = queue;
    this.drafts = drafts;
    this.place = document.querySelector("[data-questions-place]");
    this.shown = panelOf(pages.items[0]); // those that came with the page
    const form = document.querySelector("[data-answer-form]");
    form.addEventListener("submit", (event) => this.#submit(event));
    form.addEventListener("click", (event) => this.#click(event));
    form.addEventListener("keydown", (event) => this.#sendFromComment(event));
    pages.addEventListener("show", () => this.show(performance.now()));
    this.show();
  }

  get panel() {
    return this.pages.current ? panelOf(this.pages.current) : null;
  }

  // Whether what shows differs from what was sent.
  get hasDraft() {
    return Number(this.pages.current?.dataset.revision) > 0 && this.panel.isChanged;
  }

  // The questions of the item that shows; without an item there is nothing to answer.
  show(now = -Infinity) {
    this.#watch.restart();
    const article = this.pages.current;
    if (!article) return this.#showBlank();
    this.shown = this.panel;
    this.shown.enable(true);
    if (this.place.firstElementChild !== this.shown.element) this.place.replaceChildren(this.shown.element);
    if (this.shown.isHeard) this.shown.start();
    else this.#newSince = now;
    this.#listen(article, this.shown);
    this.#tellDraft();
  }

  // A key for the questions: true when it was one, "typing" when it is on its way into a field.
  press(key) {
    const { panel } = this;
    if (!panel) return false;
    // Where one press sends. With several questions the same key twice is two answers.
    if (panel.knows(key) && this.#isStray(panel.isQuick ? key : "")) return true;
    const taken = panel.press(key);
    if (taken === true && panel.isQuick) this.#send("key");
    return taken;
  }

  // Enter: on to the next question that needs an answer, or, when none does, send.
  enter(by = "key") {
    const { panel } = this;
    if (!panel || panel.isQuick || this.#isStray("")) return;
    const { missing } = panel;
    if (!missing) this.#send(by);
    else if (by === "key" && panel.active.isComplete && !panel.active.isOpen) panel.goTo(missing);
    else announce(panel.demand(missing));
  }

  move(step) {
    this.panel?.move(step);
  }

  skip(note, by) {
    if (!this.pages.current) return;
    this.#queue(this.pages.current, { kind: "skip", answers: {}, note, by });
    this.#leave();
  }

  flag(note) {
    if (this.pages.current) this.#queue(this.pages.current, { kind: "flag", answers: {}, note, by: "button" });
  }

  // A line above the answers, for a moment.
  hint(text) {
    const hint = document.querySelector("[data-hint]");
    hint.textContent = text;
    hint.hidden = false;
    announce(text);
    clearTimeout(this.#hintTimer);
    this.#hintTimer = setTimeout(() => (hint.hidden = true), HINT);
  }

  // The same questions, so that nothing jumps, without answers and not to be pressed.
  #showBlank() {
    const blank = new Panel(this.shown.element.cloneNode(true));
    blank.answers = {};
    blank.enable(false);
    this.place.replaceChildren(blank.element);
  }

  #listen(article, panel) {
    if (panel.isHeard) return;
    panel.isHeard = true;
    const draft = this.drafts.of(article.dataset.id);
    if (draft) panel.begin(draft);
    panel.addEventListener("change", () => {
      this.#watch.answered();
      if (panel.isQuick) return;
      if (panel.isChanged) this.drafts.keep(article.dataset.id, panel.answers);
      else this.drafts.forget(article.dataset.id);
      this.#tellDraft();
    });
  }

  #tellDraft() {
    this.queue.dispatchEvent(new Event("change"));
  }

  #send(by) {
    const { current: article } = this.pages;
    this.#flash();
    this.#watch.answered();
    this.#queue(article, { kind: "grade", answers: this.panel.answers, note: "", by });
    this.#leave();
  }

  #leave() {
    if (document.body.dataset.return) this.show(); // one answer was to be changed; the page goes back to the list
    else this.pages.forward();
  }

  #queue(article, answer) {
    const changes = panelOf(article).takeChanges();
    this.queue.add(article.dataset.id, {
      submission_id: newId(),
      revision: Number(article.dataset.revision),
      version: Number(article.dataset.version) || null,
      timing: { ...this.#watch.read(), changes },
      ...answer,
    });
    apply(article, answer);
    if (answer.kind !== "flag") this.drafts.forget(article.dataset.id);
  }

  #submit(event) {
    event.preventDefault();
    const by = this.#byPointer ? "button" : "key";
    this.#byPointer = false;
    const { panel } = this;
    if (!panel) return;
    if (!panel.isQuick) return this.enter(by);
    const value = Number(event.submitter.value);
    if (this.#isStray(String(value))) return;
    panel.questions[0].answer = value;
    this.#send("button");
  }

  #click(event) {
    if (event.detail > 1 && event.target.closest("[data-key]")) event.preventDefault();
    // Enter in a field presses the button, too, as a click of no finger.
    if (event.target.closest("[data-send]")) this.#byPointer = event.detail > 0;
  }

  #sendFromComment(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !event.target.matches("textarea")) return;
    event.preventDefault();
    this.enter();
  }

  // A press that counts for nothing must not look like one that does.
  #isStray(press) {
    const at = performance.now();
    const isDouble = press && press === this.#last.press && at - this.#last.at < DOUBLE_PRESS;
    const isEarly = !isDouble && at - this.#newSince < UNREAD;
    if (isDouble) this.hint(t("Pressed twice: counted once. Press again to grade this item."));
    if (isEarly) this.hint(t("Too soon to be meant for this item. Press again to grade it."));
    else this.#last = { press, at };
    return isDouble || isEarly;
  }

  #flash() {
    const button = this.panel.element.querySelector("[aria-pressed]") ?? this.panel.element.querySelector("[data-send]");
    button.classList.add("pressed");
    setTimeout(() => button.classList.remove("pressed"), FLASH);
  }
}
