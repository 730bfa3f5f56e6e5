// The flag's small form: F opens it, Escape closes it, sending it never moves to another item.

export class Flagging {
  constructor(pages, answering) {
    this.pages = pages;
    this.box = document.querySelector("[data-flag]");
    this.summary = this.box.querySelector("summary");
    this.note = this.box.querySelector("textarea");
    pages.addEventListener("show", () => this.show());
    this.show();
    this.box.addEventListener("toggle", () => this.box.open && this.note.focus());
    this.box.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    this.box.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      answering.flag(this.note.value);
      this.show();
      pages.stage.querySelector("h1").focus({ preventScroll: true });
    });
  }

  show() {
    const article = this.pages.current;
    this.box.open = false;
    this.box.hidden = !article;
    this.note.value = article?.dataset.note ?? "";
    this.summary.textContent = article?.dataset.flagged === "true" ? "flagged" : "flag";
  }

  open() {
    if (this.pages.current) this.box.open = true;
  }

  close() {
    this.box.open = false;
    this.pages.stage.querySelector("h1").focus({ preventScroll: true });
  }
}
