  const table = byId("files"), group = byId("group"), name = byId("search"), live = byId("live");

  // The reader's choices survive a reload.
  const memory = "vidscan " + location.pathname;
  let choice = {};
  try { choice = JSON.parse(sessionStorage.getItem(memory)) || {}; } catch { }
  const remember = change => {
    Object.assign(choice, change);
    try { sessionStorage.setItem(memory, JSON.stringify(choice)); } catch { }
  };

  // Only so many rows are in the table at a time, because a browser takes seconds to lay out thousands.
  const step = 500, body = table.tBodies[0], more = byId("more");
  let limit = step;
  table.allRows = [...body.rows];
  const described = new Map(table.allRows.map(row => [row, {
    groups: row.dataset.groups.split(" "), text: (row.cells[0].textContent + "\n" + row.cells[0].title).toLowerCase(),
  }]));
  // Rows of a group, and of names and notes that hold some text.
  const show = () => {
    const wanted = name?.value.trim().toLowerCase() ?? "", chosen = group?.value ?? "";
    const found = table.allRows.filter(row => {
      const { groups, text } = described.get(row);
      return (chosen === "" || groups.includes(chosen)) && text.includes(wanted);
    });
    const shown = found.slice(0, limit);
    for (const row of shown) row.hidden = false;
    body.replaceChildren(...shown);
    more.hidden = shown.length === found.length;
    more.textContent = `Show more (${shown.length} of ${found.length} shown)`;
    if (byId("shown")) byId("shown").textContent = found.length === described.size ? "" : `${found.length} of ${described.size}`;
  };
  const choose = () => {
    limit = step;
    remember({ group: group.value, search: name.value });
    show();
  };
  more.addEventListener("click", () => { limit += step; show(); });
  table.addEventListener("sorted", event => { remember({ sort: event.detail }); show(); });
  if (group && name) {
    if (choice.group && [...group.options].some(option => option.value === choice.group)) group.value = choice.group;
    if (choice.search) name.value = choice.search;
    group.addEventListener("change", choose);
    let pause;
    name.addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(choose, described.size > 2000 ? 150 : 0); });
  }
  if (!choice.sort || !sortTable(table, choice.sort.column, choice.sort.ascending)) show();

  // The progress of a batch. Its state is a script, because a page that was opened from a folder may not read other files.
  if (!live) return;
  const interval = 2000, rare = 15000, silence = 30, maximumErrors = 3;
  const length = seconds => clock(Math.max(0, Math.floor(seconds)), 0);
  const moment = seconds => new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC";
  const write = (id, text) => { if (byId(id).textContent !== text) byId(id).textContent = text; };
  const loaded = performance.now();
  let updated = null, changed = 0, typed = -Infinity, errors = 0, wait = interval;
  name?.addEventListener("input", () => { typed = performance.now(); });

  // The page does not interrupt anybody who types, has selected text, or looks at another page.
  const mayReload = () => document.visibilityState === "visible" && performance.now() - typed > 5000
    && getSelection().isCollapsed && performance.now() - loaded > Math.max(4000, 10 * loaded);

  window.vidscanStatus = status => {
    errors = 0;
    const now = performance.now();
    if (updated === null) changed = now - Math.max(0, Date.now() - status.updated * 1000);
    else if (updated !== status.updated) changed = now;
    updated = status.updated;
    const isSilent = status.state === "running" && now - changed > silence * 1000;
    const state = isSilent ? "silent" : status.state, run = status.run;
    live.dataset.state = state;
    live.hidden = state === "finished" && !run.elapsed_seconds;
    const resume = "Run the same command again to continue.";
    write("live-state", {
      running: "Running", finished: `Finished ${moment(status.updated)}`,
      interrupted: `Interrupted ${moment(status.updated)}. ${resume}`,
      stopped: `Stopped ${moment(status.updated)}: ${status.message ?? "an error"}`,
      silent: `Interrupted: nothing was heard from the batch since ${moment(status.updated)}. ${resume}`,
    }[state] ?? "");
    const counts = [`${run.done} done`, `${run.failed} failed`, `${run.left} left`];
    if (run.skipped) counts.splice(2, 0, `${run.skipped} skipped`);
    write("live-counts", "In this run: " + counts.join(", "));
    const speed = run.elapsed_seconds > 0 ? run.video_seconds / run.elapsed_seconds : 0;
    write("live-speed", [
      `${length(run.video_seconds)} of video in ${length(run.elapsed_seconds)}`, speed > 0 ? `${speed.toFixed(1)}× real time` : "",
      state === "running" && run.seconds_left != null ? `about ${length(run.seconds_left)} left` : "",
    ].filter(Boolean).join(" · "));
    byId("live-bar").hidden = state === "finished";
    byId("live-bar").value = run.fraction;
    byId("live-files").replaceChildren(...(state === "running" ? status.files : []).map(file => {
      const bar = make("progress", { ariaLabel: "progress" }), percent = `${Math.floor(100 * file.fraction)} %`;
      if (file.fraction != null) bar.value = file.fraction;
      return make("li", {}, make("bdi", { title: file.path }, file.result.replace(/\.vidscan$/, "")), bar,
        make("span", { className: "hint" }, file.fraction == null ? ""
          : percent + (file.length_seconds ? `, ${length(file.seconds)} of ${length(file.length_seconds)}` : "")));
    }));
    // When a batch has finished, nothing more will come. One that was interrupted may go on later.
    wait = state === "finished" ? null : state === "running" ? interval : rare;
    if (status.page > Number(live.dataset.page)) {
      if (mayReload()) location.reload(); else wait = interval;
    }
  };
  const poll = () => {
    // The query keeps the browser from using an older copy.
    const script = make("script", { src: live.dataset.status + "?" + Date.now() });
    script.onload = () => { script.remove(); if (wait !== null) setTimeout(poll, wait); };
    script.onerror = () => { script.remove(); if (++errors < maximumErrors) setTimeout(poll, rare); };
    document.head.append(script);
  };
  poll();
