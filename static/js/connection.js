// The socket's life: say what the page shows, keep it alive, say when it is gone, ask over HTTP meanwhile.
// The socket only brings HTML; nothing is ever done through it.

import { shown } from "./timeline.js";

const PING_MS = 20_000;
const SILENCE_MS = 10_000; // how long an answer to a ping may take
const POLL_MS = 4_000;
const PATIENCE_MS = 1_200; // a short break is not worth a word

const place = document.querySelector("[data-conversation]");
const banner = document.querySelector("[data-connection]");
let wrapper = null;
let current = null;
let lastHeard = 0;
let saying = 0;
let polling = 0;

function poll() {
  if (!navigator.onLine) return;
  const { runs } = shown();
  const query = new URLSearchParams(
    Object.entries(runs).slice(-40).map(([run, { version }]) => ["run", `${run}:${version}`]),
  );
  htmx.ajax("GET", `${place.dataset.updates}?${query}`, { source: place, swap: "none" }).catch(() => {});
}

function down() {
  document.documentElement.dataset.connected = "no";
  if (polling) return;
  saying = setTimeout(() => {
    banner.hidden = false;
  }, PATIENCE_MS);
  polling = setInterval(poll, POLL_MS);
}

function up() {
  clearTimeout(saying);
  clearInterval(polling);
  polling = 0;
  banner.hidden = true;
  document.documentElement.dataset.connected = "yes";
}

function reconnect() {
  if (!wrapper) return;
  down();
  wrapper.reconnect();
}

if (place) {
  document.addEventListener("htmx:wsOpen", (event) => {
    current = event.detail.event.target;
    wrapper = event.detail.socketWrapper;
    lastHeard = Date.now();
    current.send(JSON.stringify({ type: "hello", ...shown() }));
    up();
  });

  document.addEventListener("htmx:wsClose", (event) => {
    // A socket given up earlier may report its end when its successor is already there.
    if (!current || event.detail.event.target === current) {
      current = null;
      down();
    }
  });

  document.addEventListener("htmx:wsBeforeMessage", (event) => {
    lastHeard = Date.now();
    if (event.detail.message.startsWith("{")) event.preventDefault(); // a pong
  });

  setInterval(() => {
    if (current?.readyState !== WebSocket.OPEN) return;
    if (Date.now() - lastHeard > PING_MS + SILENCE_MS) {
      reconnect();
    } else {
      current.send(JSON.stringify({ type: "ping" }));
    }
  }, PING_MS);

  addEventListener("offline", () => {
    const lost = current;
    current = null;
    down();
    lost?.close();
  });
  addEventListener("online", reconnect);
  document.addEventListener("visibilitychange", () => {
    // A device that slept: do not wait for the next heartbeat.
    if (document.visibilityState === "visible" && Date.now() - lastHeard > PING_MS + SILENCE_MS) reconnect();
  });
}
