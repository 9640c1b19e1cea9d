// Light or dark: the system's choice until the reader makes one. Loaded before the page is drawn, so that it does not flash.
(() => {
  "use strict";
  const KEY = "perflab-theme";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  // From a file, and with some settings, a browser keeps nothing; the choice then lasts for this page.
  const kept = () => {
    try { return localStorage.getItem(KEY); } catch { return null; }
  };
  const keep = (theme) => {
    try { localStorage.setItem(KEY, theme); } catch { /* see above */ }
  };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

  if (["light", "dark"].includes(kept())) root.dataset.theme = kept();

  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const show = () => {
      button.setAttribute("aria-pressed", String(isDark()));
      // Charts are drawn in colours of their own.
      dispatchEvent(new Event("perflab-theme"));
    };
    button.hidden = false;
    show();
    system.addEventListener("change", show);
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      keep(root.dataset.theme);
      show();
    });
  });
})();
