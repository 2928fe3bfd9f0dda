// The inbox's number in the navigation, and the inbox's own pages, kept up to date.
// The socket only says that something changed; the page asks over HTTP and swaps the parts that differ.
// What somebody is typing is never lost: a part's hash says what it shows, not what was typed into it, and
// where a part is replaced all the same, what was opened and typed in it goes on in the new one.

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

const typedIn = (root) => [...root.querySelectorAll("input[id], textarea[id], select[id]")];

function sent(control) {
  if (control.tagName !== "SELECT") return control.defaultValue;
  return ([...control.options].find((option) => option.defaultSelected) ?? control.options[0])?.value ?? "";
}

function kept(root) {
  const typed = typedIn(root).filter((control) => control.value !== sent(control));
  return {
    opened: [...root.querySelectorAll("details[id]")].map((each) => [each.id, each.open]),
    typed: typed.map((control) => [control.id, control.value]),
  };
}

function giveBack({ opened, typed }, root) {
  const inside = (id) => root.querySelector(`#${CSS.escape(id)}`);
  for (const [id, open] of opened) if (inside(id)) inside(id).open = open;
  for (const [id, value] of typed) if (inside(id)) inside(id).value = value;
}

function swap(part) {
  const present = document.getElementById(part.id);
  if (!present || present.dataset.hash === part.dataset.hash) return false;
  const hadFocus = present.contains(document.activeElement) ? document.activeElement.id : null;
  giveBack(kept(present), part);
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

  // The answer to one form may come while the reader is at another one already.
  let before = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const form = event.detail.requestConfig?.elt;
    if (event.detail.target.id !== "escalation" || !event.detail.shouldSwap) return;
    before = kept(event.detail.target);
    // What was sent is answered by the page itself: opened again with what is wrong, or done.
    const own = new Set(form ? [form.closest("details")?.id, ...typedIn(form).map((each) => each.id)] : []);
    before.opened = before.opened.filter(([id]) => !own.has(id));
    before.typed = before.typed.filter(([id]) => !own.has(id));
  });

  // After a decision the whole escalation is swapped: the reader is taken to what is told.
  document.addEventListener("htmx:load", (event) => {
    if (event.detail.elt.id !== "escalation") return;
    if (before) giveBack(before, event.detail.elt);
    before = null;
    const told = document.querySelector("#escalation-notice .notice");
    const places = ["#escalation [aria-invalid]", ".escalation__confirm h2", "#escalation h1"];
    const title = places.map((place) => document.querySelector(place)).find(Boolean);
    if (title?.tagName === "H2") title.tabIndex = -1;
    title?.focus();
    if (told && polite) polite.textContent = told.textContent.trim();
    else document.querySelector(".escalation__confirm")?.scrollIntoView({ block: "center" });
  });
}
