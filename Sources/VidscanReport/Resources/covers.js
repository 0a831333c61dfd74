  // What a person covers and releases: the boxes over both videos, their list, and the file.
  const layers = [...document.querySelectorAll(".layer")], hidden = byId("hidden"), kindMenu = byId("kind");
  const storageKey = `vidscan covers ${data.video.name} ${data.video.bytes}`;
  const { width: pictureWidth, height: pictureHeight } = data.video;
  const colors = { face: 1, plate: 4, caption: 3, screen: 0, release: 2 };
  // Pictures follow each other evenly, because no table says when each is shown.
  times = Float64Array.of(data.first, data.first + data.interval);
  frameOf = Uint32Array.of(0, 1);
  document.documentElement.style.setProperty("--margin", -100 * data.margin + "%");

  /** A cover or a release as the file has it. */
  const coverOf = (kind, keyframes, follows) => ({
    ...kind === "release" ? { do: kind } : { do: "cover", what: kind },
    ...follows && kind !== "release" && keyframes.length > 1 ? { follow: true } : {}, keyframes,
  });
  const kindOf = item => item.what ?? item.do;
  const isItem = item => kindOf(item) in colors && item.keyframes.length > 0 && item.keyframes.every(({ time, box }) => [time, ...box].every(Number.isFinite) && box.length === 4);
  const ends = ({ keyframes }) => [keyframes[0].time, keyframes[keyframes.length - 1].time];
  const describe = item => `${kindOf(item)}, ${[...new Set(ends(item).map(time => clock(time)))].join(" to ")}`;
  /** The time of the picture that is shown, as a keyframe has it. */
  const now = () => micro(within(state.time, 0, data.duration ?? Infinity));
  /** The index of the keyframe at the picture that is shown, or -1. */
  const keyframeHere = item => item ? item.keyframes.findIndex(key => frameAt(key.time) === frameAt(now())) : -1;
  /** The box at a time, and whether it is in force then. Outside of its times, it is that of the nearest keyframe. */
  function boxAt({ keyframes, ...item }, time) {
    const next = search(0, keyframes.length, i => keyframes[i].time > time), [from, to] = ends({ keyframes });
    const a = keyframes[Math.max(0, next - 1)], b = keyframes[Math.min(next, keyframes.length - 1)];
    const fraction = a === b ? 0 : (time - a.time) / (b.time - a.time), reach = item.do === "cover" ? 0.05 : sameTime;
    return { box: a.box.map((value, i) => value + fraction * (b.box[i] - value)), isActive: time >= from - reach && time <= to + reach };
  }

  const covers = {
    /** `chosen` is an index in the list; `done` and `undone` are earlier and later lists, as JSON. */
    list: data.covers.map(item => coverOf(kindOf(item), item.keyframes, item.follow)), chosen: null, done: [], undone: [],
    get item() { return this.list[this.chosen]; },
    get text() { return JSON.stringify(this.list); },
    start() {
      this.file = this.saved = this.text;
      const kept = this.read();
      // Work that was not saved continues. What was saved is dropped, unless the file is still the one from before.
      if (!kept || kept.list === this.file || kept.isSaved && kept.file !== this.file) return;
      this.done.push(this.file);
      this.list = JSON.parse(kept.list);
      say("This browser has covers that are not in the file.", true);
    },
    /** What this browser keeps; nothing if that is not a list of boxes. */
    read() {
      try { return [JSON.parse(localStorage.getItem(storageKey))].find(kept => JSON.parse(kept.list).every(isItem)); } catch { return null; }
    },
    put(list, chosen = this.chosen) {
      this.list = list;
      this.chosen = chosen < list.length ? chosen : null;
      this.keep();
    },
    keep() {
      const { file, text: list, saved } = this;
      try { localStorage.setItem(storageKey, JSON.stringify({ file, list, isSaved: list === saved })); } catch { this.isAlone = true; }
      emit("covers");
    },
    change(list, text, chosen) {
      this.done.push(this.text);
      this.undone = [];
      this.put(list, chosen);
      say(text, true);
    },
    replay(from, to) {
      if (!from.length) return say("There is no such change.");
      to.push(this.text);
      this.put(JSON.parse(from.pop()));
      say(this.item ? describe(this.item) : "Done.", true);
    },
    choose(index, time) {
      this.chosen = index;
      if (time !== undefined) player.stop(time);
      emit("covers");
    },
    add(box) {
      const item = coverOf(kindMenu.value, [{ time: now(), box }]);
      this.change([...this.list, item], `Added: ${describe(item)}`, this.list.length);
    },
    /** Changes the kind, the keyframes, or whether the chosen box follows the picture. */
    edit({ kind, keyframes, follows }, text) {
      const { item } = this;
      this.change(this.list.with(this.chosen, coverOf(kind ?? kindOf(item), keyframes ?? item.keyframes, follows ?? item.follow)), text);
    },
    /** Gives the chosen box a place at the picture that is shown. */
    move(box) {
      const { keyframes, what } = this.item, here = keyframeHere(this.item), key = { time: keyframes[here]?.time ?? now(), box };
      if (here >= 0) return this.edit({ keyframes: keyframes.with(here, key) }, `Changed at ${clock(key.time)}`);
      // Most things move with the picture, but a caption lies still over it.
      const follows = keyframes.length === 1 ? what !== "caption" : undefined;
      this.edit({ keyframes: [...keyframes, key].sort((a, b) => a.time - b.time), follows }, `Keyframe at ${clock(key.time)}`);
    },
    extend() { if (this.item && keyframeHere(this.item) < 0) this.move(rounded(boxAt(this.item, state.time).box)); },
    shorten() {
      const { item } = this, here = keyframeHere(item);
      if (here < 0) return say("The chosen box has no keyframe at this picture.");
      if (item.keyframes.length === 1) this.remove(); else this.edit({ keyframes: item.keyframes.toSpliced(here, 1) }, "Removed a keyframe");
    },
    remove(index = this.chosen) {
      if (index !== null) this.change(this.list.toSpliced(index, 1), `Removed: ${describe(this.list[index])}`, null);
    },
    save() {
      const name = `covers-${stamp()}.json`, { name: video, bytes } = data.video;
      const blob = new Blob([JSON.stringify({ format: "vidscan covers 1", video: { name: video, bytes }, covers: this.list }, null, 1) + "\n"], { type: "application/json" });
      if (this.list.length > 10_000 || blob.size > 4 << 20) return say("These are too many boxes for one file.");
      download(blob, name);
      this.saved = this.text;
      this.keep();
      byId("commands").textContent = `mv ~/Downloads/${name} ${quoted(pathOf(data.paths.COVERS, "COVERS"))} && vidscan ${data.again.map(word => quoted(pathOf(data.paths[word], word))).join(" ")}`;
      byId("after-saving").hidden = false;
      byId("after-saving").scrollIntoView({ block: "nearest" });
      say(`Saved ${name}`);
    },
  };

  // The boxes lie and move alike on both videos.
  let drag = null;
  const rounded = box => box.map(value => Math.round(10 * value) / 10);
  /** Moves the edges of a box in pixels of the video; all four move it as it is. Nothing leaves the picture. */
  function moved([x, y, width, height], [left, top, right, bottom]) {
    const begin = (low, size, a, b, limit) => within(low + a, 0, a === b ? limit - size : low + size - 2);
    const size = (low, size, a, b, limit) => a === b ? size : within(low + size + b, low + 2, limit) - begin(low, size, a, b, limit);
    const [across, down] = [[x, width, left, right, pictureWidth], [y, height, top, bottom, pictureHeight]];
    return rounded([begin(...across), begin(...down), size(...across), size(...down)]);
  }
  function drawBoxes() {
    for (const layer of layers) {
      const { scale, left, top } = placement(layer), nodes = new Map([...layer.children].map(node => [+node.dataset.index, node]));
      const show = (index, item, [x, y, width, height], isActive) => {
        const node = nodes.get(index) ?? make("div", { className: "box", tabIndex: 0, role: "button", "data-index": index });
        nodes.delete(index);
        node.classList.toggle("chosen", index === covers.chosen);
        node.classList.toggle("ghost", !isActive);
        node.dataset.kind = kindOf(item);
        node.ariaLabel = describe(item) + (isActive ? "" : ", not at this time");
        node.style.cssText = `--face: var(--c${colors[kindOf(item)]}); left: ${left + scale * x}px; top: ${top + scale * y}px; width: ${scale * width}px; height: ${scale * height}px`;
        if (!node.parentElement) layer.append(node);
      };
      covers.list.forEach((item, index) => {
        const { box, isActive } = boxAt(item, state.time), isDragged = drag?.index === index;
        if (isActive || index === covers.chosen) show(index, item, isDragged ? drag.box : box, isActive || isDragged);
      });
      if (drag?.index === covers.list.length) show(drag.index, coverOf(kindMenu.value, [{ time: now() }]), drag.box, true);
      for (const node of nodes.values()) node.remove();
    }
  }
  /** Which edges of a box a pointer takes: -1 is left or top, 1 is right or bottom. In the middle, it takes none, and moves the box. */
  function edgesAt(node, { clientX, clientY }) {
    const { left, top, width, height } = node.getBoundingClientRect();
    const side = (at, size) => at < Math.min(8, size / 4) ? -1 : size - at < Math.min(8, size / 4) ? 1 : 0;
    return [side(clientX - left, width), side(clientY - top, height)];
  }
  const cursorFor = ([x, y]) => x && y ? (x === y ? "nwse-resize" : "nesw-resize") : x ? "ew-resize" : y ? "ns-resize" : "move";
  for (const layer of layers) {
    const placeOf = event => {
      const bounds = layer.getBoundingClientRect(), { scale, left, top } = placement(layer);
      return [within((event.clientX - bounds.left - left) / scale, 0, pictureWidth), within((event.clientY - bounds.top - top) / scale, 0, pictureHeight)];
    };
    layer.addEventListener("pointerdown", event => {
      if (event.button) return;
      player.pause();
      const node = event.target.closest(".box"), index = node ? +node.dataset.index : covers.list.length, from = placeOf(event);
      const box = node ? boxAt(covers.list[index], state.time).box : [...from, 0, 0];
      drag = { index, from, box, original: box, edges: node && edgesAt(node, event) };
      covers.choose(node ? index : null);
      layer.setPointerCapture(event.pointerId);
    });
    layer.addEventListener("pointermove", event => {
      const node = event.target.closest(".box");
      if (!drag) return node?.style.setProperty("cursor", cursorFor(edgesAt(node, event)));
      const to = placeOf(event), [dx, dy] = to.map((value, i) => value - drag.from[i]), [x, y] = drag.edges ?? [];
      drag.box = !drag.edges ? rounded([...to.map((value, i) => Math.min(value, drag.from[i])), Math.abs(dx), Math.abs(dy)])
        : moved(drag.original, x || y ? [x < 0 ? dx : 0, y < 0 ? dy : 0, x > 0 ? dx : 0, y > 0 ? dy : 0] : [dx, dy, dx, dy]);
      drawBoxes();
    });
    layer.addEventListener("pointerup", () => {
      const { box, edges, original } = drag ?? {};
      drag = null;
      if (!box) return;
      // A click is neither a box nor a move.
      if (edges ? String(box) !== String(original) : Math.min(box[2], box[3]) * placement(layer).scale >= 4) edges ? covers.move(box) : covers.add(box); else drawBoxes();
    });
    layer.addEventListener("pointercancel", () => { drag = null; drawBoxes(); });
    layer.addEventListener("focusin", event => { if (!drag) covers.choose(+event.target.dataset.index); });
    layer.addEventListener("keydown", event => {
      const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0], step = event.shiftKey ? 10 : 1;
      if (!x && !y || !covers.item || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      player.pause();
      covers.move(moved(boxAt(covers.item, state.time).box, event.altKey ? [0, 0, step * x, step * y] : [step * x, step * y, step * x, step * y]));
    });
  }

  function showList() {
    const { list, chosen, item } = covers;
    byId("covers").replaceChildren(...list.map((cover, index) => make("li", { className: index === chosen ? "chosen" : "", style: `--face: var(--c${colors[kindOf(cover)]})` },
      make("button", { type: "button", className: "go", onclick: () => covers.choose(index, ends(cover)[0]) }, describe(cover)),
      make("button", { type: "button", className: "small", ariaLabel: `Remove: ${describe(cover)}`, onclick: () => covers.remove(index) }, "×"))));
    byId("covers-state").textContent = (list.length === 1 ? "1 box" : list.length + " boxes") + (covers.text === covers.saved ? "" : ", not saved to a file");
    byId("undo").disabled = !covers.done.length;
    byId("redo").disabled = !covers.undone.length;
    byId("chosen").disabled = !item;
    byId("chosen-title").textContent = item ? describe(item) : "No box is chosen";
    byId("follow").checked = item?.follow === true;
    byId("follow").disabled = item?.do !== "cover" || item.keyframes.length < 2;
    byId("keyframes").replaceChildren(...(item?.keyframes ?? []).map(({ time }) => make("button", { type: "button", className: "small", onclick: () => player.stop(time) }, clock(time))));
    if (item) kindMenu.value = kindOf(item);
    showKeyframe();
  }
  function showKeyframe() {
    const here = keyframeHere(covers.item);
    byId("shorten").disabled = here < 0;
    byId("extend").disabled = here >= 0;
    [...byId("keyframes").children].forEach((node, i) => { node.ariaCurrent = i === here ? "true" : null; });
  }
  /** Draws the times of the boxes below the seek bar, and the keyframes of the chosen one. */
  function drawMarks() {
    const width = marks.parentElement.clientWidth, context = fit(marks, width, 22);
    const x = time => 8 + (time - data.start) / (data.end - data.start) * (width - 16);
    context.fillStyle = paint.line;
    context.fillRect(8, 9, width - 16, 4);
    covers.list.forEach((item, index) => {
      const [from, to] = ends(item);
      Object.assign(context, { fillStyle: paint[colors[kindOf(item)]], globalAlpha: index === covers.chosen ? 0.9 : 0.4 });
      context.fillRect(x(from), 5, Math.max(2, x(to) - x(from)), 12);
    });
    Object.assign(context, { fillStyle: paint.text, globalAlpha: 1 });
    for (const { time } of covers.item?.keyframes ?? []) context.fillRect(x(time) - 1, 2, 2, 18);
  }
  /** Puts the videos beside each other or, where they are larger then, one above the other. */
  function arrange() {
    const { clientWidth: width, clientHeight: height } = byId("pair"), count = layers.length;
    const scale = (columns, rows) => Math.min(width / columns / pictureWidth, height / rows / pictureHeight);
    byId("pair").classList.toggle("stacked", scale(1, count) > scale(count, 1));
  }
  on("time", () => { drawBoxes(); showKeyframe(); keepUp(); });
  on("covers", showList);
  on("covers layout", () => { drawBoxes(); drawMarks(); });

  // The video with hidden faces goes along. Its clock begins with the first picture of the original.
  function keepUp() {
    if (!hidden?.readyState || hidden.seeking) return;
    const time = Math.max(0, state.time - times[0]) + sameTime;
    if (Math.abs(hidden.currentTime - time) > (player.isPlaying ? 0.12 : sameTime)) hidden.currentTime = time;
  }
  if (hidden) {
    on("playing", () => {
      hidden.playbackRate = player.video.playbackRate;
      if (player.isPlaying) hidden.play().catch(() => {}); else hidden.pause();
      keepUp();
    });
    for (const name of ["seeked", "loadedmetadata"]) hidden.addEventListener(name, keepUp);
    hidden.addEventListener("error", () => { byId("hidden-label").textContent = "This browser cannot play the video with hidden faces."; });
  }

  /** Goes to the next or the previous keyframe of any box. */
  function jump(direction) {
    const keys = covers.list.flatMap(item => item.keyframes.map(key => key.time)).sort((a, b) => a - b);
    const index = neighbor(keys.length, i => keys[i], player.position, direction);
    if (index in keys) player.stop(keys[index]);
  }

  const undo = () => covers.replay(covers.done, covers.undone), redo = () => covers.replay(covers.undone, covers.done);
  const actions = {
    new: () => {
      covers.add(rounded([0.4 * pictureWidth, 0.4 * pictureHeight, 0.2 * pictureWidth, 0.2 * pictureHeight]));
      layers[0].querySelector(".chosen").focus();
    },
    extend: () => covers.extend(), shorten: () => covers.shorten(), remove: () => covers.remove(), save: () => covers.save(), undo, redo, "undo-said": undo, "redo-said": redo,
  };
  onClick(actions);
  kindMenu.addEventListener("change", () => { if (covers.item) covers.edit({ kind: kindMenu.value }, `Now: ${kindMenu.value}`); });
  byId("follow").addEventListener("change", ({ target }) => covers.edit({ follows: target.checked }, target.checked ? "Follows the picture" : "Moves in straight lines"));
  // Covers in the browser are safe, but not yet in a file.
  addEventListener("beforeunload", event => { if (covers.isAlone && covers.text !== covers.saved) event.preventDefault(); });
  addEventListener("storage", event => {
    const kept = event.key === storageKey && covers.read();
    if (!kept) return;
    Object.assign(covers, { list: JSON.parse(kept.list), chosen: null, done: [], undone: [] });
    emit("covers");
    say("Another tab has changed the boxes.");
  });
  useKeys([
    ...playerKeys,
    ["ArrowRight", "→", "Next picture", () => player.stepFrame(1)],
    ["ArrowLeft", "←", "Previous picture", () => player.stepFrame(-1)],
    ["Shift+ArrowRight", "shift →", "One second on", () => player.stop(player.position + 1)],
    ["Shift+ArrowLeft", "shift ←", "One second back", () => player.stop(player.position - 1)],
    ["Home", "home", "Beginning", () => player.stop(times[0])],
    ["End", "end", "End", () => player.stop(data.end)],
    ["]", "]", "Next keyframe of any box", () => jump(1)],
    ["[", "[", "Previous keyframe of any box", () => jump(-1)],
    ["n", "N", "New box in the middle", actions.new],
    ["e", "E", "Keyframe of the chosen box here", actions.extend],
    ["x", "X", "Remove the keyframe here", actions.shorten],
    ["Delete", "delete", "Remove the chosen box", actions.remove],
    ["u", "U", "Take back the last change", undo],
    ["Shift+u", "shift U", "Make it again", redo],
    ["Escape", "esc", "Choose no box", () => covers.choose(null)],
  ]);
  readColors();
  covers.start();
  emit("covers");
  new ResizeObserver(() => { arrange(); emit("layout"); }).observe(byId("player"));
  player.start();
  // For those who look at the page from the browser's console, and for its tests.
  window.vidscanCovers = { covers, seek: time => player.stop(time), get shown() { return state.time; } };
  document.body.dataset.ready = "true";
