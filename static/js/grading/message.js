// The team's message: put away without leaving the page.

export function setUpMessage() {
  const form = document.querySelector("[data-message-form]");
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    form.closest("[data-message]").remove();
    document.querySelector("main h1")?.focus({ preventScroll: true });
    // Without a connection the message comes again with the next page; nothing else is lost.
    fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" }).catch(() => {});
  });
}
