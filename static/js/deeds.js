// Answering, deciding and stopping: HTTP posts, sent for controls that the socket may replace at any moment.
// They are sent in the name of an element that stays, so that the reply always finds the page.

const source = document.getElementById("deeds");
let busy = [];

function post(url, values, controls) {
  if (busy.length) return; // one after the other: a double click is one click
  busy = controls;
  busy.forEach((control) => {
    control.disabled = true;
  });
  htmx.ajax("POST", url, { source, target: source, swap: "none", values }).catch(() => {}); // what failed is told by the request's own event
}

function done() {
  busy.forEach((control) => {
    control.disabled = false;
  });
  busy = [];
}

if (source) {
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-deed]");
    if (!form) return;
    event.preventDefault();
    const values = Object.fromEntries(new FormData(form, event.submitter));
    post(form.dataset.deed, values, [...form.querySelectorAll("button")]);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-deed]");
    if (button) post(button.dataset.deed, {}, [button]);
  });

  source.addEventListener("htmx:afterRequest", done);
}
