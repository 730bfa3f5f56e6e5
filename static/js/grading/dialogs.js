// The keys: a native dialog, closed by Escape, by its button, or by a press outside.

export function closable(dialog) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
  });
  return dialog;
}

export function setUpKeysDialog(pages) {
  const dialog = closable(document.querySelector("[data-keys]"));
  const about = [...dialog.querySelectorAll("[data-about]")];
  const open = () => {
    const name = pages.current?.dataset.instrument;
    for (const section of about) section.hidden = section.dataset.about !== name;
    dialog.showModal();
  };
  document.querySelector("[data-help]").addEventListener("click", (event) => {
    event.preventDefault();
    open();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "?" && event.key.toLowerCase() !== "h") return;
    event.preventDefault();
    dialog.close();
  });
  return open;
}
