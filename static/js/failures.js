// Where HTMX asks for parts of a page: failures of its requests, made visible.

import { t } from "./words.js";

function showFailure(text) {
  const place = document.getElementById("toasts");
  const box = document.createElement("div");
  box.className = "message error";
  box.textContent = text;
  place.replaceChildren(box);
}

document.addEventListener("htmx:sendError", () =>
  showFailure(t("The server can't be reached. Nothing is lost; try again in a moment.")));
document.addEventListener("htmx:responseError", (event) =>
  showFailure(t("That did not work ({status}). Reload the page and try again.", { status: event.detail.xhr.status })));
