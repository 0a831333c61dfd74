  const area = byId("area"), curves = byId("curves"), bars = byId("bars"), lanes = byId("lanes");
  const whole = [data.start, data.end];
  let gutter = 132;
  const rowHeight = 26, shotHeight = 18, rulerHeight = 22, voiceHeight = 24, episodeHeight = 11;
  /** Above the lanes: the shots, and the voice if the sound was analysed. */
  const headHeight = () => shotHeight + (voice ? voiceHeight : 0);
  /** Each person's bar, and a row for each kind of episodes that is shown. */
  const laneHeight = () => rowHeight + episodeHeight * state.rows.length;

  const drawing = { wanted: false, count: 0 };
  function draw() {
    drawing.wanted = false;
    drawing.count++;
    drawCurves();
    drawBars();
    movePlayhead(state.time);
  }
  function redraw() {
    if (!drawing.wanted) requestAnimationFrame(draw);
    drawing.wanted = true;
  }

  /** The size of the timeline, which is measured only when it changes, because that lays the page out. */
  let areaWidth = 0, areaHeight = 0;
  const plotWidth = () => Math.max(20, areaWidth - gutter);
  const toX = time => gutter + (time - state.view[0]) / (state.view[1] - state.view[0]) * plotWidth();
  const toTime = x => state.view[0] + (x - gutter) / plotWidth() * (state.view[1] - state.view[0]);

  function setView(from, to) {
    const length = whole[1] - whole[0], least = Math.min(Math.max(4 * data.interval, 0.2), length), span = within(to - from, least, length);
    from = within((from + to) / 2 - span / 2, whole[0], whole[1] - span);
    state.view = [from, from + span];
    emit("view");
  }
  const move = ([from, to], pixels) => setView(from + pixels / plotWidth() * (to - from), to + pixels / plotWidth() * (to - from));
  const zoom = (factor, time) => setView(time - (time - state.view[0]) * factor, time + (state.view[1] - time) * factor);

  function drawPolygon(context, corners) {
    corners.forEach(([x, y], index) => context[index ? "lineTo" : "moveTo"](x, y));
    context.closePath();
  }

  function drawBars() {
    // Only the lanes in view are drawn, because there may be hundreds.
    const width = areaWidth, whole = headHeight() + laneHeight() * state.lanes.length + 4, scrolled = lanes.scrollTop;
    byId("lane-space").style.height = whole + "px";
    // Names do not cover what stays above the lanes.
    byId("lane-names").style.clipPath = `inset(${headHeight() + scrolled}px 0 0)`;
    const height = Math.max(headHeight(), Math.min(whole, areaHeight - curvesHeight())), context = fit(bars, width, height);
    Object.assign(context, { font: "10px system-ui, sans-serif", textBaseline: "middle", textAlign: "right", fillStyle: paint.soft });
    clip(context, 0, headHeight(), gutter, height);
    state.lanes.forEach((person, index) => state.rows.forEach((kind, row) => {
      const y = headHeight() + index * laneHeight() + rowHeight + (row + 0.5) * episodeHeight - scrolled;
      if (y < height + 9) context.fillText(kind !== "speaks" || hasSpeech(person) ? words(kind) : "speaking unknown", gutter - 8, y, gutter - 20);
    }));
    context.restore();
    if (voice) context.fillText("voice", gutter - 8, shotHeight + voiceHeight / 2);
    clip(context, gutter, 0, width - gutter, height);
    // Shots as alternating blocks.
    const edges = [data.start, ...cutTimes, data.end];
    context.fillStyle = paint.soft;
    for (let i = Math.max(0, search(0, edges.length, i => edges[i] > state.view[0]) - 1); i + 1 < edges.length && edges[i] <= state.view[1]; i++) {
      context.globalAlpha = i % 2 ? 0.18 : 0.34;
      context.fillRect(toX(edges[i]), 3, Math.max(0.5, toX(edges[i + 1]) - toX(edges[i])), shotHeight - 7);
    }
    context.globalAlpha = 1;
    drawExcluded(context, 0, height);
    drawCuts(context, shotHeight, height);
    if (voice) drawVoice(context, width);
    clip(context, gutter, headHeight(), width - gutter, height);
    state.lanes.forEach((person, index) => {
      const top = headHeight() + index * laneHeight() + 4 - scrolled, tall = rowHeight - 8;
      if (top < headHeight() - laneHeight() || top > height) return;
      context.fillStyle = paint[person.color];
      let reached = -1;
      for (const track of person.tracks) {
        for (const [from, to] of spansOf(track)) {
          const a = toX(from), b = toX(to);
          if (b < gutter || a > width || b <= reached) continue;
          context.globalAlpha = track === state.selection ? 1 : 0.72;
          context.fillRect(a, top, Math.max(1, b - a), tall);
          reached = a + Math.max(1, b - a) - 0.5;
        }
        if (track.isSplit || track === state.selection) {
          Object.assign(context, { globalAlpha: 1, strokeStyle: paint.text, lineWidth: track === state.selection ? 2 : 1 });
          context.strokeRect(toX(track.begin), top, Math.max(1, toX(track.end + data.interval) - toX(track.begin)), tall);
        }
      }
      state.rows.forEach((kind, row) => drawEpisodes(context, person.episodes.get(kind), top + tall + 3 + row * episodeHeight, width));
    });
    context.restore();
    context.fillStyle = paint.accent;
    context.beginPath();
    for (const note of state.model.notes) drawPolygon(context, [[-5, 0], [5, 0], [0, 8]].map(([x, y]) => [x + toX(note.time), y]));
    context.fill();
    context.restore();
  }

  /** Episodes of nobody in sight: [from, to, whether it may have begun earlier, or lasted longer, kind, other people]. */
  let offScreen = new Map();
  /** Gives each person the episodes of their faces, by kind. */
  function assignEpisodes() {
    const ownerOf = ownerFinder(), { kinds, list } = data.episodes;
    offScreen = new Map();
    for (const [kind, from, to, isBeginOpen, isEndOpen, face, others] of list) {
      const owner = face === null ? null : ownerOf(face, from)?.owner, mine = owner ? owner.episodes : offScreen;
      if (owner === undefined || isExcluded(from)) continue;
      entry(mine, kinds[kind], () => []).push([from, to, isBeginOpen, isEndOpen, kinds[kind], others]);
    }
  }
  const speaking = metrics.find(({ name }) => name === "speaking");
  /** Whether it is known when a person speaks. */
  const hasSpeech = person => person.hasSpeech ??= person.episodes.has("speaks") || Boolean(speaking) && measured(person, speaking).fraction > 0;
  /** In words, what goes on at a time. */
  const episodesAt = (episodes, time) => [...episodes.values()].flat().filter(([from, to]) => from <= time && time <= to)
    .map(([, , , , kind, others]) => words(kind) + (others.length ? ` with ${others.map(id => state.model.people.get(id)?.name ?? id).join(", ")}` : ""));
  function drawEpisodes(context, episodes, top, width) {
    const first = episodes?.findIndex(([, to]) => to >= state.view[0]) ?? -1, tall = episodeHeight - 4;
    if (first < 0) return;
    context.beginPath();
    for (let i = first, reached = -1; i < episodes.length && episodes[i][0] <= state.view[1]; i++) {
      const [from, to, isBeginOpen, isEndOpen] = episodes[i], a = toX(from), b = Math.max(toX(to), a + 2);
      if (b <= reached) continue;
      reached = b;
      // An end that was not seen is torn.
      const tooth = Math.min(5, (b - a) / 2), [begin, end] = [isBeginOpen ? tooth : 0, isEndOpen ? tooth : 0];
      drawPolygon(context, [[a + begin, 0], [b, 0], [b - end, 1 / 3], [b, 2 / 3], [b - end, 1], [a, 1], [a + begin, 2 / 3], [a, 1 / 3]]
        .map(([x, y]) => [x, top + tall * y]));
    }
    context.globalAlpha = 1;
    context.fill();
  }
  const voiceAt = time => {
    const value = number(voice, Math.max(0, search(0, times.length, i => times[i] > time + sameTime) - 1));
    return Number.isNaN(value) ? "not known" : Math.round(value);
  };
  /** How likely somebody speaks, as a band; below it, where nobody in sight does. */
  function drawVoice(context, width) {
    const tall = voiceHeight - 9, bottom = shotHeight + tall;
    Object.assign(context, { fillStyle: paint.soft, globalAlpha: 0.5 });
    let sample = search(0, times.length, i => times[i] >= state.view[0]);
    for (let x = gutter; x < width && sample < times.length; x++) {
      const next = search(sample, times.length, i => times[i] >= toTime(x + 1)), step = Math.max(1, Math.floor((next - sample) / 8));
      // Between two samples, the one before holds.
      let most = next === sample && sample > 0 ? number(voice, sample - 1) || 0 : 0;
      for (let i = sample; i < next; i += step) most = Math.max(most, number(voice, i) || 0);
      context.fillRect(x, bottom - tall * most / 100, 1, tall * most / 100);
      sample = next;
    }
    context.fillStyle = paint.accent;
    drawEpisodes(context, offScreen.get("voice_off_screen"), bottom + 1, width);
  }

  /** When a track has samples: it may be interrupted. */
  const spansOf = track => track.spans ??= appearances(track, row => sampleOf[row] - sampleOf[row - 1] > data.stride
    || data.excluded.some(([start]) => start > timeOf(row - 1) && start <= timeOf(row)))
    .map(([from, to]) => [timeOf(from), timeOf(to - 1) + data.interval * data.stride]);

  function movePlayhead(time) {
    const x = toX(time), playhead = byId("playhead");
    playhead.style.transform = `translateX(${x}px)`;
    playhead.hidden = x < gutter - 1 || x > areaWidth + 1;
  }

  /** The person_ids that have had a lane. */
  let known = null;
  /** Makes a lane for each person: those that are visible longest come first. */
  function layOutLanes() {
    const order = state.order = [...state.model.people.values()].sort((a, b) => b.seconds - a.seconds || a.id - b.id);
    // With few people, all curves are drawn; otherwise those of the people that are visible longest, and of new ones.
    for (const [index, person] of order.entries())
      if (known ? !known.has(person.id) : index < 4) state.shownPeople.add(person.id);
    known = new Set(order.map(person => person.id));
    assignEpisodes();
    lanesShown = "";
    placeLanes();
  }
  /** Beyond this number, only people in view have lanes. */
  const manyLanes = 12;
  let lanesShown = "";
  function placeLanes() {
    const wanted = byId("person-search").value.trim().toLowerCase(), [from, to] = state.view;
    state.lanes = state.order.filter(person => person.name.toLowerCase().includes(wanted)
      && (state.order.length <= manyLanes || person.tracks.some(track => track.end >= from && track.begin <= to)));
    const key = `${state.rows} ${state.lanes.map(person => person.id)}`;
    if (key === lanesShown) return;
    lanesShown = key;
    byId("lane-names").replaceChildren(...state.lanes.map((person, index) =>
      make("button", {
        type: "button", className: "lane-name", title: `${person.name}: double-click or F2 to rename`, "data-person": person.id, style: `top: ${headHeight() + index * laneHeight()}px; ${colorStyle(person)}`,
        draggable: true, onclick: event => openAt(event, person.tracks[0]),
        // A lane that is dragged onto another one is the same person.
        ondragstart: event => event.dataTransfer.setData("text/plain", person.id), ondragover: event => event.preventDefault(),
        ondrop: event => {
          event.preventDefault();
          const dragged = state.model.people.get(+event.dataTransfer.getData("text/plain"));
          if (dragged && dragged !== person) join(dragged.tracks[0], person);
        },
      }, portrait(person, 22), make("bdi", {}, person.name))));
  }

  const pointers = new Map();
  let gesture = null;
  area.addEventListener("pointerdown", event => {
    if (event.target.closest("button, .range") || event.button > 0) return;
    area.setPointerCapture(event.pointerId);
    const x = event.clientX - area.getBoundingClientRect().left;
    pointers.set(event.pointerId, x);
    const inRuler = event.target === curves && event.offsetY > curves.clientHeight - rulerHeight;
    if (pointers.size === 1) gesture = { x, y: event.clientY, view: [...state.view], hasMoved: false, isScrub: inRuler, moves: event.shiftKey || event.pointerType === "touch", target: event.target, offsetY: event.offsetY };
    else if (pointers.size === 2) gesture = { pinch: [...pointers.values()].map(toTime), hasMoved: true };
    if (inRuler) player.seek(toTime(x));
  });
  area.addEventListener("pointermove", event => {
    if (!pointers.has(event.pointerId)) return;
    const x = event.clientX - area.getBoundingClientRect().left;
    pointers.set(event.pointerId, x);
    if (gesture.pinch && pointers.size === 2) {
      // The two times stay under the two fingers.
      const [a, b] = [...pointers.values()], [s, t] = gesture.pinch;
      if (Math.abs(a - b) < 8) return;
      const perPixel = Math.abs((t - s) / (b - a)), from = s - (a - gutter) * perPixel;
      return setView(from, from + perPixel * plotWidth());
    }
    if (gesture.isScrub) return player.seek(toTime(x));
    if (!gesture.view || Math.abs(x - gesture.x) < 4 && !gesture.hasMoved) return;
    gesture.hasMoved = true;
    if (!gesture.moves) return showRange(toTime(gesture.x), toTime(x));
    move(gesture.view, gesture.x - x);
  });
  for (const end of ["pointerup", "pointercancel"]) area.addEventListener(end, event => {
    if (!pointers.delete(event.pointerId) || event.type === "pointercancel" || gesture.hasMoved || gesture.isScrub) return;
    const time = toTime(gesture.x);
    if (gesture.x < gutter) return;
    if (gesture.target === bars) {
      const person = state.lanes[Math.floor((gesture.offsetY + lanes.scrollTop - headHeight()) / laneHeight())];
      const track = person?.tracks.find(track => time >= track.begin - data.interval && time <= track.end + data.interval);
      if (track) {
        select(track);
        return openFace(event.clientX, event.clientY);
      }
    }
    closeRange();
    player.seek(time);
  });
  /** Marks a range of the timeline, and offers what can be done with it. */
  function showRange(from, to) {
    [from, to] = [Math.min(from, to), Math.max(from, to)].map(time => micro(within(time, ...state.view)));
    const box = byId("range"), button = (text, action) => make("button", { type: "button", onclick: () => { closeRange(); action(); } }, text);
    box.hidden = false;
    Object.assign(box.style, { left: toX(from) + "px", width: toX(to) - toX(from) + "px" });
    const actions = make("div", { className: "actions-of-range" }, make("span", {}, `${clock(from)} to ${clock(to)}`),
      button("Zoom", () => setView(from, to)), button("Exclude", () => corrections.add({ do: "exclude", from, to })),
      picture && button("Loop", () => {
        player.loop = [from, to];
        byId("only").value = "loop";
        keepRanges();
        player.seek(from);
      }));
    box.replaceChildren(actions);
    actions.style.left = Math.min(0, gutter + plotWidth() - toX(from) - actions.offsetWidth) + "px";
  }
  const closeRange = () => { byId("range").hidden = true; };
  area.addEventListener("wheel", event => {
    const x = event.clientX - area.getBoundingClientRect().left;
    const isAll = state.view[1] - state.view[0] >= whole[1] - whole[0] - 1e-9;
    const turn = event.deltaY * (event.deltaMode === 1 ? 16 : 1), side = event.deltaX || (event.shiftKey ? turn : 0);
    // With everything in view, the wheel scrolls the page.
    if (isAll && (side || turn > 0)) return;
    event.preventDefault();
    if (side) move(state.view, side); else zoom(Math.exp(turn * 0.002), toTime(Math.max(x, gutter)));
  }, { passive: false });
  const zoomHere = factor => zoom(factor, within(state.time, ...state.view));
  onClick({ "zoom-in": () => zoomHere(0.5), "zoom-out": () => zoomHere(2), "zoom-all": () => setView(...whole), print: () => print() });

  /** The menu of the rows below each person's bar: with few people, the usual kinds are shown, otherwise only speech. */
  function fillRows() {
    const kinds = data.episodes.kinds.filter(kind => kind !== "voice_off_screen");
    const usual = new Set(data.tracks.map(track => track.person)).size > 4 ? ["speaks"] : ["speaks", "smile", "blink"];
    state.rows = kinds.filter(kind => usual.includes(kind));
    byId("row-kinds").append(...kinds.map(kind => checkbox(words(kind), { value: kind, checked: state.rows.includes(kind) }, isShown => {
      state.rows = kinds.filter(other => other === kind ? isShown : state.rows.includes(other));
      emit("view");
    })));
    byId("row-kinds").parentElement.hidden = !kinds.length;
  }

  on("model", layOutLanes);
  on("model", () => levelCache.clear());
  on("view", placeLanes);
  on("model selection view metric layout", redraw);
  lanes.addEventListener("scroll", redraw);
  on("view layout", closeRange);
  on("moving time", movePlayhead);
  on("time", time => {
    const { view } = state;
    // While the video plays, the view follows the playhead.
    if (player.isPlaying && (time > view[1] || time < view[0])) setView(time, time + view[1] - view[0]);
  });
  function measureArea() {
    areaWidth = area.clientWidth;
    areaHeight = area.clientHeight;
    gutter = areaWidth < 520 ? 84 : 132;
    area.style.setProperty("--gutter", gutter + "px");
  }
  const resize = () => { measureArea(); emit("layout"); };
  const lanesHeight = count => headHeight() + laneHeight() * Math.min(count, state.lanes.length) + 8;
  // On paper, the timeline is as wide as a page, and has all lanes, below curves that are at most as high.
  addEventListener("beforeprint", () => {
    const height = 2 * Math.min(2000, Math.max(lanesHeight(Infinity), rulerHeight + 64 * state.stack.length));
    Object.assign(area.style, { flex: "none", width: "690px", height: height + "px" });
    // What is drawn over the video must not be drawn again, because its background would be printed white.
    measureArea();
    draw();
  });
  addEventListener("afterprint", () => { area.removeAttribute("style"); resize(); });
