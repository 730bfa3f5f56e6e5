// How long a break still lasts. The page leads on by itself, with or without this.

import { t, tn } from "./words.js";

const place = document.querySelector("[data-countdown]");
const end = new Date(place.dataset.countdown).getTime();

function left() {
  const seconds = Math.max(0, Math.round((end - Date.now()) / 1000));
  if (!seconds) return t("The break is over.");
  if (seconds < 60) return tn("{n} second left", "{n} seconds left", seconds);
  const minutes = Math.ceil(seconds / 60);
  return tn("About {n} minute left", "About {n} minutes left", minutes);
}

function show() {
  const words = left();
  if (place.textContent !== words) place.textContent = words;
}

place.hidden = false;
show();
setInterval(show, 1000);
// A computer that slept through the end of the break is woken at this page.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && Date.now() >= end) location.assign("/way");
});
