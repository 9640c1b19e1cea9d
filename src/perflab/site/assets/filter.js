// Filters the table of claims. What is chosen stands in the address, so that it can be linked to and gone back to.
(() => {
  "use strict";
  const form = document.getElementById("filter");
  const rows = [...document.querySelectorAll("#table tbody tr")];
  const found = document.getElementById("found");
  const fields = ["search", "report", "verdict", "kind"];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  const chosen = () => Object.fromEntries(fields.map((name) => [name, form.elements[name].value.trim()]));

  const fits = (row, wanted) =>
    ["report", "verdict", "kind"].every((name) => !wanted[name] || row.dataset[name] === wanted[name]) &&
    wanted.search.toLowerCase().split(/\s+/).every((word) => texts.get(row).includes(word));

  const apply = () => {
    const wanted = chosen();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !fits(row, wanted);
      shown += !row.hidden;
    }
    const all = shown === rows.length;
    found.textContent = all ? `${rows.length} claims` : `${shown} of ${rows.length} claims`;
  };

  const remember = () => {
    const set = Object.entries(chosen()).filter(([, value]) => value);
    history.replaceState(null, "", set.length ? `#${new URLSearchParams(set)}` : location.pathname);
  };

  const recall = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    // Any other anchor is a place on the page, not a choice.
    if (!fields.some((name) => wanted.has(name))) return;
    for (const name of fields) form.elements[name].value = wanted.get(name) ?? "";
    apply();
    form.scrollIntoView();
    form.elements.search.focus({ preventScroll: true });
  };

  form.hidden = false;
  form.addEventListener("input", () => { apply(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  // A reset empties the fields after this event.
  form.addEventListener("reset", () => setTimeout(() => { apply(); remember(); }));
  addEventListener("hashchange", recall);
  recall();
})();
