// A preview of the grading page: keys, sliders and dialogs do what they do for annotators, and nothing is kept. The
// forms go to the preview's own address, which stores nothing, either.

import { setUpKeysDialog } from "./grading/dialogs.js";
import { listenToKeys } from "./grading/keys.js";
import { Panel } from "./grading/panel.js";

const panel = new Panel(document.querySelector("[data-panel]"));
const form = document.querySelector("[data-answer-form]");

function open(name) {
  const box = document.querySelector(`[data-${name}]`);
  box.open = true;
  box.querySelector("textarea, [data-plain]").focus();
}

function send() {
  if (panel.missing) panel.demand(panel.missing);
  else form.requestSubmit();
}

function press(key) {
  const taken = panel.press(key);
  if (taken === true && panel.isQuick) send();
  return taken;
}

const actions = {
  enter: send,
  move: (step) => panel.move(step),
  skip: () => open("skip"),
  flag: () => open("flag"),
  help: setUpKeysDialog({ current: document.querySelector(".item") }),
};
listenToKeys(press, (name, value) => actions[name]?.(value));
form.addEventListener("submit", (event) => {
  if (panel.isQuick || !panel.missing) return;
  event.preventDefault();
  panel.demand(panel.missing);
});
document.documentElement.dataset.ready = "preview";
