// A pending confirmation opens as a dialog wherever its page is looked at. Closing it decides nothing.
// Only the two buttons decide, by an HTTP post that names what was shown.

import { announce } from "./timeline.js";

const assertive = document.getElementById("assertive");
const laidAside = new Set();
let cameFrom = null;
let warned = "";

const pending = () => [...document.querySelectorAll("dialog[data-confirmation]")];
const opened = () => document.querySelector("dialog[data-confirmation][open]");

function open(dialog) {
  if (!document.activeElement?.closest("dialog")) cameFrom = document.activeElement;
  dialog.showModal();
  dialog.querySelector("[data-title]").focus();
  tick();
}

function giveFocusBack() {
  const back = cameFrom?.isConnected && cameFrom !== document.body ? cameFrom : null;
  (back ?? document.getElementById("composer-text"))?.focus();
  cameFrom = null;
}

function layAside(dialog) {
  laidAside.add(dialog.dataset.confirmation);
  dialog.close();
  giveFocusBack();
}

/** Open the first confirmation that nobody has laid aside; several come one after the other. */
function settle() {
  if (opened()) return;
  const next = pending().find((dialog) => !laidAside.has(dialog.dataset.confirmation));
  if (next) {
    open(next);
    announce(next.querySelector(".decision__summary").textContent, assertive);
  } else if (cameFrom && !pending().length) {
    giveFocusBack();
  }
}

document.addEventListener("cancel", (event) => {
  if (!event.target.matches("dialog[data-confirmation]")) return;
  event.preventDefault();
  layAside(event.target);
}, true);

document.addEventListener("click", (event) => {
  const minimise = event.target.closest("[data-minimise]");
  if (minimise) layAside(minimise.closest("dialog"));
  const review = event.target.closest("[data-review]");
  if (review) {
    laidAside.delete(review.dataset.review.replace("confirmation-", ""));
    open(document.getElementById(review.dataset.review));
  }
});

// The server's clock counts: a page's may be wrong.
const serverAhead = Date.parse(document.querySelector("[data-now]")?.dataset.now ?? "") - Date.now() || 0;

function clock(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const two = (number) => String(number).padStart(2, "0");
  if (hours >= 24) return `${Math.floor(hours / 24)} × 24 h`;
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

function tick() {
  pending().forEach((dialog) => {
    const left = Math.floor((Date.parse(dialog.dataset.deadline) - Date.now() - serverAhead) / 1000);
    const place = dialog.querySelector("[data-countdown]");
    place.textContent = left > 0 ? clock(left) : place.dataset.over;
    dialog.classList.toggle("is-soon", left < 60);
    if (left <= 0) dialog.querySelector("[data-confirm]").disabled = true;
    if (left > 0 && left < 60 && dialog.open && warned !== dialog.id) {
      warned = dialog.id;
      announce(place.dataset.soon);
    }
  });
}

document.addEventListener("timeline:changed", settle);
setInterval(tick, 1000);
settle();
