  const area = byId("area"), curves = byId("curves"), bars = byId("bars"), lanes = byId("lanes");
  const whole = [data.start, data.end];
  let gutter = 132;
  const rowHeight = 26, shotHeight = 18, rulerHeight = 22;

  const drawing = { wanted: false, count: 0 };
  function redraw() {
    if (drawing.wanted) return;
    drawing.wanted = true;
    requestAnimationFrame(() => {
      drawing.wanted = false;
      drawing.count++;
      drawCurves();
      drawBars();
      movePlayhead(state.time);
    });
  }

  /** The size of the timeline, which is measured only when it changes, because that lays the page out. */
  let areaWidth = 0, areaHeight = 0;
  const plotWidth = () => Math.max(20, areaWidth - gutter);
  const toX = time => gutter + (time - state.view[0]) / (state.view[1] - state.view[0]) * plotWidth();
  const toTime = x => state.view[0] + (x - gutter) / plotWidth() * (state.view[1] - state.view[0]);

  function setView(from, to) {
    const least = Math.max(4 * data.interval, 0.2), span = Math.min(Math.max(to - from, Math.min(least, whole[1] - whole[0])), whole[1] - whole[0]);
    const middle = (from + to) / 2;
    from = Math.min(Math.max(middle - span / 2, whole[0]), whole[1] - span);
    state.view = [from, from + span];
    emit("view");
  }
  /** Moves a view by pixels. */
  const move = ([from, to], pixels) => setView(from + pixels / plotWidth() * (to - from), to + pixels / plotWidth() * (to - from));
  const zoom = (factor, time) => setView(time - (time - state.view[0]) * factor, time + (state.view[1] - time) * factor);

  const square = (context, x, y) => context.rect(x - 2.5, y - 2.5, 5, 5);
  const polygon = (...corners) => (context, x, y) => {
    corners.forEach(([dx, dy], i) => i ? context.lineTo(x + dx, y + dy) : context.moveTo(x + dx, y + dy));
    context.closePath();
  };
  const markShapes = {
    blink: square, eyes_closed: square, smile_started: polygon([0, -4], [4, 3], [-4, 3]),
    look_away: polygon([0, -4], [4, 0], [0, 4], [-4, 0]),
  };
  const noteShape = polygon([-5, 0], [5, 0], [0, 8]);

  function drawBars() {
    // Only the lanes in view are drawn, because there may be hundreds.
    const width = areaWidth, whole = shotHeight + rowHeight * state.lanes.length + 4, scrolled = lanes.scrollTop;
    byId("lane-space").style.height = whole + "px";
    const height = Math.max(shotHeight, Math.min(whole, areaHeight - curvesHeight())), context = fit(bars, width, height);
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
    clip(context, gutter, shotHeight, width - gutter, height);
    state.lanes.forEach((person, index) => {
      const top = shotHeight + index * rowHeight + 4 - scrolled, tall = rowHeight - 8;
      if (top < shotHeight - rowHeight || top > height) return;
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
      // All marks of a lane are one path, in the middle of its bars; of those that would touch, the first is drawn.
      Object.assign(context, { globalAlpha: 1, fillStyle: paint.card });
      context.beginPath();
      const marks = person.marks, middle = top + tall / 2;
      let last = -9;
      for (let i = search(0, marks.length, i => marks[i].time >= state.view[0]); i < marks.length && marks[i].time <= state.view[1]; i++) {
        const x = Math.round(toX(marks[i].time));
        if (x - last < 9) {
          // Skip to the first mark that is far enough away.
          const free = toTime(last + 9);
          i = search(i, marks.length, i => marks[i].time >= free) - 1;
          continue;
        }
        last = x;
        markShapes[marks[i].kind](context, x, middle);
      }
      context.fill();
    });
    context.restore();
    context.fillStyle = paint.accent;
    context.beginPath();
    for (const note of state.model.notes) noteShape(context, toX(note.time), 0);
    context.fill();
    context.restore();
  }

  /** When a track has samples: it may be interrupted. */
  function spansOf(track) {
    if (track.spans) return track.spans;
    const spans = [];
    let from = null, last = null;
    for (let row = track.from; row < track.to; row++) {
      const sample = sampleOf[row];
      if (last !== null && sample - last > data.stride) {
        spans.push([from, times[last] + data.interval * data.stride]);
        from = null;
      }
      from ??= times[sample];
      last = sample;
    }
    if (last !== null) spans.push([from, times[last] + data.interval * data.stride]);
    return track.spans = spans;
  }

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
    const { kinds, time, kind, face } = data.events, ownerOf = ownerFinder();
    // With few people, all curves are drawn; otherwise those of the people that are visible longest, and of new ones.
    for (const [index, person] of order.entries())
      if (known ? !known.has(person.id) : index < 4) state.shownPeople.add(person.id);
    known = new Set(order.map(person => person.id));
    time.forEach((time, i) => {
      if (kinds[kind[i]] in markShapes && face[i] !== null) ownerOf(face[i], time)?.owner.marks.push({ time, kind: kinds[kind[i]] });
    });
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
    const key = state.lanes.map(person => person.id).join();
    if (key === lanesShown) return;
    lanesShown = key;
    byId("lane-names").replaceChildren(...state.lanes.map((person, index) => {
      const best = pictureOf(person);
      return make("button", {
        type: "button", className: "lane-name", title: person.name, style: `top: ${shotHeight + index * rowHeight}px; ${colorStyle(person)}`,
        draggable: true, onclick: event => openAt(event, person.tracks[0]),
        // A lane that is dragged onto another one is the same person.
        ondragstart: event => event.dataTransfer.setData("text/plain", person.id), ondragover: event => event.preventDefault(),
        ondrop: event => {
          event.preventDefault();
          const dragged = state.model.people.get(+event.dataTransfer.getData("text/plain"));
          if (dragged && dragged !== person) join(dragged.tracks[0], person);
        },
      }, best ? make("img", { src: best, alt: "", width: 22, height: 22 }) : null, make("bdi", {}, person.name));
    }));
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
  const release = event => {
    if (!pointers.delete(event.pointerId) || event.type === "pointercancel" || gesture.hasMoved || gesture.isScrub) return;
    const time = toTime(gesture.x);
    if (gesture.x < gutter) return;
    if (gesture.target === bars) {
      const person = state.lanes[Math.floor((gesture.offsetY + lanes.scrollTop - shotHeight) / rowHeight)];
      const track = person?.tracks.find(track => time >= track.begin - data.interval && time <= track.end + data.interval);
      if (track) {
        select(track);
        return openFace(event.clientX, event.clientY);
      }
    }
    closeRange();
    player.seek(time);
  };
  /** Marks a range of the timeline, and offers what can be done with it. */
  function showRange(from, to) {
    [from, to] = [Math.min(from, to), Math.max(from, to)].map(time => micro(Math.min(Math.max(time, state.view[0]), state.view[1])));
    const box = byId("range"), button = (text, action) => make("button", { type: "button", onclick: () => { closeRange(); action(); } }, text);
    box.hidden = false;
    Object.assign(box.style, { left: toX(from) + "px", width: toX(to) - toX(from) + "px" });
    const actions = make("div", { className: "actions-of-range" }, make("span", {}, `${clock(from)} to ${clock(to)}`),
      button("Zoom", () => setView(from, to)), button("Exclude", () => corrections.add({ do: "exclude", from, to })));
    if (picture) actions.append(button("Loop", () => {
      player.loop = [from, to];
      byId("only").value = "loop";
      keepRanges();
      player.seek(from);
    }));
    box.replaceChildren(actions);
    actions.style.left = Math.min(0, gutter + plotWidth() - toX(from) - actions.offsetWidth) + "px";
  }
  const closeRange = () => { byId("range").hidden = true; };
  for (const end of ["pointerup", "pointercancel"]) area.addEventListener(end, release);
  area.addEventListener("wheel", event => {
    const x = event.clientX - area.getBoundingClientRect().left;
    const isAll = state.view[1] - state.view[0] >= whole[1] - whole[0] - 1e-9;
    const turn = event.deltaY * (event.deltaMode === 1 ? 16 : 1), side = event.deltaX || (event.shiftKey ? turn : 0);
    // With everything in view, the wheel scrolls the page.
    if (isAll && (side || turn > 0)) return;
    event.preventDefault();
    if (side) move(state.view, side); else zoom(Math.exp(turn * 0.002), toTime(Math.max(x, gutter)));
  }, { passive: false });
  for (const [id, factor] of [["zoom-in", 0.5], ["zoom-out", 2]])
    byId(id).addEventListener("click", () => zoom(factor, Math.min(Math.max(state.time, state.view[0]), state.view[1])));
  byId("zoom-all").addEventListener("click", () => setView(...whole));

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
  const resize = () => {
    areaWidth = area.clientWidth;
    areaHeight = area.clientHeight;
    gutter = areaWidth < 520 ? 84 : 132;
    area.style.setProperty("--gutter", gutter + "px");
    emit("layout");
  };
