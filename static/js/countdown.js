// How long a break still lasts, and on when it is over. Without script the page's head leads on.

import { t, tn } from "./words.js";

const place = document.querySelector("[data-countdown]");
const LATER = 1000; // so that the server's clock says so, too
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
  if (Date.now() < end + LATER) return;
  clearInterval(ticking);
  location.assign("/way");
}

place.hidden = false;
const ticking = setInterval(show, 1000);
show();
