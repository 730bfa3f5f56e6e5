// The items on the page: those behind, the one that shows, and the one ahead, which is there before it is needed.

import { t } from "../words.js";
import { Panel } from "./panel.js";

const KEPT_BEHIND = 100;
const panels = new WeakMap();

export function parseItem(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

// The questions of an item; they come with it, and keep what was entered while the item is on the page.
export function panelOf(article) {
  if (!panels.has(article)) {
    const apart = article.querySelector("template[data-questions]");
    const element = apart ? apart.content : document.querySelector("[data-questions-place]");
    panels.set(article, new Panel(element.firstElementChild));
  }
  return panels.get(article);
}

// Ask for the picture of an item that doesn't show yet, so that it is there with the item.
function warmPicture(article) {
  const picture = article.querySelector("img");
  if (picture) new Image().src = picture.getAttribute("src");
}

function placeholder() {
  const article = parseItem(
    '<article class="item waiting" aria-busy="true"><h1 tabindex="-1"></h1><p class="muted"></p></article>',
  );
  article.querySelector("h1").textContent = t("Getting the next item…");
  article.querySelector("p").textContent = t("Your answers are kept in this browser until they are stored.");
  return article;
}

// Tells "show" with the article whenever another item shows; null while there is none.
export class Pages extends EventTarget {
  items = [];
  index = 0;

  constructor(stage) {
    super();
    this.stage = stage;
    this.items = [stage.querySelector(".item")];
    panelOf(this.items[0]);
    for (const template of document.querySelectorAll("template[data-ahead]")) {
      this.add(template.content.firstElementChild);
    }
  }

  get current() {
    return this.items[this.index] ?? null;
  }

  get ids() {
    return this.items.map((article) => article.dataset.id);
  }

  // How many items wait behind the one that shows.
  get ahead() {
    return Math.max(0, this.items.length - 1 - this.index);
  }

  find(id) {
    return this.items.find((article) => article.dataset.id === id);
  }

  add(article) {
    if (this.find(article.dataset.id)) return;
    this.items.push(article);
    warmPicture(article);
    if (this.index === this.items.length - 1) this.#show();
  }

  // The same item, as the server has it.
  replace(article) {
    const at = this.ids.indexOf(article.dataset.id);
    if (at < 0) return;
    this.items[at] = article;
    if (at === this.index) this.#show();
  }

  forward() {
    do this.index += 1;
    while (this.current?.dataset.elsewhere); // answered in another tab
    while (this.index > KEPT_BEHIND) {
      this.items.shift();
      this.index -= 1;
    }
    this.#show();
  }

  // Why there is no item yet.
  explain(text) {
    const heading = this.stage.querySelector(".waiting h1");
    if (heading) heading.textContent = text;
  }

  // The item before; from the server when this page never had it. False when there is none.
  async back(fetchItem) {
    if (this.index > 0) {
      this.index -= 1;
    } else {
      const previous = this.current?.dataset.previous;
      if (!previous) return false;
      const article = await fetchItem(previous);
      if (!article || this.index !== 0) return false;
      this.items.unshift(article);
    }
    this.#show();
    return true;
  }

  #show() {
    this.stage.replaceChildren(this.current ?? placeholder());
    window.scrollTo(0, 0);
    this.stage.querySelector("h1").focus({ preventScroll: true });
    this.dispatchEvent(new CustomEvent("show", { detail: this.current }));
  }
}
