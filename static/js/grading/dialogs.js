// The keys and the picture in full size: native dialogs, closed by Escape, by their button, or by a press outside.

function closable(dialog) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
  });
  return dialog;
}

export function setUpKeysDialog() {
  const dialog = closable(document.querySelector("[data-keys]"));
  document.querySelector("[data-help]").addEventListener("click", (event) => {
    event.preventDefault();
    dialog.showModal();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "?" && event.key.toLowerCase() !== "h") return;
    event.preventDefault();
    dialog.close();
  });
  return () => dialog.showModal();
}

export function setUpZoom(stage) {
  const dialog = closable(document.querySelector("[data-zoomed]"));
  stage.addEventListener("click", (event) => {
    const link = event.target.closest("[data-zoom]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    dialog.querySelector("img").src = link.href;
    dialog.showModal();
  });
}
