  const fullScreen = () => {
    if (document.fullscreenElement) document.exitFullscreen(); else picture.requestFullscreen?.().catch(() => {});
  };
  const showKeys = () => byId("keys").showModal();
  /** The keys that need the player come first. */
  const playerKeys = [
    [" ", "space", "Play or pause", () => player.toggle()],
    ["k", "K", "Pause", () => player.pause()],
    ["l", "L", "Play; again: faster", () => player.forward()],
    ["j", "J", "Play backward; again: faster", () => player.back()],
    [".", ".", "Next picture of the video", () => player.stepFrame(1)],
    [",", ",", "Previous picture of the video", () => player.stepFrame(-1)],
    ["f", "F", "Full screen", fullScreen],
    ["m", "M", "Sound on or off", () => byId("mute").click()],
  ];
  const keys = [
    ...(picture ? playerKeys : []),
    ["ArrowRight", "→", "Next sample", () => player.step(1)],
    ["ArrowLeft", "←", "Previous sample", () => player.step(-1)],
    ["Shift+ArrowRight", "shift →", "One second on", () => player.stop(state.time + 1)],
    ["Shift+ArrowLeft", "shift ←", "One second back", () => player.stop(state.time - 1)],
    ["]", "]", "Next event in the list", () => eventList.jump(1)],
    ["[", "[", "Previous event in the list", () => eventList.jump(-1)],
    ["Home", "home", "Beginning", () => player.stop(times[0] ?? 0)],
    ["End", "end", "Last sample", () => player.stop(times[times.length - 1] ?? 0)],
    ["+", "+", "Zoom in", () => byId("zoom-in").click()],
    ["-", "−", "Zoom out", () => byId("zoom-out").click()],
    ["0", "0", "Show all of the timeline", () => setView(...whole)],
    ["u", "U", "Take back the last correction", () => byId("undo").click()],
    ["?", "?", "Show these keys", showKeys],
  ];
  addEventListener("keydown", event => {
    if (!state.model || event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
    if (event.target.matches?.("input:not([type=checkbox]):not([type=file]), select, textarea")) return;
    // A focused button keeps the key that presses it.
    if (event.key === " " && event.target.matches?.("button, summary, input, a")) return;
    const name = (event.shiftKey && event.key.startsWith("Arrow") ? "Shift+" : "") + (event.key.length === 1 ? event.key.toLowerCase() : event.key);
    const key = keys.find(key => key[0] === name);
    if (!key) return;
    event.preventDefault();
    key[3]();
  });
  byId("key-list").append(...keys.flatMap(key => [make("dt", {}, make("kbd", {}, key[1])), make("dd", {}, key[2])]));

  for (const button of document.querySelectorAll("[data-dialog=keys]")) button.addEventListener("click", showKeys);

  const showTime = time => { byId("time").textContent = clock(time, 3); };
  on("moving", showTime);
  on("time", () => showTime(state.time));
  if (picture) {
    byId("play").addEventListener("click", () => player.toggle());
    on("time playing", () => {
      const play = byId("play"), isRunning = player.isPlaying || player.shuttle > 0, label = isRunning ? "Pause" : "Play";
      if (play.ariaLabel === label) return;
      play.textContent = isRunning ? "❚❚" : "▶";
      play.ariaLabel = label;
    });
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
      (player.video || byId("still")).src = URL.createObjectURL(file);
      player.isUsable = false;
    });
  }
  metrics.forEach((metric, index) =>
    byId("metric").add(new Option(words(metric.name) + (metric.isExperimental ? " (experimental)" : ""), index)));
  byId("metric").value = metrics.indexOf(state.metric);
  byId("metric").addEventListener("change", event => {
    state.metric = metrics[+event.target.value];
    emit("metric");
  });
  const showMeaning = () => { byId("meaning").textContent = state.metric.meaning + (state.metric.unit ? ` (${state.metric.unit})` : ""); };
  on("metric", showMeaning);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColors(); emit("layout"); });

  unpack().then(() => {
    readColors();
    showMeaning();
    corrections.start();
    eventList.start();
    openTab("people");
    resize();
    emit("model");
    new ResizeObserver(resize).observe(area);
    if (picture) new ResizeObserver(drawOverlay).observe(picture);
    player.start();
    // For those who look at the page from the browser's console, and for its tests.
    window.vidscanReview = {
      seek: time => player.stop(time), drawing, corrections, setView, boxes: time => facesAt(time).map(face => face.box),
      get view() { return state.view; }, get model() { return state.model; }, get shown() { return state.time; },
    };
    document.body.dataset.ready = "true";
  }).catch(error => {
    showTrouble(`This browser cannot read the numbers in the page: ${error.message}`);
    throw error;
  });
