  // What the scripts of all pages share.
  const byId = id => document.getElementById(id);
  /** What a click does, by the id of what is clicked. */
  const onClick = actions => Object.entries(actions).forEach(([id, action]) => byId(id).addEventListener("click", action));
  const make = (name, attributes, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
      if (key in node && key !== "style" && key !== "list") node[key] = value; else node.setAttribute(key, value);
    node.append(...children.filter(child => child !== null && child !== undefined));
    return node;
  };
  const clock = (seconds, decimals = 2) => {
    const sign = seconds < 0 ? "-" : "", unit = 10 ** decimals, all = Math.round(Math.abs(seconds) * unit);
    const whole = Math.floor(all / unit), hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
    const fraction = decimals ? "." + String(all % unit).padStart(decimals, "0") : "";
    return sign + (hours ? hours + ":" + String(minutes).padStart(2, "0") : minutes) + ":" + String(whole % 60).padStart(2, "0") + fraction;
  };
  /** A checkbox with its text, which calls back with whether it is checked. */
  const checkbox = (text, attributes, action) => make("label", {},
    make("input", { type: "checkbox", ...attributes, onchange: event => action(event.target.checked) }), " " + text);
  const within = (value, low, high) => Math.min(Math.max(value, low), high);
  const percent = part => `${Math.round(100 * part)} %`;
  const words = name => name.replaceAll("_", " ");
  const shortened = name => [...name].length > 16 ? [...name].slice(0, 15).join("") + "…" : name;
  /** For names of files: the time as 20260131-235959. */
  const stamp = () => new Date().toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  /** A word of a shell's command. */
  const quoted = text => /^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  /** Whether the tables can have this name. */
  const isName = text => typeof text === "string" && text.trim() !== "" && !/["\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(text)
    && new TextEncoder().encode(text).length <= 400 && [...new Intl.Segmenter().segment(text)].length <= 100;
  /** A path relative to the page, as a command takes it. A page that was not opened from its folder does not know it. */
  const pathOf = (address, unknown) => address === undefined || location.protocol !== "file:" ? unknown
    : decodeURIComponent(new URL((address || ".") + "/", location).pathname).slice(0, -1);
  function download(blob, name) {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
  /** Calls back with what a pressed key stands for in `meanings`. Other listeners are not told of such a key. */
  const onKeys = (node, meanings, action) => node.addEventListener("keydown", event => {
    if (!(event.key in meanings)) return;
    event.preventDefault();
    event.stopPropagation();
    action(meanings[event.key], event.target);
  });
  /** The first index from `low` to `high` at which `test` holds; `high` if there is none. */
  const search = (low, high, test) => {
    while (low < high) {
      const middle = (low + high) >> 1;
      if (test(middle)) high = middle; else low = middle + 1;
    }
    return low;
  };

  // Tables whose heads sort them: numbers come before text, and empty cells come last.
  const cellValue = text => {
    if (/^-?[\d.]+( \(\d+ %\))?$/.test(text)) return parseFloat(text);
    const seconds = text.replace("-", "").split(":").reduce((a, b) => 60 * a + +b, 0);
    return /^-?[\d:.]+$/.test(text) ? (text.startsWith("-") ? -seconds : seconds) : text;
  };
  const compareCells = (a, b) => a === b ? 0 : a === "" ? 1 : b === "" ? -1 : typeof a === typeof b ? (a < b ? -1 : 1) : typeof a === "number" ? -1 : 1;
  /** Does nothing if the table has no such column, and returns whether it has. */
  const sortTable = (table, column, ascending) => {
    const heads = [...table.tHead.rows[0].cells];
    if (!heads[column]?.querySelector("button")) return false;
    heads.forEach(head => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", ascending ? "ascending" : "descending");
    // A page that shows only some of the rows keeps all of them here, and shows them itself.
    const keyed = (table.allRows ?? [...table.tBodies[0].rows]).map(row => ({ row, key: cellValue(row.cells[column].textContent.trim()) }));
    keyed.sort((a, b) => a.key === "" || b.key === "" || ascending ? compareCells(a.key, b.key) : compareCells(b.key, a.key));
    const sorted = keyed.map(entry => entry.row);
    if (table.allRows) table.allRows = sorted; else table.tBodies[0].append(...sorted);
    table.dispatchEvent(new CustomEvent("sorted", { detail: { column, ascending } }));
    return true;
  };
  for (const table of document.querySelectorAll("table.sortable"))
    [...table.tHead.rows[0].cells].forEach((head, column) => head.querySelector("button")?.addEventListener("click", () =>
      sortTable(table, column, head.getAttribute("aria-sort") !== "ascending")));
