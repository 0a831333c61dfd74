"use strict";
(() => {
  const byID = id => document.getElementById(id);
  const table = byID("files"), group = byID("group"), search = byID("search"), live = byID("live");

  // What the reader has chosen is kept while the page reloads itself.
  const memory = "vidscan " + location.pathname;
  let choice = {};
  try { choice = JSON.parse(sessionStorage.getItem(memory)) || {}; } catch { }
  const remember = change => {
    Object.assign(choice, change);
    try { sessionStorage.setItem(memory, JSON.stringify(choice)); } catch { }
  };

  // Only so many rows are in the table at a time, because a browser takes seconds to lay out thousands.
  const step = 500, body = table.tBodies[0], more = byID("more");
  let limit = step;
  table.allRows = [...body.rows];
  const described = new Map(table.allRows.map(row => [row, {
    groups: row.dataset.groups.split(" "), text: (row.cells[0].textContent + "\n" + row.cells[0].title).toLowerCase(),
  }]));
  // Rows of a group, and of names and notes that hold some text.
  const show = () => {
    const wanted = search?.value.trim().toLowerCase() ?? "", chosen = group?.value ?? "";
    const found = table.allRows.filter(row => {
      const { groups, text } = described.get(row);
      return (chosen === "" || groups.includes(chosen)) && text.includes(wanted);
    });
    const shown = found.slice(0, limit);
    for (const row of shown) row.hidden = false;
    body.replaceChildren(...shown);
    more.hidden = shown.length === found.length;
    more.textContent = `Show more (${shown.length} of ${found.length} shown)`;
    if (byID("shown")) byID("shown").textContent = found.length === described.size ? "" : `${found.length} of ${described.size}`;
  };
  const choose = () => {
    limit = step;
    remember({ group: group.value, search: search.value });
    show();
  };
  more.addEventListener("click", () => { limit += step; show(); });
  table.addEventListener("sorted", event => { remember({ sort: event.detail }); show(); });
  if (group && search) {
    if (choice.group && [...group.options].some(option => option.value === choice.group)) group.value = choice.group;
    if (choice.search) search.value = choice.search;
    group.addEventListener("change", choose);
    let pause;
    search.addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(choose, described.size > 2000 ? 150 : 0); });
  }
  if (choice.sort) table.dispatchEvent(new CustomEvent("sort-by", { detail: choice.sort })); else show();

  // The progress of a batch. Its state is a script, because a page that was opened from a folder may not read other files.
  if (!live) return;
  const interval = 2000, rare = 15000, silence = 30, maximumErrors = 3;
  const clock = seconds => {
    const s = Math.max(0, Math.floor(seconds)), h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60, rest = String(s % 60).padStart(2, "0");
    return h ? `${h}:${String(m).padStart(2, "0")}:${rest}` : `${m}:${rest}`;
  };
  const moment = seconds => new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC";
  const say = (id, text) => { if (byID(id).textContent !== text) byID(id).textContent = text; };
  const loaded = performance.now();
  let updated = null, changed = 0, typed = -Infinity, errors = 0, wait = interval;
  search?.addEventListener("input", () => { typed = performance.now(); });

  // Nobody is interrupted who types, has selected text, or looks at another page.
  const mayReload = () => document.visibilityState === "visible" && performance.now() - typed > 5000
    && getSelection().isCollapsed && performance.now() - loaded > Math.max(4000, 10 * loaded);

  function present(status) {
    const now = performance.now();
    if (updated === null) changed = now - Math.max(0, Date.now() - status.updated * 1000);
    else if (updated !== status.updated) changed = now;
    updated = status.updated;
    const isSilent = status.state === "running" && now - changed > silence * 1000;
    const state = isSilent ? "silent" : status.state, run = status.run;
    live.dataset.state = state;
    live.hidden = state === "finished" && !run.elapsed_seconds;
    const resume = "Run the same command again to continue.";
    say("live-state", {
      running: "Running", finished: `Finished ${moment(status.updated)}`,
      interrupted: `Interrupted ${moment(status.updated)}. ${resume}`,
      stopped: `Stopped ${moment(status.updated)}: ${status.message ?? "an error"}`,
      silent: `Interrupted: nothing was heard of the batch since ${moment(status.updated)}. ${resume}`,
    }[state] ?? "");
    const counts = [`${run.done} done`, `${run.failed} failed`, `${run.left} left`];
    if (run.skipped) counts.splice(2, 0, `${run.skipped} skipped`);
    say("live-counts", "In this run: " + counts.join(", "));
    const speed = run.elapsed_seconds > 0 ? run.video_seconds / run.elapsed_seconds : 0;
    say("live-speed", [
      `${clock(run.video_seconds)} of video in ${clock(run.elapsed_seconds)}`, speed > 0 ? `${speed.toFixed(1)}× real time` : "",
      state === "running" && run.seconds_left != null ? `about ${clock(run.seconds_left)} left` : "",
    ].filter(Boolean).join(" · "));
    byID("live-bar").hidden = state === "finished";
    byID("live-bar").value = run.fraction;
    byID("live-files").replaceChildren(...(state === "running" ? status.files : []).map(file => {
      const item = document.createElement("li"), name = document.createElement("bdi"), bar = document.createElement("progress");
      name.textContent = file.result.replace(/\.vidscan$/, "");
      name.title = file.path;
      if (file.fraction != null) bar.value = file.fraction;
      bar.setAttribute("aria-label", "progress");
      const text = document.createElement("span");
      text.className = "hint";
      text.textContent = file.fraction == null ? "" : `${Math.floor(100 * file.fraction)} %`
        + (file.length_seconds ? `, ${clock(file.seconds)} of ${clock(file.length_seconds)}` : "");
      item.append(name, bar, text);
      return item;
    }));
    // When a batch has finished, nothing more will come. One that was interrupted may go on later.
    wait = state === "finished" ? null : state === "running" ? interval : rare;
    if (status.page > Number(live.dataset.page)) {
      if (mayReload()) location.reload(); else wait = interval;
    }
  }

  window.vidscanStatus = status => { errors = 0; present(status); };
  const poll = () => {
    const script = document.createElement("script");
    // What follows the question mark keeps the browser from using an older copy.
    script.src = live.dataset.status + "?" + Date.now();
    script.onload = () => { script.remove(); if (wait !== null) setTimeout(poll, wait); };
    script.onerror = () => { script.remove(); if (++errors < maximumErrors) setTimeout(poll, rare); };
    document.head.append(script);
  };
  poll();
})();
