// Copy a link that is shown once; ask before what can't be taken back at once.

import { t } from "./words.js";

function setUpCopyButtons() {
  if (!navigator.clipboard) return; // plain http in a network: the link can still be selected
  for (const button of document.querySelectorAll("[data-copy]")) {
    const words = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = t("Copied");
      document.getElementById("live-region").textContent = t("The link is copied.");
      setTimeout(() => { button.textContent = words; }, 2000);
    });
  }
}

function setUpConfirmations() {
  for (const button of document.querySelectorAll("[data-confirm]")) {
    button.addEventListener("click", (event) => {
      if (!window.confirm(button.dataset.confirm)) event.preventDefault();
    });
  }
}

document.addEventListener("DOMContentLoaded", () => {
  setUpCopyButtons();
  setUpConfirmations();
});
