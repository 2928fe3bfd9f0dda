// Loaded before the first paint, so that a stored choice never flashes the other colours.
(() => {
  const root = document.documentElement;
  root.classList.remove("no-js");

  const stored = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // storage may be forbidden; the system's preference then holds
    }
  };
  const prefersDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark());

  const theme = stored();
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;

  const label = (button) => {
    button.setAttribute("aria-label", isDark() ? button.dataset.labelLight : button.dataset.labelDark);
  };

  const toggles = () => document.querySelectorAll("[data-theme-toggle]");

  // On the document, so that a click counts from the moment the button can be seen.
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-toggle]")) return;
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      // kept for this page only
    }
    toggles().forEach(label);
  });

  document.addEventListener("DOMContentLoaded", () => toggles().forEach(label));
})();
