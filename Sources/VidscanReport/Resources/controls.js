  // The picture, and the player's controls and keys.
  const picture = byId("picture");
  document.documentElement.style.setProperty("--shape", data.video.width / data.video.height);

  /** Where the picture lies in its element: scale and offset from pixels of the video to CSS pixels. */
  function placement(place = picture) {
    const width = place.clientWidth, height = place.clientHeight;
    const scale = Math.min(width / data.video.width, height / data.video.height);
    return { scale, left: (width - scale * data.video.width) / 2, top: (height - scale * data.video.height) / 2, width, height };
  }

  const fullScreen = () => {
    if (document.fullscreenElement) document.exitFullscreen(); else byId("player").requestFullscreen?.().catch(() => {});
  };
  addEventListener("fullscreenchange", () => (document.fullscreenElement ?? document.body).append(byId("floating")));
  const playerKeys = [
    [" ", "space", "Play or pause", () => player.toggle()],
    ["k", "K", "Pause", () => player.pause()],
    ["l", "L", "Play; again: faster", () => player.forward()],
    ["j", "J", "Play backward; again: faster", () => player.back()],
    [">", ">", "Faster", () => player.changeSpeed(1)],
    ["<", "<", "Slower", () => player.changeSpeed(-1)],
    [".", ".", "Next picture of the video", () => player.stepFrame(1)],
    [",", ",", "Previous picture of the video", () => player.stepFrame(-1)],
    ["f", "F", "Full screen", fullScreen],
    ["m", "M", "Sound on or off", () => byId("mute").click()],
  ];
  /** Lists keys (each the browser's name, a shown name, its meaning and what it does), and does what they say. */
  function useKeys(pageKeys) {
    const dialog = byId("keys"), showKeys = () => dialog.showModal(), keys = [...pageKeys, ["?", "?", "Show these keys", showKeys]];
    // After a click, space plays, whatever was clicked. Where the focus was moved by keys, it presses the control.
    let isPointed = false;
    addEventListener("pointerdown", event => {
      isPointed = true;
      for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
    }, true);
    for (const menu of document.querySelectorAll(".menu")) menu.addEventListener("toggle", () => { if (menu.open) menu.querySelector("[type=search]")?.focus(); });
    const isTyping = node => node.matches?.("input:not([type=checkbox], [type=file], [type=range]), textarea");
    const playsOn = event => event.key === " " && picture && !isTyping(event.target)
      && (isPointed || !event.target.matches?.("button, summary, input, select, a"));
    addEventListener("keyup", event => { if (playsOn(event)) event.preventDefault(); }, true);
    addEventListener("keydown", event => {
      if (event.key === "Tab") isPointed = false;
      const menu = event.key === "Escape" && document.querySelector(".menu[open]");
      if (menu) {
        menu.open = false;
        return menu.querySelector("summary").focus();
      }
      const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z", pressed = isUndo ? "u" : event.key;
      if (!isUndo && (event.ctrlKey || event.metaKey) || event.altKey || dialog.open) return;
      if (isTyping(event.target) && event.key !== "Escape") return;
      if (event.key === " " ? !playsOn(event) : event.target.matches?.("select, #volume")) return;
      const name = (event.shiftKey && /^(Arrow|u$)/i.test(pressed) ? "Shift+" : "") + (pressed.length === 1 ? pressed.toLowerCase() : pressed);
      const key = keys.find(key => key[0] === name);
      if (!key) return;
      event.preventDefault();
      key[3]();
    });
    byId("key-list").append(...keys.flatMap(key => [make("dt", {}, make("kbd", {}, key[1])), make("dd", {}, key[2])]));

    for (const button of document.querySelectorAll("[data-dialog=keys]")) button.addEventListener("click", showKeys);
  }

  const seekBar = byId("seek"), marks = byId("marks");
  on("moving time", time => {
    byId("time").textContent = clock(time, 3);
    if (!seekBar) return;
    seekBar.value = time;
    seekBar.setAttribute("aria-valuetext", clock(time));
  });
  if (picture) {
    Object.assign(seekBar, { min: data.start, max: data.end });
    byId("length").textContent = "/ " + clock(data.end, 1);
    seekBar.addEventListener("input", () => player.seek(+seekBar.value));
    onClick({ play: () => player.toggle(), "frame-back": () => player.stepFrame(-1), "frame-on": () => player.stepFrame(1), full: fullScreen });
    on("playing", () => {
      const { video, shuttle } = player, play = byId("play"), isRunning = player.isPlaying || shuttle > 0;
      play.textContent = isRunning ? "❚❚" : "▶";
      play.ariaLabel = isRunning ? "Pause" : "Play";
      byId("playback").textContent = shuttle ? `Backward ${shuttle}×` : player.isPlaying ? `Playing ${video.playbackRate}×` : "Paused";
      if (!video) return;
      if (player.isPlaying) byId("speed").value = video.playbackRate;
      byId("mute").textContent = player.isSilent ? "No sound" : video.muted ? "Sound off" : "Sound on";
      byId("mute").setAttribute("aria-pressed", video.muted);
      byId("volume").value = video.muted ? 0 : video.volume;
    });
    byId("speed").addEventListener("change", event => {
      if (player.isPlaying) player.video.playbackRate = +event.target.value;
      say(`Speed ${event.target.value}×`);
    });
    byId("mute").addEventListener("click", () => { if (player.video) player.video.muted = !player.video.muted; });
    byId("volume").addEventListener("input", ({ target: { value } }) => { if (player.video) Object.assign(player.video, { muted: value === "0", volume: +value }); });
    byId("choose").addEventListener("change", event => {
      const file = event.target.files[0];
      if (!file) return;
      (player.video || byId("still")).src = URL.createObjectURL(file);
      Object.assign(player, { isUsable: false, other: file });
    });
  }
  byId("copy").addEventListener("click", () => {
    getSelection().selectAllChildren(byId("commands"));
    navigator.clipboard?.writeText(byId("commands").textContent).then(() => say("Copied."), () => {});
  });
