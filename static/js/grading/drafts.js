// Answers that were begun and not sent: kept in this browser by item, so that a reload or a closed tab loses none.

const MOST = 20;

export class Drafts {
  constructor(owner) {
    this.key = `codejury-drafts-${owner}`;
  }

  of(item) {
    return this.#all.find(([id]) => id === item)?.[1] ?? null;
  }

  keep(item, answers) {
    this.#store([[item, answers], ...this.#without(item)].slice(0, MOST));
  }

  forget(item) {
    if (this.of(item)) this.#store(this.#without(item));
  }

  get #all() {
    try {
      return JSON.parse(localStorage.getItem(this.key)) ?? [];
    } catch {
      return [];
    }
  }

  #without(item) {
    return this.#all.filter(([id]) => id !== item);
  }

  #store(drafts) {
    try {
      if (drafts.length) localStorage.setItem(this.key, JSON.stringify(drafts));
      else localStorage.removeItem(this.key);
    } catch {
      // A full disk: the draft lives as long as the page.
    }
  }
}
