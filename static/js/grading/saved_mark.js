// What the page says of the answers on their way: "saved" only when they are, and trouble in words.

import { t } from "../words.js";

const signedOut = () =>
  t("This browser is no longer signed in as you. Your answers are kept here and are sent once you sign in again.");
const notDurable = () =>
  t("This browser keeps nothing for later: answers that are not saved yet would be lost if you closed the page.");

// Short, since the mark must never push the answers about.
function markOf(queue) {
  const waiting = queue.waiting.length;
  if (queue.refused.length) return [t("not saved"), "trouble"];
  if (queue.state === "signed out") return [t("signed out · {waiting} waiting", { waiting }), "trouble"];
  if (queue.state === "offline" && waiting) return [t("offline · {waiting} waiting", { waiting }), "waiting"];
  if (waiting) return [t("saving…"), "saving"];
  if (queue.hasDraft()) return [t("not sent yet"), "waiting"];
  return queue.stored ? [t("saved ✓"), "saved"] : ["", ""];
}

function troubleOf(queue) {
  const [refused] = queue.refused;
  if (refused) return { text: refused.refused, entry: refused };
  if (queue.state === "signed out") return { text: signedOut(), isSignedOut: true };
  if (queue.waiting.length && !queue.store.durable && queue.state === "offline") return { text: notDurable() };
  return null;
}

function copyOf(queue) {
  const answers = queue.entries.map(({ item, answer }) => ({ item, ...answer }));
  return new Blob([JSON.stringify(answers, null, 2)], { type: "application/json" });
}

// A refusal that was seen with its item is put away by going elsewhere. `item`: what shows.
export async function putAway(queue, item) {
  for (const entry of queue.refused) {
    if (entry.item === item) await queue.store.replace(Object.assign(entry, { isSeen: true }));
    else if (entry.isSeen) await queue.dismiss(entry);
  }
}

export function announce(text) {
  document.getElementById("live-region").textContent = text;
}

export class SavedMark {
  #closed = null; // the trouble that the reader has put away
  #last = "";

  // `renew` opens what signs the reader in again.
  constructor(queue, renew) {
    this.queue = queue;
    this.marks = document.querySelectorAll("[data-saved]");
    this.box = document.querySelector("[data-trouble]");
    this.box.querySelector("[data-trouble-close]").addEventListener("click", () => this.#close());
    this.renewal = this.box.querySelector("[data-trouble-renew]");
    this.renewal.addEventListener("click", renew);
    this.box.querySelector("[data-trouble-copy]").addEventListener("click", () => this.#download());
    queue.addEventListener("change", () => this.update());
    this.update();
  }

  update() {
    const [text, state] = markOf(this.queue);
    for (const mark of this.marks) {
      mark.textContent = text;
      mark.dataset.state = state;
    }
    // Saving goes without saying; hearing "saved" after each item for an hour would be a plague.
    if (state !== this.#last && (state === "waiting" || (state === "saved" && this.#last !== "saving"))) announce(text);
    if (state !== "saving") this.#last = state;
    this.#showTrouble(troubleOf(this.queue));
  }

  #showTrouble(trouble) {
    if (!trouble) this.#closed = null;
    // The dialog that signs in again says the same, and more.
    const isToldAlready = trouble?.isSignedOut && document.querySelector("[data-renewing]").open;
    this.box.hidden = !trouble || isToldAlready || trouble.text === this.#closed;
    if (this.box.hidden) return;
    this.box.querySelector("[data-trouble-text]").textContent = trouble.text;
    const link = this.box.querySelector("[data-trouble-item]");
    link.hidden = !trouble.entry;
    if (trouble.entry) link.href = `/grade/${trouble.entry.item}`;
    this.renewal.hidden = !trouble.isSignedOut;
    this.box.querySelector("[data-trouble-copy]").hidden = Boolean(trouble.entry);
  }

  async #close() {
    const [refused] = this.queue.refused;
    if (refused) await this.queue.dismiss(refused);
    else this.#closed = troubleOf(this.queue)?.text ?? null;
    this.update();
  }

  #download() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(copyOf(this.queue));
    link.download = "my-answers.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}
