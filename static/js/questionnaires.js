// Ask before what was typed is left behind.

let typed = false;

document.addEventListener("input", (event) => {
  if (event.target.closest("[data-guarded]")) typed = true;
});
// What is sent is either saved, or comes back in the form.
document.addEventListener("submit", () => { typed = false; });
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id === "editor") typed = true;
});
for (const failure of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(failure, () => { typed = true; });
}
addEventListener("beforeunload", (event) => {
  if (typed) event.preventDefault();
});
