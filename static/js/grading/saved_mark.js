// What the page says of the answers on their way: "saved" only when they are, and trouble in words.

const SIGNED_OUT =
  "This browser is no longer signed in as you. Your answers are kept here: open your personal link in this browser " +
  "again, and they will be sent.";
const NOT_DURABLE =
  "This browser keeps nothing for later: answers that are not saved yet would be lost if you closed the page.";

// Short, since the mark must never push the answers about.
function markOf(queue) {
  const waiting = queue.waiting.length;
  if (queue.refused.length) return ["not saved", "trouble"];
  if (queue.state === "signed out" && waiting) return [`signed out · ${waiting} waiting`, "trouble"];
  if (queue.state === "offline" && waiting) return [`offline · ${waiting} waiting`, "waiting"];
  if (waiting) return ["saving…", "saving"];
  return queue.stored ? ["saved ✓", "saved"] : ["", ""];
}

function troubleOf(queue) {
  const [refused] = queue.refused;
  if (refused) return { text: refused.refused, entry: refused };
  if (!queue.waiting.length) return null;
  if (queue.state === "signed out") return { text: SIGNED_OUT };
  if (!queue.store.durable && queue.state === "offline") return { text: NOT_DURABLE };
  return null;
}

function copyOf(queue) {
  const answers = queue.entries.map(({ item, answer }) => ({ item, ...answer }));
  return new Blob([JSON.stringify(answers, null, 2)], { type: "application/json" });
}

export function announce(text) {
  document.getElementById("live-region").textContent = text;
}

export class SavedMark {
  #closed = null; // the trouble that the reader has put away
  #last = "";

  constructor(queue) {
    this.queue = queue;
    this.marks = document.querySelectorAll("[data-saved]");
    this.box = document.querySelector("[data-trouble]");
    this.box.querySelector("[data-trouble-close]").addEventListener("click", () => this.#close());
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
    this.box.hidden = !trouble || trouble.text === this.#closed;
    if (this.box.hidden) return;
    this.box.querySelector("[data-trouble-text]").textContent = trouble.text;
    const link = this.box.querySelector("[data-trouble-item]");
    link.hidden = !trouble.entry;
    if (trouble.entry) link.href = `/grade/${trouble.entry.item}`;
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
