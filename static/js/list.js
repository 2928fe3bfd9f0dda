// The list of conversations marks what works and what waits: looked at again when that changes here.

const search = document.getElementById("conversation-search");
let waiting = 0;

function refresh() {
  if (!search || search.value) return; // somebody is looking for something
  const current = search.form.elements.current.value;
  htmx.ajax("GET", `${search.form.action}?current=${encodeURIComponent(current)}`, {
    target: "#conversation-list",
    swap: "outerHTML",
  }).catch(() => {}); // offline: the list is read again with the next search or message
}

document.addEventListener("timeline:changed", (event) => {
  if (!event.detail.ids.has("composer-state")) return;
  clearTimeout(waiting);
  waiting = setTimeout(refresh, 400);
});
