// A sign-in that ended is renewed where one is: by the personal link, here or in another tab. Nothing on the page goes.

import { t } from "../words.js";
import { closable } from "./dialogs.js";

const TOKEN = /\/me\/([\w-]{20,})/;

export class Renewing {
  #wasPutOff = false;

  // `goOn` is called once the browser is signed in as the page's owner again.
  constructor(queue, goOn) {
    this.queue = queue;
    this.goOn = goOn;
    this.dialog = closable(document.querySelector("[data-renewing]"));
    this.field = this.dialog.querySelector("input");
    this.error = this.dialog.querySelector("[data-renewing-error]");
    this.dialog.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#renew();
    });
    this.dialog.addEventListener("close", () => {
      this.#wasPutOff = queue.state === "signed out";
      queue.dispatchEvent(new CustomEvent("change"));
    });
    queue.addEventListener("change", () => this.#follow());
  }

  open() {
    if (!this.dialog.open) this.dialog.showModal();
  }

  #follow() {
    if (this.queue.state === "signed out") {
      if (!this.#wasPutOff) this.open();
      this.error.textContent = this.queue.isSomebodyElse
        ? t("This browser is signed in as somebody else now. Open your own link.")
        : this.error.textContent;
    } else if (this.queue.state === "idle") {
      const wasOut = this.dialog.open || this.#wasPutOff;
      this.#wasPutOff = false;
      this.error.textContent = this.field.value = "";
      this.dialog.close();
      if (wasOut) this.goOn();
    }
  }

  async #renew() {
    const token = TOKEN.exec(this.field.value)?.[1];
    this.error.textContent = token ? "" : t("A personal link has /me/ in it. Paste all of it.");
    if (!token) return;
    try {
      // Where the link leads doesn't matter here; the cookie that it brings does.
      const response = await fetch(`/me/${token}`, { method: "POST", redirect: "manual" });
      if (response.type === "opaqueredirect" || response.ok) await this.queue.send();
      else this.error.textContent = t("This personal link does not exist or was replaced. Ask the study’s team.");
    } catch {
      this.error.textContent = t("There is no connection. Try again in a moment.");
    }
  }
}
