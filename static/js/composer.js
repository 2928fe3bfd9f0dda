// The text box. What is written stays on this device until the server has accepted it; a message that is
// sent again after a lost answer has the same number, so that it is one message.

import { scrollToEnd } from "./timeline.js";

const form = document.querySelector("[data-composer]");
const text = form?.querySelector("textarea");
const notice = document.getElementById("notice");
const count = document.getElementById("composer-count");
const key = `draft:${form?.dataset.draft}`;

function read() {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {
    return {}; // no storage, or not ours: there is no draft
  }
}

function keep(draft) {
  try {
    if (draft.text || draft.tried) localStorage.setItem(key, JSON.stringify(draft));
    else localStorage.removeItem(key);
  } catch {
    // storage full or forbidden: the text box itself still holds the text
  }
}

let draft = read();

function grow() {
  text.style.height = "auto";
  text.style.height = `${Math.min(text.scrollHeight + 2, 240)}px`;
}

function counted() {
  const length = [...text.value].length;
  const limit = Number(text.dataset.limit);
  const near = length > limit * 0.9;
  count.textContent = near ? count.dataset.label.replace("%s", length.toLocaleString(document.documentElement.lang)) : "";
  count.classList.toggle("is-over", length > limit);
  text.toggleAttribute("aria-invalid", length > limit);
}

function written() {
  draft.text = text.value;
  keep(draft);
  grow();
  counted();
}

function say(message) {
  const paragraph = document.createElement("p");
  paragraph.className = "notice notice--error";
  paragraph.textContent = message;
  (document.querySelector("dialog[open] [data-notice]") ?? notice).replaceChildren(paragraph);
}

/** The number of this message: the same for the same text tried again, a new one for any other. */
function numberFor(value) {
  if (draft.tried?.text !== value) draft.tried = { text: value, id: crypto.randomUUID() };
  return draft.tried.id;
}

function accepted(sent) {
  if (text.value === sent) text.value = "";
  draft = { text: text.value };
  keep(draft);
  written();
  notice.replaceChildren();
  scrollToEnd();
}

if (form) {
  if (draft.text) text.value = draft.text;
  written();
  if (matchMedia("(pointer: fine)").matches && !document.querySelector("dialog[open]")) text.focus();

  text.addEventListener("input", written);
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });

  form.addEventListener("htmx:configRequest", (event) => {
    if (event.target !== form) return;
    event.detail.parameters.set("client_id", numberFor(text.value));
    form.dataset.sent = text.value;
    keep(draft);
  });
  form.addEventListener("htmx:afterRequest", (event) => {
    // A first message leads to its conversation; to htmx a redirect is no success, and one to sign in is none.
    const began = event.detail.xhr?.getResponseHeader("HX-Redirect")?.includes("/conversations/");
    if (event.target === form && (event.detail.successful || began)) accepted(form.dataset.sent);
  });

  document.addEventListener("click", (event) => {
    const example = event.target.closest("[data-example]");
    if (!example) return;
    text.value = example.textContent.trim();
    written();
    text.focus();
    text.setSelectionRange(text.value.length, text.value.length);
  });
}

const asking = (event) => event.detail.requestConfig?.verb === "get"; // polling and searching fail quietly
for (const failure of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(failure, (event) => {
    if (notice && !asking(event)) say(notice.dataset.unreachable);
  });
}
document.addEventListener("htmx:responseError", (event) => {
  if (notice && !asking(event) && event.detail.xhr.status >= 500) say(notice.dataset.broken);
});
