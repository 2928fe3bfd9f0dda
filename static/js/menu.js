// Account menu, side drawer and offline banner: what every page has.

const menus = () => document.querySelectorAll("[data-menu][open]");

function closeMenu(menu) {
  menu.open = false;
  menu.querySelector("summary").focus();
}

document.addEventListener("click", (event) => {
  menus().forEach((menu) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
  menus().forEach(closeMenu);
  closeDrawer();
});

const drawer = document.querySelector("[data-drawer]");
const opener = document.querySelector("[data-drawer-open]");
const narrow = matchMedia("(max-width: 55rem)");

/** On a narrow screen a closed drawer is out of reach for the keyboard and for screen readers too. */
function settle() {
  if (!drawer) return;
  const open = drawer.classList.contains("is-open");
  drawer.inert = narrow.matches && !open;
  opener?.setAttribute("aria-expanded", String(open));
}

function closeDrawer() {
  if (!drawer?.classList.contains("is-open")) return;
  drawer.classList.remove("is-open");
  settle();
  opener?.focus();
}

opener?.addEventListener("click", () => {
  drawer.classList.add("is-open");
  settle();
  drawer.querySelector("input, a, button")?.focus();
});
document.querySelectorAll("[data-drawer-close]").forEach((item) => item.addEventListener("click", closeDrawer));
narrow.addEventListener("change", settle);
settle();

const banner = document.querySelector("[data-offline]");
const showOffline = () => {
  if (banner) banner.hidden = navigator.onLine;
};
addEventListener("online", showOffline);
addEventListener("offline", showOffline);
showOffline();
