
  // MARK: Everything together

  let model = null;

  /** Shows a time that is on the way: the picture follows. */
  function moved(time) {
    byId("time").textContent = clock(time, 3);
    movePlayhead(time);
  }
  player.listeners.push(time => {
    moved(time);
    drawOverlay();
    showValues();
    const play = byId("play"), isRunning = player.isPlaying || player.shuttle > 0;
    const label = isRunning ? "Pause" : "Play";
    if (play.ariaLabel !== label) {
      play.textContent = isRunning ? "❚❚" : "▶";
      play.ariaLabel = label;
    }
    // While the video plays, the view follows the playhead.
    if (player.isPlaying && (time > view[1] || time < view[0])) setView(time, time + view[1] - view[0]);
  });

  function refresh() {
    levelCache.clear();
    layOutLanes();
    // With few people, all curves are shown; otherwise those of the people that are visible longest.
    if (!refresh.isDone) shownPeople = new Set(order.slice(0, 4).map(person => person.id));
    for (const person of order) if (refresh.isDone && !refresh.known.has(person.id)) shownPeople.add(person.id);
    refresh.known = new Set(order.map(person => person.id));
    refresh.isDone = true;
    showPeople();
    eventList.fill();
    showDoubts();
    showCorrections();
    showSelection();
    drawOverlay();
    showValues();
    redraw();
  }

  function resize() {
    areaWidth = area.clientWidth;
    gutter = areaWidth < 520 ? 84 : 132;
    area.style.setProperty("--gutter", gutter + "px");
    picture.style.aspectRatio = `${data.video.width} / ${data.video.height}`;
    drawOverlay();
    eventList.draw();
    redraw();
  }

  // MARK: Keys

  const fullScreen = () => {
    if (document.fullscreenElement) document.exitFullscreen(); else picture.requestFullscreen?.().catch(() => {});
  };
  const keys = [
    [" ", "space", "Play or pause", () => player.toggle()],
    ["k", "K", "Pause", () => player.pause()],
    ["l", "L", "Play; again: faster", () => player.forward()],
    ["j", "J", "Play backward; again: faster", () => player.back()],
    ["ArrowRight", "→", "Next sample", () => player.step(1)],
    ["ArrowLeft", "←", "Previous sample", () => player.step(-1)],
    ["Shift+ArrowRight", "shift →", "One second on", () => { player.pause(); player.seek(player.shown + 1); }],
    ["Shift+ArrowLeft", "shift ←", "One second back", () => { player.pause(); player.seek(player.shown - 1); }],
    [".", ".", "Next picture of the video", () => player.stepFrame(1)],
    [",", ",", "Previous picture of the video", () => player.stepFrame(-1)],
    ["]", "]", "Next event in the list", () => eventList.jump(1)],
    ["[", "[", "Previous event in the list", () => eventList.jump(-1)],
    ["Home", "home", "Beginning", () => { player.pause(); player.seek(times[0] ?? 0); }],
    ["End", "end", "Last sample", () => { player.pause(); player.seek(times[times.length - 1] ?? 0); }],
    ["+", "+", "Zoom in", () => byId("zoom-in").click()],
    ["-", "−", "Zoom out", () => byId("zoom-out").click()],
    ["0", "0", "Show all of the timeline", () => setView(...whole)],
    ["f", "F", "Full screen", fullScreen],
    ["m", "M", "Sound on or off", () => byId("mute").click()],
    ["u", "U", "Take back the last correction", () => byId("undo").click()],
    ["?", "?", "Show these keys", () => byId("keys").showModal()],
  ];
  addEventListener("keydown", event => {
    if (!model || event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
    const isField = event.target.matches?.("input:not([type=checkbox]):not([type=file]), select, textarea");
    if (isField) return;
    // A focused button keeps the key that presses it.
    if (event.key === " " && event.target.matches?.("button, summary, input, a")) return;
    const name = (event.shiftKey && event.key.startsWith("Arrow") ? "Shift+" : "") + (event.key.length === 1 ? event.key.toLowerCase() : event.key);
    const key = keys.find(key => key[0] === name);
    if (!key) return;
    event.preventDefault();
    key[3]();
  });
  byId("key-list").append(...keys.flatMap(key => [make("dt", {}, make("kbd", {}, key[1])), make("dd", {}, key[2])]));

  // MARK: Controls

  byId("play").addEventListener("click", () => player.toggle());
  byId("help").addEventListener("click", () => byId("keys").showModal());
  byId("full").addEventListener("click", fullScreen);
  byId("speed").addEventListener("change", event => { if (player.isPlaying) player.video.playbackRate = +event.target.value; });
  byId("mute").addEventListener("click", () => {
    if (!player.video) return;
    player.video.muted = !player.video.muted;
    byId("mute").setAttribute("aria-pressed", player.video.muted);
  });
  byId("choose").addEventListener("change", event => {
    const file = event.target.files[0];
    if (!file) return;
    const node = player.video || byId("still");
    node.src = URL.createObjectURL(file);
    player.isUsable = false;
  });
  for (const [layer, label] of Object.entries(layerNames)) {
    const box = make("input", { type: "checkbox", checked: layers[layer] });
    box.dataset.layer = layer;
    box.addEventListener("change", () => {
      layers[layer] = box.checked;
      drawOverlay();
    });
    byId("layers").append(make("label", {}, box, " " + label));
  }
  picture.addEventListener("click", event => {
    const bounds = picture.getBoundingClientRect(), track = trackAt(event.clientX - bounds.left, event.clientY - bounds.top);
    if (!track) return player.toggle();
    select(track);
  });
  data.metrics.forEach((metric, index) =>
    byId("metric").add(new Option(words(metric.name) + (metric.isExperimental ? " (experimental)" : ""), index)));
  byId("metric").value = String(Math.max(0, data.metrics.findIndex(metric => metric.name === "smile")));
  const showMeaning = () => { byId("meaning").textContent = metric().meaning + (metric().unit ? ` (${metric().unit})` : ""); };
  byId("metric").addEventListener("change", () => {
    showMeaning();
    showValues();
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColors(); drawOverlay(); redraw(); });

  unpack().then(() => {
    readColors();
    showMeaning();
    corrections.start();
    model = correct(corrections.list);
    eventList.start();
    openTab("people");
    resize();
    refresh();
    new ResizeObserver(resize).observe(area);
    new ResizeObserver(drawOverlay).observe(picture);
    player.start();
    // For those who look at the page from the browser's console, and for its tests.
    window.vidscanReview = { seek: time => { player.pause(); player.seek(time); }, drawing, corrections, setView, boxes: time => facesAt(time).map(face => face.box), get view() { return view; }, get model() { return model; }, get shown() { return player.shown; } };
    document.body.dataset.ready = "true";
  }).catch(error => {
    byId("trouble").hidden = false;
    byId("trouble").textContent = `This browser cannot read the numbers in the page: ${error.message}`;
    throw error;
  });
