"use strict";
(() => {
  const status = document.getElementById("status");

  const text = (element) => element.textContent.replace(/\s+/g, " ").trim();

  const rows = (table) =>
    [...table.rows].map((row) => [...row.cells].map(text).join("\t")).join("\n") + "\n";

  const copyBySelection = (value) => {
    const area = document.createElement("textarea");
    area.value = value;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };

  const copy = async (value) => {
    try {
      await navigator.clipboard.writeText(value);
      return true;
    } catch {
      return copyBySelection(value);
    }
  };

  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const table = document.getElementById(button.dataset.table);
      const done = await copy(rows(table));
      button.focus();
      status.textContent = done
        ? `Copied ${table.rows.length} rows: ${text(table.caption)}`
        : "The browser doesn't allow copying";
      button.classList.toggle("done", done);
    });
  }

  const regions = [...document.querySelectorAll(".scroll[tabindex]")];
  const watcher = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      target.tabIndex = target.scrollWidth > target.clientWidth ? 0 : -1;
    }
  });
  regions.forEach((region) => watcher.observe(region));

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details.fold:not([open])")];
    opened.forEach((fold) => (fold.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((fold) => (fold.open = false)));
})();
