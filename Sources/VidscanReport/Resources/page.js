  /** Sets one end of the loop, or neither. */
  function setLoop(end) {
    player.loop = end === null ? [null, null] : player.loop.with(end, player.position);
    const [from, to] = player.loop, isWhole = from !== null && to !== null && from < to;
    say(isWhole ? `From ${clock(from)} to ${clock(to)}.` : from === null && to === null ? "No loop." : `${from === null || from >= to && end === 1 ? "B" : "A"} is set. Now set the other end.`);
    if (isWhole || byId("only").value === "loop") byId("only").value = isWhole ? "loop" : "";
    keepRanges();
  }
  function keepRanges() {
    if (!picture) return;
    const [from, to] = player.loop, person = state.selection?.owner;
    player.ranges = {
      loop: () => from !== null && from < to ? [player.loop] : null,
      person: () => person?.tracks.flatMap(spansOf).sort((a, b) => a[0] - b[0]),
      events: () => eventList.rows.map(event => [event.time - 0.5, event.time + 1.5]),
    }[byId("only").value]?.() ?? null;
    emit("ranges");
  }
  const keys = [
    // Those that need the player come first.
    ...(picture ? [
      ...playerKeys,
      ["a", "A", "Loop from here", () => setLoop(0)],
      ["b", "B", "Loop to here", () => setLoop(1)],
      ["r", "R", "No loop", () => setLoop(null)],
    ] : []),
    ["ArrowRight", "→", "Next sample", () => player.step(1)],
    ["ArrowLeft", "←", "Previous sample", () => player.step(-1)],
    ["Shift+ArrowRight", "shift →", "One second on", () => player.stop(player.position + 1)],
    ["Shift+ArrowLeft", "shift ←", "One second back", () => player.stop(player.position - 1)],
    ["]", "]", "Next event in the list", () => eventList.jump(1)],
    ["[", "[", "Previous event in the list", () => eventList.jump(-1)],
    ["Home", "home", "Beginning", () => player.stop(times[0] ?? 0)],
    ["End", "end", "Last sample", () => player.stop(times[times.length - 1] ?? 0)],
    ["+", "+", "Zoom in", () => byId("zoom-in").click()],
    ["-", "−", "Zoom out", () => byId("zoom-out").click()],
    ["0", "0", "Show all of the timeline", () => setView(...whole)],
    ["y", "Y", "In Check: yes", () => review.answer("yes")],
    ["n", "N", "In Check: no", () => review.answer("no")],
    ["s", "S", "In Check: later", () => review.answer("skip")],
    ["u", "U", "Take back the last correction", undo],
    ["Shift+u", "shift U", "Make it again", redo],
    ["Escape", "esc", "Close the panel of a face, or clear the range", () => { closeFace(); closeRange(); }],
  ];
  /** Draws the events, the excluded times and what is played below the seek bar. */
  function drawMarks() {
    const width = marks.parentElement.clientWidth, context = fit(marks, width, 22);
    const x = time => 8 + (time - data.start) / (data.end - data.start) * (width - 16);
    context.fillStyle = paint.line;
    context.fillRect(8, 9, width - 16, 4);
    const fill = (ranges, color, alpha) => {
      context.fillStyle = color;
      context.globalAlpha = alpha;
      for (const [from, to] of ranges) context.fillRect(x(from), 5, Math.max(1, x(to) - x(from)), 12);
    };
    fill(state.model.excluded, paint.soft, 0.4);
    fill(player.ranges ?? [], paint.accent, 0.3);
    context.globalAlpha = 0.8;
    let last = -9;
    for (const event of eventList.rows) {
      const at = Math.round(x(event.time));
      if (at - last < 2) continue;
      last = at;
      context.fillStyle = event.track ? paint[event.track.owner.color] : paint.soft;
      context.fillRect(at, 4, 1, 14);
    }
  }
  if (picture) {
    on("model layout ranges events", () => requestAnimationFrame(drawMarks));
    on("model selection events", keepRanges);
    byId("only").addEventListener("change", event => {
      keepRanges();
      if (event.target.value && !player.ranges?.length) say({ loop: "Set both ends first: A and B.", person: "Select somebody first: click a face or a name.", events: "No event is listed." }[event.target.value]);
    });
  }

  // Passing on: an address, the rows and a picture of what is in view.
  /** Goes to the time, and selects the person or the face, that the address names: `#t=12.3&person=4`. */
  function followAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1)), time = parseFloat(wanted.get("t"));
    const face = wanted.has("face") ? ownerFinder()(+wanted.get("face"), time) : null;
    const tracks = face ? [face] : state.model.people.get(+wanted.get("person"))?.tracks ?? [];
    const track = tracks.find(track => track.begin <= time && time <= track.end) ?? tracks[0];
    if (track) select(track);
    if (!Number.isNaN(time)) player.stop(time); else if (track) player.stop(track.best);
  }
  addEventListener("hashchange", followAddress);
  on("model selection view", markChosen); // Last, because lists are made anew.
  const header = document.querySelector("header");
  // A page that leads here may name itself at the end of the address: a file with a relative path.
  const [, origin, originName] = /[#&]from=((?:[^/:\\]+\/)*([^/:\\]+\.html))$/.exec(location.hash) ?? [];
  if (origin) header.prepend(make("a", { href: origin, className: "origin" }, `← ${originName}`));
  /** Has the address lead to the playhead, and to who is selected. */
  function writeAddress(end = "") {
    const person = state.selection ? `&person=${state.selection.person}` : "";
    history.replaceState(null, "", `#t=${+player.position.toFixed(3)}${person}${end}`);
  }
  byId("link").addEventListener("click", () => {
    writeAddress();
    navigator.clipboard?.writeText(location.href).then(() => say("The link is copied."), () => say("The link is in the address bar."));
  });
  byId("rows-csv").addEventListener("click", () => {
    const names = ["time", "face_id", "person_id", "name", ...state.stack.map(metric => metric.name)], lines = [names];
    for (const track of state.model.tracks.filter(track => state.shownPeople.has(track.person)))
      for (let row = track.from; row < track.to; row++) {
        const time = timeOf(row);
        if (time < state.view[0] || time > state.view[1] || isExcluded(time)) continue;
        const values = state.stack.map(metric => number(columns.get(metric.name), row)).map(value => Number.isNaN(value) ? "" : +value.toFixed(3));
        lines.push([time.toFixed(6), track.id, Math.max(0, track.person) || "", `"${(state.model.names.get(track.person) ?? "").replace(/^[=+@-]/, "'$&")}"`, ...values]);
      }
    download(new Blob([lines.map(line => line.join(",") + "\n").join("")], { type: "text/csv" }), `${data.video.name}.rows.csv`);
    say(`Saved ${lines.length - 1} rows of ${state.order.filter(person => state.shownPeople.has(person.id)).length} of ${state.order.length} people, rounded as they are on this page.`);
  });
  byId("view-png").addEventListener("click", () => {
    const density = devicePixelRatio || 1, sheet = make("canvas", { width: curves.width, height: curves.height + bars.height }), context = sheet.getContext("2d");
    context.fillStyle = paint.card;
    context.fillRect(0, 0, sheet.width, sheet.height);
    context.drawImage(curves, 0, 0);
    context.drawImage(bars, 0, curves.height);
    context.font = `${12 * density}px system-ui, sans-serif`;
    context.fillStyle = paint.text;
    state.lanes.forEach((person, index) => {
      const y = curves.height + density * (headHeight() + index * laneHeight() + 16 - lanes.scrollTop);
      if (y > curves.height + density * headHeight()) context.fillText(shortened(person.name), 4, y, density * (gutter - 10));
    });
    sheet.toBlob(blob => download(blob, `${data.video.name}.timeline.png`));
  });

  // The border between the video and the timeline, whose height is kept.
  const border = byId("border"), screenArea = byId("screen"), borderKey = "vidscan border";
  function moveBorder(percent) {
    percent = within(percent, 15, innerWidth < 800 ? 45 : 80);
    screenArea.style.setProperty("--timeline", percent + "%");
    border.setAttribute("aria-valuenow", Math.round(percent));
  }
  border.addEventListener("pointerdown", event => border.setPointerCapture(event.pointerId));
  border.addEventListener("pointermove", event => {
    if (!border.hasPointerCapture(event.pointerId)) return;
    const box = screenArea.getBoundingClientRect();
    moveBorder(100 * (box.bottom - event.clientY) / box.height);
  });
  onKeys(border, { ArrowUp: 4, ArrowDown: -4 }, turn => moveBorder(+border.ariaValueNow + turn));
  for (const kind of ["pointerup", "keyup"])
    border.addEventListener(kind, () => { try { localStorage.setItem(borderKey, border.ariaValueNow); } catch { /* It is not kept. */ } });
  /** Gives the timeline what its curves and two lanes need, unless the window is small. */
  function makeRoom() {
    const others = area.parentElement.offsetHeight - area.clientHeight, wanted = others + rulerHeight + 56 * state.stack.length + lanesHeight(2);
    if (innerWidth >= 800) moveBorder(Math.max(+border.ariaValueNow, Math.min(60, 100 * wanted / screenArea.clientHeight)));
  }
  on("metric", makeRoom);
  moveBorder(innerWidth < 800 ? 32 : 38);
  const above = [header, byId("trouble"), byId("strip")];
  const measureHead = () => {
    const height = above.reduce((sum, part) => sum + part.getBoundingClientRect().height, 0), whole = Math.ceil(height);
    screenArea.style.setProperty("--head", whole + "px");
    // The video begins at a whole pixel.
    screenArea.style.marginTop = whole - height + "px";
  };
  for (const part of above) new ResizeObserver(measureHead).observe(part);

  unpack().then(() => {
    readColors();
    fillRows();
    corrections.start();
    eventList.start();
    openTab("people");
    resize();
    emit("model");
    measureHead();
    showMetrics();
    let kept = null;
    try { kept = localStorage.getItem(borderKey); } catch { /* As above. */ }
    if (kept) moveBorder(+kept); else makeRoom();
    new ResizeObserver(resize).observe(area);
    if (picture) new ResizeObserver(() => { drawOverlay(); emit("layout"); }).observe(picture);
    useKeys(keys);
    player.start();
    if (location.hash) followAddress();
    // For those who look at the page from the browser's console, and for its tests.
    window.vidscanReview = {
      seek: time => player.stop(time), readyAfter: performance.now(), drawing, corrections, setView, boxes: time => facesAt(time).map(face => face.box),
      get view() { return state.view; }, get model() { return state.model; }, get shown() { return state.time; },
    };
    document.body.dataset.ready = "true";
  }).catch(error => {
    showTrouble(`This browser cannot read the numbers in the page: ${error.message}`);
    throw error;
  });
