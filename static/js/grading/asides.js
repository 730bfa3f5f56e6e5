// The small forms beside the answers: S skips, with a reason or without; F flags. Escape closes them.

import { t } from "../words.js";

class Aside {
  constructor(pages, name) {
    this.pages = pages;
    this.box = document.querySelector(`[data-${name}]`);
    this.summary = this.box.querySelector("summary");
    this.form = this.box.querySelector("form");
    pages.addEventListener("show", () => this.show());
    this.box.addEventListener("toggle", () => this.box.open && this.first.focus());
    this.box.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send(event.submitter);
    });
    this.show();
  }

  get isOpen() {
    return this.box.open;
  }

  show() {
    this.box.open = false;
    this.box.hidden = !this.pages.current;
  }

  open() {
    if (this.pages.current) this.box.open = true;
  }

  close() {
    this.box.open = false;
    this.pages.stage.querySelector("h1").focus({ preventScroll: true });
  }
}

export class Skipping extends Aside {
  constructor(pages, answering) {
    super(pages, "skip");
    this.answering = answering;
  }

  get first() {
    return this.form.querySelector("[data-plain]");
  }

  get other() {
    return this.form.querySelector("input[name=other]");
  }

  show() {
    super.show();
    this.other.value = "";
  }

  // S again, Enter, or the digit of a reason; whether the key meant anything here.
  press(key) {
    if (!this.isOpen) return false;
    if (key === "s") this.#skip("", "key");
    const reason = this.form.querySelector(`[data-reason="${CSS.escape(key)}"]`);
    if (reason) this.#skip(reason.value, "key");
    return /^[\w\d]$/.test(key); // no other key may grade behind the open form
  }

  send(button) {
    this.#skip(this.other.value.trim() || (button?.value ?? ""), "button");
  }

  #skip(note, by) {
    this.box.open = false;
    this.answering.skip(note, by);
  }
}

export class Flagging extends Aside {
  constructor(pages, answering) {
    super(pages, "flag");
    this.answering = answering;
    this.first.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return; // Enter alone is a new line
      event.preventDefault();
      this.form.requestSubmit();
    });
  }

  get first() {
    return this.form.querySelector("textarea");
  }

  show() {
    super.show();
    const article = this.pages.current;
    this.first.value = article?.dataset.note ?? "";
    this.summary.textContent = article?.dataset.flagged === "true" ? t("flagged") : t("flag");
  }

  send() {
    this.answering.flag(this.first.value);
    this.show();
    this.pages.stage.querySelector("h1").focus({ preventScroll: true });
  }
}
