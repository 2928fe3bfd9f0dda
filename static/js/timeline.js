// The conversation's parts as they are swapped: never older ones, never the same ones, never losing the focus.
// A part carries data-version ("<run>:<number>", comparable as text) and data-hash (what it shows).

const polite = document.getElementById("polite");

/** Say something to screen readers. An equal text said again is heard again. */
export function announce(text, region = polite) {
  if (!text || !region) return;
  region.textContent = "";
  setTimeout(() => {
    region.textContent = text;
  }, 60);
}

const scroller = document.querySelector("[data-scroll]");
const toEnd = document.querySelector("[data-to-end]");
const nearEnd = () => !scroller || scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 120;

export function scrollToEnd() {
  if (scroller) scroller.scrollTop = scroller.scrollHeight;
}

/** Show the newest request: its end while something happens there, its beginning once it is all there to read. */
function follow() {
  const last = scroller && [...scroller.querySelectorAll("article.run")].at(-1);
  const done = last?.querySelector("[data-finished]");
  if (done && last.offsetHeight > scroller.clientHeight) {
    scroller.scrollTop += last.getBoundingClientRect().top - scroller.getBoundingClientRect().top - 16;
  } else {
    scrollToEnd();
  }
}

const versionOf = (element) =>
  [...element.querySelectorAll("[data-version]")].map((part) => part.dataset.version).sort().at(-1) ?? "";

/** An article that is already on the page is replaced by a newer one and never doubled. */
function admitArticle(fragment) {
  const incoming = fragment.querySelector("article.run");
  const present = incoming && document.getElementById(incoming.id);
  if (!present) return true;
  if (versionOf(incoming) <= versionOf(present)) return false;
  present.remove();
  return true;
}

function admitPart(target, part) {
  if (part.dataset.version < target.dataset.version) return false;
  if (part.dataset.hash === target.dataset.hash) {
    target.dataset.version = part.dataset.version;
    return false;
  }
  return true;
}

/** What was swapped since the last breath; handled together, when the page is whole again. */
let swapped = null;

function note(id, target) {
  if (!swapped) {
    swapped = { ids: new Set(), wasNearEnd: nearEnd(), lostFocus: false, around: [], opened: new Set() };
    queueMicrotask(afterSwaps);
  }
  swapped.ids.add(id);
  opened(target).forEach((name) => swapped.opened.add(name));
  const focused = document.activeElement;
  if (focused !== document.body && target.id !== "timeline" && target.contains(focused)) {
    swapped.lostFocus = true;
    swapped.around = idsAround(focused, target);
  }
}

/** What somebody opened in a part, but for what they just sent off. */
function opened(part) {
  const details = [...part.querySelectorAll("details[data-keep-open][open]")];
  return details.filter((each) => !each.querySelector(".htmx-request")).map((each) => each.dataset.keepOpen);
}

/** The ids of an element and of what is around it within a part, the nearest first. */
function idsAround(element, part) {
  const ids = [];
  for (let each = element; each !== part; each = each.parentElement) if (each.id) ids.push(each.id);
  return ids;
}

/** Where the focus goes on: the same element, or what took the place of the nearest one around it. */
function heir(ids) {
  const nearest = ids.map((id) => document.getElementById(id)).find(Boolean);
  const able = "input, textarea, select, button, summary, a[href], [tabindex]";
  return nearest?.matches(able) ? nearest : nearest?.querySelector(able);
}

function afterSwaps() {
  const { ids, wasNearEnd, lostFocus, around, opened: kept } = swapped;
  swapped = null;
  const elements = [...ids].map((id) => document.getElementById(id)).filter(Boolean);
  document.querySelectorAll("details[data-keep-open]").forEach((each) => {
    if (kept.has(each.dataset.keepOpen)) each.open = true;
  });
  const again = lostFocus && heir(around);
  if (lostFocus) (again || document.getElementById("composer-text"))?.focus();
  if (wasNearEnd && !again) follow(); // who is in the middle of something is not moved away from it
  const spoken = elements.map((element) => [...element.querySelectorAll("[data-announce]")].at(-1)?.dataset.announce);
  announce(spoken.filter(Boolean).map((text) => text.trim()).join(". "));
  document.dispatchEvent(new CustomEvent("timeline:changed", { detail: { ids } }));
}

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target, fragment } = event.detail;
  const part = fragment.firstElementChild;
  if (target.id === "timeline") {
    event.detail.shouldSwap = admitArticle(fragment);
  } else if (target.dataset.version !== undefined) {
    event.detail.shouldSwap = admitPart(target, part);
  } else {
    return;
  }
  if (event.detail.shouldSwap) note(part.id, target);
});

/** What the page shows, for the server to compare: run → number of its last event and its parts' digests. */
export function shown() {
  const runs = {};
  document.querySelectorAll("article.run").forEach((article) => {
    const parts = [...article.querySelectorAll(":scope > [data-version]")];
    runs[article.dataset.run] = {
      version: Number(versionOf(article).split(":")[1] ?? 0),
      digests: Object.fromEntries(parts.map((part) => [part.id, part.dataset.hash])),
    };
  });
  return { runs, composer: document.getElementById("composer-state")?.dataset.hash ?? "" };
}

if (scroller) {
  follow();
  scroller.addEventListener("scroll", () => {
    if (toEnd) toEnd.hidden = nearEnd();
  }, { passive: true });
  toEnd?.addEventListener("click", scrollToEnd);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const answer = button.closest("article.run").querySelector("[data-answer]");
  await navigator.clipboard.writeText(answer.innerText);
  const label = button.querySelector("span");
  const before = label.textContent;
  label.textContent = button.dataset.done;
  announce(button.dataset.done);
  setTimeout(() => {
    label.textContent = before;
  }, 1600);
});
