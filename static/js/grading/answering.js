// One press, one answer: the form's buttons and the keys become answers of the item that shows.

import { announce } from "./saved_mark.js";

const DOUBLE_PRESS = 300; // the same answer again so soon is a bounce of the key or the finger, not a judgement
const FLASH = 180;
const HINT = 2500;

function newId() {
  // crypto.randomUUID needs https; these bytes don't.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Time for which the item was really looked at: hidden tabs don't count.
class Stopwatch {
  #since = performance.now();
  #total = 0;

  constructor() {
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.#total += performance.now() - this.#since;
      this.#since = performance.now();
    });
  }

  restart() {
    this.#total = 0;
    this.#since = performance.now();
  }

  get milliseconds() {
    return Math.round(this.#total + (document.hidden ? 0 : performance.now() - this.#since));
  }
}

// The answer of a queued entry, shown on the item as if the server had it already.
export function apply(article, answer) {
  if (answer.kind === "flag") {
    article.dataset.note = answer.note;
    article.dataset.flagged = "true";
    return;
  }
  article.dataset.value = answer.kind === "grade" ? String(answer.value) : "";
  article.dataset.revision = String(Number(article.dataset.revision) + 1);
}

export class Answering {
  #hintTimer = null;
  #last = { press: "", at: -Infinity };
  #watch = new Stopwatch();

  constructor(pages, queue) {
    this.pages = pages;
    this.queue = queue;
    this.form = document.querySelector("[data-answer-form]");
    this.buttons = [...this.form.querySelectorAll("[data-key]")];
    pages.addEventListener("show", () => this.show());
    this.show();
    document.querySelector("[data-answers]").addEventListener("click", (event) => {
      if (event.detail > 1 && event.target.closest("[data-key], [data-skip]")) event.preventDefault();
    });
    this.form.addEventListener("submit", (event) => this.#submit(event));
  }

  // Key → value, as the buttons say.
  get choices() {
    return new Map(this.buttons.map((button) => [button.dataset.key, button.value]));
  }

  // Mark the earlier answer of the item that shows; without an item there is nothing to answer.
  show() {
    const article = this.pages.current;
    this.#watch.restart();
    for (const button of [...this.buttons, document.querySelector("[data-skip]")]) button.disabled = !article;
    for (const button of this.buttons) {
      if (article && article.dataset.value === button.value) button.setAttribute("aria-pressed", "true");
      else button.removeAttribute("aria-pressed");
    }
  }

  give(kind, value, by) {
    const article = this.pages.current;
    if (!article) return;
    if (this.#isDouble(`${kind} ${value}`)) return this.#tellDouble();
    this.#flash(kind === "grade" ? this.buttons.find((button) => button.value === value) : null);
    this.#queue(article, { kind, value: kind === "grade" ? Number(value) : null, note: "", by });
    if (document.body.dataset.return) this.show(); // one answer was to be changed; the page goes back to the list
    else this.pages.forward();
  }

  flag(note) {
    if (this.pages.current) this.#queue(this.pages.current, { kind: "flag", value: null, note, by: "button" });
  }

  #queue(article, answer) {
    const revision = Number(article.dataset.revision);
    this.queue.add(article.dataset.id, {
      submission_id: newId(),
      revision,
      active_ms: Math.min(this.#watch.milliseconds, 86_400_000),
      ...answer,
    });
    apply(article, answer);
  }

  #submit(event) {
    event.preventDefault();
    const button = event.submitter;
    if (button?.name === "value") this.give("grade", button.value, "button");
    else if (button?.value === "skip") this.give("skip", null, "button");
  }

  #isDouble(press) {
    const now = performance.now();
    const double = press === this.#last.press && now - this.#last.at < DOUBLE_PRESS;
    this.#last = { press, at: now };
    return double;
  }

  // A press that counts for nothing must not look like one that does.
  #tellDouble() {
    const hint = document.querySelector("[data-double]");
    hint.hidden = false;
    announce(hint.textContent);
    clearTimeout(this.#hintTimer);
    this.#hintTimer = setTimeout(() => (hint.hidden = true), HINT);
  }

  #flash(button) {
    if (!button) return;
    button.classList.add("pressed");
    setTimeout(() => button.classList.remove("pressed"), FLASH);
  }
}
