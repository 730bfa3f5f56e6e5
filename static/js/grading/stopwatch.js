// How an item was looked at, measured and never smoothed; see app/storage/active_time.py for what each number means.

const IDLE_AFTER = 30_000;
const SIGNS_OF_LIFE = ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchmove"];

export class Stopwatch {
  #shownAt = new Date();
  #start = performance.now();
  #firstKey = null;
  #hidden = 0;
  #idle = 0;
  #hiddenSince = document.hidden ? performance.now() : null;
  #seen = performance.now(); // the last sign of life

  constructor() {
    for (const name of SIGNS_OF_LIFE) {
      document.addEventListener(name, () => this.#live(), { passive: true, capture: true });
    }
    document.addEventListener("visibilitychange", () => this.#turn());
  }

  restart() {
    this.#shownAt = new Date();
    this.#start = this.#seen = performance.now();
    this.#firstKey = null;
    this.#hidden = this.#idle = 0;
    this.#hiddenSince = document.hidden ? this.#start : null;
  }

  // Something was answered.
  answered() {
    this.#firstKey ??= performance.now();
  }

  read() {
    this.#live();
    const now = performance.now();
    const stillHidden = this.#hiddenSince === null ? 0 : now - this.#hiddenSince;
    return {
      shown_at: this.#shownAt.toISOString(),
      first_key_ms: this.#firstKey === null ? null : Math.round(this.#firstKey - this.#start),
      submit_ms: Math.round(now - this.#start),
      hidden_ms: Math.round(this.#hidden + stillHidden),
      idle_ms: Math.round(this.#idle),
    };
  }

  #live() {
    const now = performance.now();
    if (this.#hiddenSince === null) this.#idle += Math.max(0, now - this.#seen - IDLE_AFTER);
    this.#seen = now;
  }

  #turn() {
    this.#live();
    if (document.hidden) this.#hiddenSince ??= this.#seen;
    else if (this.#hiddenSince !== null) {
      this.#hidden += this.#seen - this.#hiddenSince;
      this.#hiddenSince = null;
    }
  }
}
