// How code is shown (lines wrapped, white space, differences): the style sheet reads the boxes, this remembers them.
// Boxes may come and go with the items of a page; each is set before it is painted.
(() => {
  const BOXES = "input[data-code-option]";
  const keyOf = (box) => `code-option-${box.dataset.codeOption}`;

  function restore() {
    for (const box of document.querySelectorAll(BOXES)) {
      const saved = localStorage.getItem(keyOf(box));
      if (saved !== null) box.checked = saved === "true";
    }
  }

  new MutationObserver(restore).observe(document, { childList: true, subtree: true });

  document.addEventListener("change", (event) => {
    if (!event.target.matches(BOXES)) return;
    localStorage.setItem(keyOf(event.target), String(event.target.checked));
    restore();
  });

  // After a press by pointer the page's own keys go on working; whoever came by keyboard keeps their place.
  document.addEventListener("click", (event) => {
    if (event.detail > 0 && event.target.matches(BOXES)) event.target.blur();
  });
})();
