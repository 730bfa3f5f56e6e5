// Enter leads on from a page that only tells something. Its heading has the focus, so that it is read first.

const PRESSED_BY_ENTER = "a, button, summary, input, select, textarea";
const onward = document.querySelector("[data-onward]");

function goOn(event) {
  // A key that is still held down from the page before must not lead past what is told here.
  if (event.key !== "Enter" || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest(PRESSED_BY_ENTER)) return;
  event.preventDefault();
  onward.click();
}

if (onward) {
  for (const hint of onward.querySelectorAll("[data-onward-key]")) hint.hidden = false;
  document.addEventListener("keydown", goOn);
  document.documentElement.dataset.ready = "onward";
}
