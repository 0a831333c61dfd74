  // Tables whose heads sort them. In a block, so that its names are its own.
  {
    const value = text => {
      if (/^-?[\d.]+( \(\d+ %\))?$/.test(text)) return parseFloat(text);
      return /^[\d:.]+$/.test(text) ? text.split(":").reduce((a, b) => 60 * a + +b, 0) : text;
    };
    // Numbers come before text, and empty cells come last.
    const order = (a, b) => a === b ? 0 : a === "" ? 1 : b === "" ? -1 : typeof a === typeof b ? (a < b ? -1 : 1) : typeof a === "number" ? -1 : 1;
    const sort = (table, column, ascending) => {
      const heads = [...table.tHead.rows[0].cells];
      if (!heads[column]?.querySelector("button")) return;
      heads.forEach(head => head.removeAttribute("aria-sort"));
      heads[column].setAttribute("aria-sort", ascending ? "ascending" : "descending");
      // A page that shows only some of the rows keeps all of them here, and shows them itself.
      const isPartial = table.allRows !== undefined;
      const keyed = (table.allRows ?? [...table.tBodies[0].rows]).map(row => ({ row, key: value(row.cells[column].textContent.trim()) }));
      keyed.sort((a, b) => a.key === "" || b.key === "" ? order(a.key, b.key) : ascending ? order(a.key, b.key) : order(b.key, a.key));
      const sorted = keyed.map(entry => entry.row);
      if (isPartial) table.allRows = sorted; else table.tBodies[0].append(...sorted);
      table.dispatchEvent(new CustomEvent("sorted", { detail: { column, ascending } }));
    };
    for (const table of document.querySelectorAll("table.sortable")) {
      [...table.tHead.rows[0].cells].forEach((head, column) => head.querySelector("button")?.addEventListener("click", () =>
        sort(table, column, head.getAttribute("aria-sort") !== "ascending")));
      table.addEventListener("sort-by", event => sort(table, event.detail.column, event.detail.ascending));
    }
  }
