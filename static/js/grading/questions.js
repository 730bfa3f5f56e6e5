// One question of each kind: its answer read from its fields and put into them, and what a key does to it.
// `press` tells "answered" when the question is done with, "changed" when there may be more to come, else nothing.

import { t } from "../words.js";

class Question {
  constructor(element) {
    this.element = element;
    this.name = element.dataset.question;
    this.isRequired = "required" in element.dataset;
  }

  get text() {
    return this.element.querySelector(".asked").textContent.trim();
  }

  // The answer as its buttons name it.
  get words() {
    return this.isOpen ? "" : String(this.answer);
  }

  // Whether nothing was answered yet.
  get isOpen() {
    return this.answer === null;
  }

  // Whether somebody answered it.
  get isGiven() {
    return !this.isOpen;
  }

  // Whether what is there may be sent.
  get isComplete() {
    return !this.isRequired || !this.isOpen;
  }

  // Why it may not.
  get problem() {
    return t("This needs an answer.");
  }

  // A problem, shown and read with the question; "" takes it away.
  tell(problem) {
    const place = this.element.querySelector("[data-error]");
    if (place) place.textContent = problem;
    this.element.classList.toggle("wrong", Boolean(problem));
  }

  // Whether an answer gave way to another: a change of mind.
  hasChangedFrom(before) {
    return before !== null && before !== this.answer;
  }

  // The buttons or boxes that answer it.
  get fields() {
    return [...this.element.querySelectorAll("[data-key]")];
  }

  fieldOf(key) {
    return this.fields.find((each) => each.dataset.key === key);
  }

  // Whether an answer of it has this key.
  knows(key) {
    return Boolean(this.fieldOf(key));
  }

  press() {
    return null;
  }
}

// What stands on an answer's button or label. A key that isn't its number is said to be one.
function faceOf(element, key) {
  const words = element.textContent.trim().replace(/\s+/g, " ");
  if (!element.querySelector("kbd")) return words;
  return t("{words} (key {key})", { words: words.slice(key.length).trim(), key });
}

class ChoiceQuestion extends Question {
  get answer() {
    const chosen = this.fields.find((input) => input.checked);
    return chosen ? Number(chosen.value) : null;
  }

  get words() {
    return this.fields.filter((input) => input.checked).map((input) => faceOf(input.labels[0], input.dataset.key)).join("");
  }

  set answer(value) {
    for (const input of this.fields) input.checked = value !== null && Number(input.value) === value;
  }

  press(key) {
    const input = this.fieldOf(key);
    if (!input) return null;
    const takesBack = input.checked && !this.isRequired; // the same key again: no answer after all
    input.checked = !takesBack;
    return takesBack ? "changed" : "answered";
  }
}

// The only question of an item: its buttons send at once.
class QuickQuestion extends Question {
  #value = null;

  constructor(element) {
    super(element);
    const pressed = element.querySelector("[data-key][aria-pressed]");
    this.#value = pressed ? Number(pressed.value) : null;
  }

  get answer() {
    return this.#value;
  }

  get words() {
    const button = this.fields.find((each) => Number(each.value) === this.#value);
    return this.isOpen || !button ? "" : faceOf(button, button.dataset.key);
  }

  set answer(value) {
    this.#value = value;
    for (const button of this.fields) {
      if (value !== null && Number(button.value) === value) button.setAttribute("aria-pressed", "true");
      else button.removeAttribute("aria-pressed");
    }
  }

  press(key) {
    const button = this.fieldOf(key);
    if (!button) return null;
    this.answer = Number(button.value);
    return "answered";
  }
}

class LabelsQuestion extends Question {
  #isTouched;

  constructor(element) {
    super(element);
    this.#isTouched = "given" in element.dataset;
    element.addEventListener("input", () => (this.#isTouched = true));
  }

  get least() {
    return Number(this.element.dataset.least);
  }

  get chosen() {
    return this.fields.filter((input) => input.checked).map((input) => input.value);
  }

  // Where none need be chosen, none is an answer, too.
  get answer() {
    return this.chosen.length || !this.least ? this.chosen : null;
  }

  get words() {
    if (this.isOpen) return this.isGiven ? t("none of the labels") : "";
    return this.fields.filter((input) => input.checked).map((input) => faceOf(input.labels[0], input.dataset.key)).join(", ");
  }

  set answer(names) {
    this.#isTouched = Boolean(names);
    for (const input of this.fields) input.checked = names?.includes(input.value) ?? false;
  }

  // That none applies is said by somebody, not by the page.
  get isGiven() {
    return !this.isOpen || (this.#isTouched && !this.least);
  }

  get isOpen() {
    return !this.chosen.length;
  }

  get isComplete() {
    return this.chosen.length >= this.least || (!this.isRequired && this.isOpen);
  }

  // One more is no change of mind; one less is.
  hasChangedFrom(before) {
    return (before ?? []).some((name) => !this.chosen.includes(name));
  }

  get problem() {
    return t("Choose at least {n}.", { n: this.least });
  }

  press(key) {
    const input = this.fieldOf(key);
    if (!input) return null;
    input.checked = !input.checked;
    this.#isTouched = true;
    return "changed";
  }
}

class NumberQuestion extends Question {
  constructor(element) {
    super(element);
    this.field = element.querySelector("input[type=number]");
    this.range = element.querySelector("[data-range]");
    this.range.hidden = false;
    this.range.addEventListener("input", () => (this.field.value = this.range.value));
    this.field.addEventListener("input", () => this.#follow());
    this.#follow();
  }

  get answer() {
    return this.field.value === "" || !this.field.validity.valid ? null : this.field.valueAsNumber;
  }

  set answer(value) {
    this.field.value = value === null ? "" : String(value);
    this.#follow();
  }

  get isWrong() {
    return !this.field.validity.valid;
  }

  get isComplete() {
    return !this.isWrong && super.isComplete;
  }

  get problem() {
    const { min, max, step } = this.field;
    return t("A number from {min} to {max} in steps of {step} is needed.", { min, max, step });
  }

  knows(key) {
    return /^([\d.,-]|ArrowLeft|ArrowRight)$/.test(key);
  }

  press(key) {
    if (/^[\d.,-]$/.test(key)) {
      this.field.focus({ preventScroll: true }); // the digit itself goes where the focus is
      this.field.select();
      return "typing";
    }
    if (!this.knows(key)) return null;
    if (this.answer === null) this.field.value = this.range.value;
    else if (key === "ArrowRight") this.field.stepUp();
    else this.field.stepDown();
    this.#follow();
    return "changed";
  }

  // The handle stands where the number is; before there is one it is pale, in the middle.
  #follow() {
    this.range.classList.toggle("unset", this.answer === null);
    if (this.answer !== null) this.range.value = this.field.value;
  }
}

class CommentQuestion extends Question {
  isComment = true;

  constructor(element) {
    super(element);
    this.field = element.querySelector("textarea");
  }

  get answer() {
    return this.field.value.trim() === "" ? null : this.field.value;
  }

  hasChangedFrom() {
    return false; // who writes, rewrites
  }

  set answer(text) {
    this.field.value = text ?? "";
  }

  press(key) {
    if (key !== "c") return null;
    this.field.focus({ preventScroll: true });
    return "changed";
  }
}

const KINDS = { choice: ChoiceQuestion, labels: LabelsQuestion, number: NumberQuestion, comment: CommentQuestion };

export function questionOf(element, isQuick) {
  return isQuick ? new QuickQuestion(element) : new KINDS[element.dataset.kind](element);
}
