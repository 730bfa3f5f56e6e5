// Which key does what. Keys sleep while someone types, while a dialog is open, and while a key is held down.

const TYPING =
  "input:not([type=hidden], [type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]";
const PRESSED_BY_ENTER = "a, button, summary, input";
const MOVED_BY_ARROWS = "input, [role=region]";
const DIGIT = /^(?:Digit|Numpad)(\d)$/;
const NAMES = { s: "skip", Backspace: "back", f: "flag", h: "help", "?": "help" };
const STEPS = { ArrowUp: -1, ArrowDown: 1 };

function isUndo(event) {
  return (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z";
}

// Keyboards that need Shift for digits (French) still grade with one key: the place of the key counts, too.
function keyOf(event) {
  if (event.key.length > 1) return event.key;
  if (/^\d$/.test(event.key)) return event.key;
  const place = DIGIT.exec(event.code);
  return place && !event.shiftKey ? place[1] : event.key.toLowerCase();
}

// What the page itself does at a key that no question took.
function actionOf(key, target) {
  if (key === "Enter") return target.closest(PRESSED_BY_ENTER) ? null : ["enter"];
  if (key in STEPS) return target.closest(MOVED_BY_ARROWS) ? null : ["move", STEPS[key]];
  return NAMES[key] ? [NAMES[key]] : null;
}

// `press` gets each key first and tells whether it was meant for it; `act` gets the name of an action of the page.
export function listenToKeys(press, act) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.target.closest(TYPING) || document.querySelector("dialog[open]")) return;
    const key = keyOf(event);
    if (isUndo(event)) {
      event.preventDefault();
      if (!event.repeat) act("back");
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.repeat && !key.startsWith("Arrow")) {
      // A held Enter would press the focused answer again and again.
      if (event.target.closest("[data-answers]") || key in NAMES) event.preventDefault();
      return;
    }
    if (key.startsWith("Arrow") && event.target.closest(MOVED_BY_ARROWS)) return;
    const taken = press(key);
    const action = taken ? null : actionOf(key, event.target);
    if (action) act(...action);
    if (action || taken === true) event.preventDefault();
  });
}
