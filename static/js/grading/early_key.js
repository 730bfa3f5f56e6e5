// A key pressed before the page's scripts run isn't lost: the first one counts once they do. Further ones would answer
// items that nobody has seen yet.
(() => {
  let early = null;
  const keep = (event) => {
    if (early || event.key.length !== 1 || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!event.target.closest("input, textarea, select")) early = event;
  };
  const replay = () => {
    document.removeEventListener("keydown", keep, true);
    const { key, code, shiftKey } = early ?? {};
    if (key) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code, shiftKey, bubbles: true, cancelable: true }));
  };
  document.addEventListener("keydown", keep, true);
  document.addEventListener("grading-ready", replay, { once: true });
})();
