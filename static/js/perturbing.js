// "All of this category" and the boxes below it say the same: one checks the others, all of them check it.

const boxesOf = (fieldset) => [...fieldset.querySelectorAll("[name=transformation]:enabled")];

document.addEventListener("change", (event) => {
  const fieldset = event.target.closest("[data-category]");
  const all = fieldset?.querySelector("[data-all]");
  if (!all) return;
  if (event.target === all) for (const box of boxesOf(fieldset)) box.checked = all.checked;
  else all.checked = boxesOf(fieldset).every((box) => box.checked);
});
