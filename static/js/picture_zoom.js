// A picture as large as the window, or in its actual size. Without a script, its link opens it in a tab of its own.

function open(dialog, link) {
  const shown = dialog.querySelector("img");
  shown.src = link.href;
  shown.alt = link.querySelector("img").alt;
  showActualSize(dialog, false);
  dialog.showModal();
}

function showActualSize(dialog, isActual) {
  dialog.classList.toggle("actual", isActual);
  dialog.querySelector("[data-actual]").setAttribute("aria-pressed", String(isActual));
}

document.addEventListener("click", (event) => {
  const dialog = document.querySelector("[data-picture-dialog]");
  if (!dialog) return;
  const link = event.target.closest("[data-picture]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    open(dialog, link);
  } else if (event.target === dialog || event.target.closest("[data-picture-dialog] [data-close]")) {
    dialog.close();
  } else if (event.target.closest("[data-picture-dialog] [data-actual]")) {
    showActualSize(dialog, !dialog.classList.contains("actual"));
  }
});
