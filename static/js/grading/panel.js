// The questions of one item: which one is active, what each was answered, what is still missing.

import { questionOf } from "./questions.js";
import { t } from "../words.js";

export class Panel extends EventTarget {
  changes = 0;
  #byPointer = false;
  #settled = new Map(); // the answers as they were before the last press
  #sent = ""; // the answers as they were sent last

  // `element`: the questions as the server made them, with the earlier answers in them.
  constructor(element) {
    super();
    this.element = element;
    this.isQuick = "quick" in element.dataset;
    this.questions = [...element.querySelectorAll("[data-question]")].map((each) => questionOf(each, this.isQuick));
    for (const question of this.questions) {
      question.element.addEventListener("focusin", () => this.activate(question));
      question.element.addEventListener("pointerup", () => (this.#byPointer = true));
      question.element.addEventListener("change", () => this.#afterChange(question));
      question.element.addEventListener("input", () => this.changed(question));
    }
    this.#settleAll();
    this.#keep();
    this.start();
  }

  // By the questions' names; what wasn't answered is left out.
  get answers() {
    const given = this.questions.map((question) => [question.name, question.answer]);
    return Object.fromEntries(given.filter(([, answer]) => answer !== null));
  }

  set answers(answers) {
    this.begin(answers);
    this.#keep();
  }

  // Answers that weren't sent.
  begin(answers) {
    for (const question of this.questions) {
      question.answer = answers[question.name] ?? null;
      question.tell("");
    }
    this.#settleAll();
    this.start();
  }

  get isChanged() {
    return JSON.stringify(this.answers) !== this.#sent;
  }

  // Where an item is entered: at what is open, else at the first that keys answer, to change it.
  start() {
    const keyed = this.questions.filter((question) => !question.isComment);
    const open = this.missing && (keyed.find((question) => question.isOpen) ?? this.missing);
    this.active = open || (keyed[0] ?? this.questions[0]);
    this.#show();
  }

  // The first question that keeps the answers from being sent.
  get missing() {
    return this.questions.find((question) => !question.isComplete) ?? null;
  }

  enable(isEnabled) {
    for (const field of this.element.querySelectorAll("button, input, textarea")) field.disabled = !isEnabled;
  }

  activate(question) {
    if (this.active === question) return;
    this.active = question;
    this.#show();
  }

  // Up and down among the questions.
  move(step) {
    const at = this.questions.indexOf(this.active) + step;
    if (this.questions[at]) this.goTo(this.questions[at]);
  }

  // A key for the active question, or for the comment: true when it was one, "typing" when it goes into a field.
  press(key) {
    for (const question of [this.active, ...this.questions.filter((each) => each.isComment)]) {
      const outcome = question.press(key);
      if (!outcome) continue;
      if (outcome === "typing") return "typing";
      this.#settle(question);
      this.changed(question);
      if (outcome === "answered") this.goOn();
      return true;
    }
    return false;
  }

  // Whether an answer of the active question has this key.
  knows(key) {
    return this.active.knows(key);
  }

  // How often an answer gave way to another since this was asked last.
  takeChanges() {
    const { changes } = this;
    this.changes = 0;
    return changes;
  }

  // To the next question without an answer, from the active one on and then round. False when all are answered.
  goOn() {
    const next = this.#nextOpen(this.active);
    if (next) this.goTo(next);
    return Boolean(next);
  }

  changed(question) {
    question.tell("");
    this.#show();
    this.dispatchEvent(new CustomEvent("change", { detail: question }));
  }

  // Say of a question what keeps the answers from being sent, and go there.
  demand(question) {
    question.tell(question.problem);
    this.goTo(question);
    return `${question.text} ${question.problem}`;
  }

  goTo(question) {
    this.activate(question);
    question.element.focus({ preventScroll: true });
    question.element.scrollIntoView({ block: "nearest" });
  }

  // After a press by hand the mark moves on, and the focus stays: keys then answer what is marked.
  #afterChange(question) {
    this.#settle(question);
    if (this.#byPointer && question.element.dataset.kind === "choice") this.activate(this.#nextOpen(question) ?? question);
    this.#byPointer = false;
  }

  #nextOpen(question) {
    const at = this.questions.indexOf(question);
    return [...this.questions.slice(at + 1), ...this.questions.slice(0, at)].find((each) => each.isOpen);
  }

  #settle(question) {
    this.changes += Number(question.hasChangedFrom(this.#settled.get(question)));
    this.#settled.set(question, question.answer);
  }

  #settleAll() {
    for (const question of this.questions) this.#settled.set(question, question.answer);
  }

  #keep() {
    this.#sent = JSON.stringify(this.answers);
  }

  #show() {
    for (const question of this.questions) question.element.toggleAttribute("data-active", question === this.active);
    const count = this.element.querySelector("[data-count]");
    if (!count) return;
    const needed = this.questions.filter((question) => question.isRequired);
    const done = needed.filter((question) => question.isComplete && question.isGiven).length;
    count.textContent = needed.length ? t("{done} of {n} answered", { done, n: needed.length }) : "";
    this.element.querySelector("[data-send]").classList.toggle("ready", !this.missing);
  }
}
