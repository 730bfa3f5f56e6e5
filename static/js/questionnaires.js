// The editor: its preview answers to the hand, and what was typed is not left behind without a question.

import { Panel } from "./grading/panel.js";

// A number's slider shows with a script only, here as for annotators.
function wakePreview() {
  for (const panel of document.querySelectorAll("#preview [data-panel]:not([data-awake])")) {
    panel.dataset.awake = "";
    new Panel(panel);
  }
}

wakePreview();
document.addEventListener("htmx:afterSettle", wakePreview);

let typed = false;

document.addEventListener("input", (event) => {
  if (event.target.closest("[data-guarded]")) typed = true;
});
// What is sent is either saved, or comes back in the form.
document.addEventListener("submit", () => { typed = false; });
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id === "editor") typed = true;
});
for (const failure of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(failure, () => { typed = true; });
}
addEventListener("beforeunload", (event) => {
  if (typed) event.preventDefault();
});
