// Answers on their way: kept before they are sent, sent once and in order, forgotten only when the server says that
// it stored them. One tab sends at a time; the server tells a repeated delivery by its id.

import { memoryCopy } from "./queue_store.js";

const FIRST_DELAY = 1000;
const LONGEST_DELAY = 60_000;
const TIMEOUT = 20_000;
const REFUSALS = new Set([400, 409, 413, 422]);
const NOT_THIS_PERSON = new Set([401, 403, 404]);
const MOST_KEPT_ALIVE = 60_000; // a browser refuses to outlive its page with more

async function ownJson(response) {
  // A hotel's log-in page answers 200, too; only our own JSON counts.
  if (!/^application\/(problem\+)?json/.test(response.headers.get("content-type") ?? "")) return null;
  try {
    return await response.json();
  } catch {
    return null;
  }
}

function inWords(problem) {
  return [problem.detail, problem.remedy].filter(Boolean).join(" ");
}

// `page`: the items on the page, and the message, so that the reply brings what it lacks.
async function deliver(entry, page) {
  let response;
  const body = JSON.stringify({ ...entry.answer, ...page });
  try {
    response = await fetch(`/grade/${entry.item}/answer`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body,
      redirect: "manual",
      keepalive: body.length * 3 < MOST_KEPT_ALIVE,
      signal: AbortSignal.timeout?.(TIMEOUT),
    });
  } catch {
    return { outcome: "later" };
  }
  const reply = await ownJson(response);
  if (response.ok && reply?.stored === entry.answer.submission_id) return { outcome: "stored", body: reply };
  if (reply && NOT_THIS_PERSON.has(response.status)) return { outcome: "signed out", status: response.status };
  if (reply && REFUSALS.has(response.status)) return { outcome: "refused", reason: inWords(reply) };
  return { outcome: "later", after: Number(response.headers.get("retry-after")) * 1000 || 0 };
}

// Tells "change" whenever the number of waiting answers or the state may differ, and "stored" with the server's reply.
export class Queue extends EventTarget {
  entries = []; // this annotator's waiting answers, in order
  state = "idle"; // idle, sending, offline, signed out
  isSomebodyElse = false;
  stored = 0; // how many answers this page saw stored
  onPage = () => null; // what the page has; null where it shows no item
  hasDraft = () => false; // whether the page shows another answer than was sent
  #delay = FIRST_DELAY;
  #timer = null;
  #sending = false;
  #again = false;
  #keeping = Promise.resolve();

  constructor(store, owner) {
    super();
    this.store = store;
    this.owner = owner;
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel("codejury-answers") : null;
    this.channel?.addEventListener("message", ({ data }) => this.#heard(data));
  }

  load() {
    return this.#reload();
  }

  start() {
    for (const name of ["online", "pageshow"]) window.addEventListener(name, () => this.send());
    document.addEventListener("visibilitychange", () => document.hidden || this.send());
    this.send();
  }

  get waiting() {
    return this.entries.filter((entry) => !entry.refused);
  }

  get refused() {
    return this.entries.filter((entry) => entry.refused);
  }

  // Keep the answer first; sending comes second.
  add(item, answer) {
    const entry = { owner: this.owner, item, answer };
    this.entries.push(entry);
    this.#tell("change");
    this.#keeping = this.#keeping.then(() => this.#keep(entry)).then(() => this.send());
    return this.#keeping;
  }

  async dismiss(entry) {
    await this.store.remove(entry);
    await this.#reload();
  }

  // The browser is not signed in as this page's owner: answers wait until it is again.
  signedOut(status) {
    this.isSomebodyElse = status !== 401;
    this.#become("signed out");
  }

  async send() {
    if (this.#sending) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#sending = true;
    try {
      await this.#whileAlone(() => this.#drain());
    } finally {
      this.#sending = false;
    }
    if (this.#again) {
      this.#again = false;
      await this.send();
    }
  }

  async #keep(entry) {
    try {
      await this.store.add(entry);
    } catch {
      this.store = await memoryCopy(this.store, this.owner); // the disk is full: this page's memory takes over
      await this.store.add(entry);
    }
  }

  async #whileAlone(work) {
    // Locks need a secure context; without them the server's ids alone keep answers single.
    if (navigator.locks) return navigator.locks.request("codejury-answers", work);
    return work();
  }

  async #drain() {
    for (;;) {
      const [entry] = (await this.store.of(this.owner)).filter((each) => !each.refused);
      if (!entry) break;
      this.#become("sending");
      // A second try asks for nothing beside: whatever failed there must not keep the answer from being stored.
      const result = await deliver(entry, this.#delay === FIRST_DELAY ? this.onPage() : null);
      if (result.outcome === "later") return this.#retry(result.after);
      if (result.outcome === "signed out") return this.signedOut(result.status);
      await this.#settle(entry, result);
    }
    this.#become("idle");
  }

  async #settle(entry, { outcome, body, reason }) {
    this.#delay = FIRST_DELAY;
    if (outcome === "stored") await this.store.remove(entry);
    else await this.store.replace({ ...entry, refused: reason });
    this.channel?.postMessage({ owner: this.owner, body });
    await this.#ended(body);
    if (outcome === "refused") this.#tell("refused", entry.item);
  }

  // Another tab has sent an answer, perhaps one of this page's. That it could means that this browser is signed in.
  async #heard({ owner, body }) {
    if (owner !== this.owner) return;
    if (body && this.state === "signed out") this.#become("idle");
    await this.#ended(body);
  }

  async #ended(body) {
    if (body) this.stored += 1;
    await this.#reload();
    if (body) this.#tell("stored", body);
  }

  #retry(after = 0) {
    this.#become("offline");
    const delay = Math.max(after, this.#delay * (0.75 + Math.random() / 2));
    this.#delay = Math.min(this.#delay * 2, LONGEST_DELAY);
    this.#timer = setTimeout(() => this.send(), delay);
  }

  async #reload() {
    const before = this.#unkept();
    const kept = await this.store.of(this.owner);
    // An answer may be given, or reach the store, while it is being read.
    const ids = new Set(kept.map((entry) => entry.answer.submission_id));
    const others = new Set([...before, ...this.#unkept()]);
    this.entries = [...kept, ...[...others].filter((entry) => !ids.has(entry.answer.submission_id))];
    this.#tell("change");
  }

  #unkept() {
    return this.entries.filter((entry) => entry.number === undefined);
  }

  #become(state) {
    this.state = state;
    this.#tell("change");
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
