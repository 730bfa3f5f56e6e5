// The viewer of pairs: a choice shows at once, and keys step to the places beside this one.

const TYPING = "input:not([type=checkbox]), textarea, select, [contenteditable]";
const SCROLLED_BY_ARROWS = "[role=region]";

const form = document.querySelector("[data-viewer]");
if (form) {
  form.querySelector("[data-submit]").hidden = true;
  form.addEventListener("change", () => form.requestSubmit());
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.target.closest(TYPING)) return;
  if (event.key.startsWith("Arrow") && (event.shiftKey || event.target.closest(SCROLLED_BY_ARROWS))) return;
  const link = [...document.querySelectorAll("a[data-key]")].find((each) => each.dataset.key === event.key);
  if (!link) return;
  event.preventDefault();
  link.click();
});
