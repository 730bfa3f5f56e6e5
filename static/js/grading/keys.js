// Which key does what. Keys sleep while someone types, while a dialog is open, and while a key is held down.

const TYPING = "input:not([type=hidden]), textarea, select, [contenteditable]";
const DIGIT = /^(?:Digit|Numpad)(\d)$/;

function isUndo(event) {
  return (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z";
}

// Keyboards that need Shift for digits (French) still grade with one key: the place of the key counts, too.
function digitOf(event) {
  if (/^\d$/.test(event.key)) return event.key;
  const place = DIGIT.exec(event.code);
  return place && !event.shiftKey ? place[1] : null;
}

function actionOf(event, choices) {
  if (isUndo(event)) return ["back"];
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const digit = digitOf(event);
  if (digit !== null) return choices.has(digit) ? ["grade", choices.get(digit)] : null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const names = { s: "skip", Backspace: "back", f: "flag", h: "help", "?": "help" };
  return names[key] ? [names[key]] : null;
}

// `choices` maps a key to the value of its answer; `act` gets the name of the action and the value.
export function listenToKeys(choices, act) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.target.closest(TYPING) || document.querySelector("dialog[open]")) return;
    if (event.repeat) {
      // A held Enter would press the focused answer again and again.
      if (event.target.closest("[data-answers]") || actionOf(event, choices)) event.preventDefault();
      return;
    }
    const action = actionOf(event, choices);
    if (!action) return;
    event.preventDefault();
    act(...action);
  });
}
