// What every page does: the theme switch, and times in the reader's zone.

import { locale, t } from "./words.js";

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function setUpThemeSwitch() {
  for (const button of document.querySelectorAll("[data-theme-toggle]")) {
    const name = () => { button.textContent = isDark() ? t("Light theme") : t("Dark theme"); };
    button.hidden = false;
    name();
    button.addEventListener("click", () => {
      const theme = isDark() ? "light" : "dark";
      document.documentElement.dataset.theme = theme;
      localStorage.setItem("theme", theme);
      name();
      document.dispatchEvent(new CustomEvent("themechange"));
    });
  }
}

// On a phone tabs scroll sideways; the one where one is must be seen.
function showCurrentTabs() {
  for (const tab of document.querySelectorAll(".tabs [aria-current]")) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function localTimes(root) {
  const format = new Intl.DateTimeFormat(locale, {
    day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
  });
  for (const time of root.querySelectorAll("time[datetime]")) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    time.title = date.toISOString();
    time.textContent = format.format(date);
  }
}

// Who sets a password may look at it. It is hidden again before it is sent: browsers remember what stands in text fields.
function setUpShownPasswords() {
  for (const button of document.querySelectorAll("[data-shows]")) {
    const field = document.getElementById(button.dataset.shows);
    const show = (shown) => {
      field.type = shown ? "text" : "password";
      button.setAttribute("aria-pressed", String(shown));
    };
    button.hidden = false;
    button.addEventListener("click", () => show(field.type === "password"));
    field.form.addEventListener("submit", () => show(false));
  }
}

document.addEventListener("DOMContentLoaded", () => {
  setUpThemeSwitch();
  setUpShownPasswords();
  showCurrentTabs();
  localTimes(document);
});
document.addEventListener("htmx:load", (event) => localTimes(event.detail.elt));
