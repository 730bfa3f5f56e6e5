// The team's message: put away without leaving the page, and shown when another comes with a reply.

const place = () => document.querySelector("[data-message-place]");

export function setUpMessage() {
  place()?.addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    form.closest("[data-message]").remove();
    document.querySelector("main h1")?.focus({ preventScroll: true });
    // Without a connection the message comes again with the next page; nothing else is lost.
    fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" }).catch(() => {});
  });
}

// Which message this page has shown; the server sends another one only.
export function shownMessage() {
  return place()?.dataset.key ?? null;
}

// What a reply brought; an empty text takes the message away. The place is read out by itself.
export function showMessage(message) {
  if (!message || !place() || message.key === shownMessage()) return;
  place().dataset.key = message.key;
  place().innerHTML = message.html;
}
