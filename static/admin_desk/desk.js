/* Rows, fields that depend on a choice, inserting paths, and a warning before typed things are lost. */
(() => {
  "use strict";

  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  let dirty = false;
  let typing = null;

  /* A field with data-shows="type=a|b" is there only while the row's own field of that name has such a value. */
  function scopeOf(element) {
    return element.closest("[data-row]") || element.closest("form");
  }

  function control(scope, name) {
    return all("select, input:not([type=hidden])", scope).find(
      (each) => scopeOf(each) === scope && (each.name === name || each.name.endsWith(`-${name}`)),
    );
  }

  function refresh(root = document) {
    for (const element of all("[data-shows]", root)) {
      const [name, values] = element.dataset.shows.split("=");
      const found = control(scopeOf(element), name);
      element.hidden = found ? !values.split("|").includes(found.value) : false;
    }
    for (const row of all("[data-row]", root)) {
      const shown = row.querySelector("[data-name]");
      const named = control(row, "name");
      if (shown && named) shown.textContent = named.value;
    }
  }

  /* Rows: their order and removal are hidden fields, so that the page posts what it shows. */
  function rowsOf(set) {
    return [...set.querySelector(":scope > [data-list]").children].filter((each) => !each.hidden);
  }

  function own(row, attribute) {
    return all(`[${attribute}]`, row).find((each) => each.closest("[data-row]") === row);
  }

  function number(set) {
    rowsOf(set).forEach((row, place) => {
      const order = own(row, "data-order");
      if (order) order.value = place + 1;
    });
  }

  /* A page that comes back refused has its rows as they were posted: moved rows moved, removed ones away. */
  function restore(set) {
    const list = set.querySelector(":scope > [data-list]");
    const place = (row) => Number(own(row, "data-order")?.value) || Infinity;
    for (const row of [...list.children].sort((a, b) => place(a) - place(b))) {
      row.hidden = ["on", "true"].includes(own(row, "data-delete")?.value.toLowerCase());
      list.append(row);
    }
  }

  function add(set) {
    const prefix = set.dataset.rows;
    const total = document.getElementsByName(`${prefix}-TOTAL_FORMS`)[0];
    const blank = set.querySelector(":scope > [data-blank]");
    const holder = document.createElement("template");
    holder.innerHTML = blank.innerHTML.replaceAll(`${prefix}-__prefix__`, `${prefix}-${total.value}`);
    const row = holder.content.firstElementChild;
    set.querySelector(":scope > [data-list]").append(row);
    total.value = Number(total.value) + 1;
    number(set);
    refresh(row.parentElement);
    row.querySelector("input:not([type=hidden]), select, textarea")?.focus();
  }

  function change(button) {
    const row = button.closest("[data-row]");
    const set = row.closest("[data-rows]");
    const rows = rowsOf(set);
    const place = rows.indexOf(row);
    if ("remove" in button.dataset) {
      own(row, "data-delete").value = "on";
      row.hidden = true;
    } else if ("up" in button.dataset && place > 0) {
      rows[place - 1].before(row);
    } else if ("down" in button.dataset && place < rows.length - 1) {
      rows[place + 1].after(row);
    }
    number(set);
    button.focus();
  }

  /* A path goes where one was typing; in a template it becomes a place to fill. */
  function insert(button) {
    const form = button.closest("form");
    const target = typing && form.contains(typing) ? typing : form.querySelector("[data-condition], [data-preview-source]");
    if (!target) return;
    const path = button.dataset.insert;
    let text = "number" in button.dataset ? `double(${path})` : path;
    if ("previewSource" in target.dataset || target.name.startsWith("stop_message")) text = `{{ ${path} }}`;
    if (target.hasAttribute("list")) text = path;
    target.setRangeText(text, target.selectionStart, target.selectionEnd, "end");
    target.focus();
    target.dispatchEvent(new Event("input", { bubbles: true }));
  }

  document.addEventListener("focusin", (event) => {
    if (event.target.matches?.(".desk textarea, .desk input.desk-code")) typing = event.target;
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".desk button");
    if (!button) return;
    const data = button.dataset;
    if ("add" in data) add(button.closest("[data-rows]"));
    else if ("remove" in data || "up" in data || "down" in data) change(button);
    else if ("insert" in data) insert(button);
    else return;
    if (!("insert" in data)) dirty = Boolean(button.closest("[data-guarded]"));
  });

  document.addEventListener("input", (event) => {
    if (event.target.closest?.("[data-guarded]") && !event.target.name?.startsWith("preview_")) dirty = true;
    if (event.target.matches?.("[data-filter]")) {
      const wanted = event.target.value.trim().toLocaleLowerCase();
      for (const each of all(event.target.dataset.filter)) {
        each.hidden = !each.textContent.toLocaleLowerCase().includes(wanted);
      }
    } else if (event.target.closest?.(".desk")) {
      refresh(scopeOf(event.target) ?? document);
    }
  });

  document.addEventListener("change", (event) => {
    if (event.target.closest?.(".desk")) refresh();
  });

  document.addEventListener("submit", (event) => {
    const question = event.target.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
    else dirty = false;
  });

  window.addEventListener("beforeunload", (event) => {
    if (dirty) event.preventDefault();
  });

  /* What came back refused is not saved yet. */
  dirty = Boolean(document.querySelector(".desk-alert"));
  for (const set of all("[data-rows]")) {
    restore(set);
    number(set);
  }
  refresh();
  document.querySelector(".desk-wrong :is(input, textarea, select)")?.focus();
})();
