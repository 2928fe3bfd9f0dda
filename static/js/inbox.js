// The inbox's number in the navigation, and the inbox's own pages, kept up to date.
// The socket only says that something changed; the page asks over HTTP and swaps the parts that differ.
// What somebody is typing is never replaced: a part's hash says what it shows, not what was typed into it.

const POLL_MS = 30_000;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 20_000;
const link = () => document.getElementById("inbox-link");
const place = () => document.getElementById("escalation") ?? document.getElementById("inbox-rows");
const polite = document.getElementById("polite");
let asked = 0;
let pause = FIRST_PAUSE;

function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

async function read(url) {
  try {
    const response = await fetch(url, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
    return response.ok && !response.headers.has("HX-Redirect") ? parsed(await response.text()) : null;
  } catch {
    return null; // offline: asked again at the next change or poll
  }
}

function swap(part) {
  const present = document.getElementById(part.id);
  if (!present || present.dataset.hash === part.dataset.hash) return false;
  const hadFocus = present.contains(document.activeElement) ? document.activeElement.id : null;
  present.replaceWith(part);
  window.htmx?.process(part);
  if (hadFocus !== null) (document.getElementById(hadFocus) ?? part.querySelector("h1, h2, a, button"))?.focus();
  return true;
}

async function refresh() {
  const number = ++asked;
  const badge = link() && (await read(link().dataset.inbox));
  const fresh = badge?.getElementById("inbox-link");
  if (fresh && link() && fresh.outerHTML !== link().outerHTML) link().replaceWith(fresh);
  if (!place()) return;
  const page = await read(location.pathname);
  if (!page || number !== asked) return;
  const swapped = [...page.querySelectorAll("[data-live]")].filter(swap);
  const spoken = swapped.map((part) => part.querySelector("[data-announce]")?.dataset.announce).filter(Boolean);
  if (spoken.length && polite) polite.textContent = spoken.join(". ");
}

function listen() {
  const one = document.getElementById("escalation")?.dataset.escalation;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}/ws/inbox/${one ? `${one}/` : ""}`);
  socket.addEventListener("open", () => {
    pause = FIRST_PAUSE;
    document.documentElement.dataset.inbox = "yes";
    refresh(); // what happened before the socket listened
  });
  socket.addEventListener("message", refresh);
  socket.addEventListener("close", () => {
    document.documentElement.dataset.inbox = "no";
    setTimeout(listen, pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  });
}

if (link()) {
  listen();
  setInterval(() => {
    if (document.documentElement.dataset.inbox !== "yes" && navigator.onLine) refresh();
  }, POLL_MS);

  // After a decision the whole escalation is swapped: the reader is taken to what is told.
  document.addEventListener("htmx:load", (event) => {
    if (event.detail.elt.id !== "escalation") return;
    const told = document.querySelector("#escalation-notice .notice");
    const places = ["#escalation [aria-invalid]", ".escalation__confirm h2", "#escalation h1"];
    const title = places.map((place) => document.querySelector(place)).find(Boolean);
    if (title?.tagName === "H2") title.tabIndex = -1;
    title?.focus();
    if (told && polite) polite.textContent = told.textContent.trim();
    else document.querySelector(".escalation__confirm")?.scrollIntoView({ block: "center" });
  });
}
