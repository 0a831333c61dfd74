
  // MARK: Timeline

  const area = byId("area"), curves = byId("curves"), bars = byId("bars"), lanes = byId("lanes");
  const whole = [data.start, data.end];
  let view = [...whole], gutter = 132, order = [], shownPeople = new Set();
  const rowHeight = 26, shotHeight = 18, rulerHeight = 22;
  const metric = () => data.metrics[+byId("metric").value];

  const drawing = { wanted: false, overlayOnly: false, count: 0 };
  function redraw() {
    if (drawing.wanted) return;
    drawing.wanted = true;
    requestAnimationFrame(() => {
      drawing.wanted = false;
      drawing.count++;
      drawCurves();
      drawBars();
      movePlayhead(player.shown);
    });
  }

  /** The width of the timeline, which is measured only when it changes, because that lays the page out. */
  let areaWidth = 0;
  const plotWidth = () => Math.max(20, areaWidth - gutter);
  const toX = time => gutter + (time - view[0]) / (view[1] - view[0]) * plotWidth();
  const toTime = x => view[0] + (x - gutter) / plotWidth() * (view[1] - view[0]);

  function setView(from, to) {
    const least = Math.max(4 * data.interval, 0.2), span = Math.min(Math.max(to - from, Math.min(least, whole[1] - whole[0])), whole[1] - whole[0]);
    const middle = (from + to) / 2;
    from = Math.min(Math.max(middle - span / 2, whole[0]), whole[1] - span);
    view = [from, from + span];
    redraw();
  }
  const zoom = (factor, time) => setView(time - (time - view[0]) * factor, time + (view[1] - time) * factor);

  /** Sizes a canvas to its place on the page, and returns its context in CSS pixels. */
  function fit(canvas, width, height) {
    const density = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * density) || canvas.height !== Math.round(height * density)) {
      canvas.width = Math.round(width * density);
      canvas.height = Math.round(height * density);
      canvas.style.width = width + "px";
      canvas.style.height = height + "px";
    }
    const context = canvas.getContext("2d");
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    return context;
  }

  // Levels of detail: minimum and maximum of 8, 64, 512 … rows, so that a curve costs as much as it has pixels.
  const levelCache = new Map();
  function levelsOf(track, column, name) {
    const key = `${name} ${track.from} ${track.to}`;
    let levels = levelCache.get(key);
    if (levels) return levels;
    levels = [];
    let size = 8, count = Math.ceil((track.to - track.from) / 8);
    let low = new Float32Array(count).fill(NaN), high = new Float32Array(count).fill(NaN);
    for (let row = track.from; row < track.to; row++) {
      const value = number(column, row), bucket = (row - track.from) >> 3;
      if (Number.isNaN(value)) continue;
      if (!(low[bucket] <= value)) low[bucket] = value;
      if (!(high[bucket] >= value)) high[bucket] = value;
    }
    levels.push({ size, low, high });
    while (count > 8) {
      const next = Math.ceil(count / 8), nextLow = new Float32Array(next).fill(NaN), nextHigh = new Float32Array(next).fill(NaN);
      for (let i = 0; i < count; i++) {
        const bucket = i >> 3;
        if (Number.isNaN(low[i])) continue;
        if (!(nextLow[bucket] <= low[i])) nextLow[bucket] = low[i];
        if (!(nextHigh[bucket] >= high[i])) nextHigh[bucket] = high[i];
      }
      [size, count, low, high] = [8 * size, next, nextLow, nextHigh];
      levels.push({ size, low, high });
    }
    levelCache.set(key, levels);
    return levels;
  }

  const tickSteps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200];

  function drawCuts(context, top, bottom) {
    context.strokeStyle = paint.soft;
    context.globalAlpha = 0.45;
    let last = -9;
    for (let i = search(0, data.cuts.length, i => cutTimes[i] >= view[0]); i < data.cuts.length && cutTimes[i] <= view[1]; i++) {
      const x = Math.round(toX(cutTimes[i])) + 0.5;
      if (x - last < 2) continue;
      last = x;
      context.setLineDash(data.cuts[i].isGradual ? [3, 3] : []);
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, bottom);
      context.stroke();
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }
  function drawExcluded(context, top, bottom) {
    context.fillStyle = paint.soft;
    context.globalAlpha = 0.25;
    for (const [from, to] of model.excluded) {
      const x = Math.max(gutter, toX(from)), end = toX(to);
      if (end > gutter) context.fillRect(x, top, Math.max(1, end - x), bottom - top);
    }
    context.globalAlpha = 1;
  }

  function drawCurves() {
    const width = areaWidth, height = width < 520 ? 150 : 190, bottom = height - rulerHeight, top = 6;
    const context = fit(curves, width, height), { name, unit, low, high } = metric();
    const column = columns.get(name), y = value => bottom - (value - low) / (high - low) * (bottom - top);
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.lineWidth = 1;
    for (let i = 0; i <= 4; i++) {
      const value = low + (high - low) * i / 4, at = Math.round(y(value)) + 0.5;
      context.strokeStyle = paint.line;
      context.beginPath();
      context.moveTo(gutter, at);
      context.lineTo(width, at);
      context.stroke();
      context.fillStyle = paint.soft;
      context.fillText(String(+value.toFixed(2)) + (unit === "degrees" ? "°" : ""), gutter - 6, Math.min(at, bottom - 5));
    }
    context.save();
    context.beginPath();
    context.rect(gutter, 0, width - gutter, height);
    context.clip();
    drawExcluded(context, 0, bottom);
    drawCuts(context, 0, bottom);
    // The ruler.
    const step = tickSteps.find(step => (view[1] - view[0]) / step <= plotWidth() / 76) || 86400, decimals = step < 0.1 ? 2 : step < 1 ? 1 : 0;
    context.textAlign = "center";
    context.fillStyle = paint.soft;
    for (let t = Math.ceil(view[0] / step - 1e-9) * step; t <= view[1] + 1e-9; t += step) {
      const x = toX(t);
      context.fillRect(Math.round(x), bottom, 1, 4);
      context.fillText(clock(t, decimals), Math.min(Math.max(x, gutter + 18), width - 18), bottom + 13);
    }
    const interval = Math.max(data.interval * data.stride, 1e-3);
    for (const track of model.tracks) {
      if (!shownPeople.has(track.person) || track.end < view[0] - interval || track.begin > view[1] + interval) continue;
      const color = paint[track.owner.color], rest = track.rest[byId("metric").value];
      if (rest !== undefined) {
        context.strokeStyle = color;
        context.globalAlpha = 0.7;
        context.setLineDash([5, 4]);
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(toX(track.begin), y(rest));
        context.lineTo(toX(track.end), y(rest));
        context.stroke();
        context.setLineDash([]);
        context.globalAlpha = 1;
      }
      drawCurve(context, track, column, name, y, color, interval);
    }
    context.restore();
  }

  function drawCurve(context, track, column, name, y, color, interval) {
    const first = Math.max(track.from, search(track.from, track.to, row => timeOf(row) >= view[0]) - 1);
    const end = Math.min(track.to, search(track.from, track.to, row => timeOf(row) > view[1]) + 1);
    const perPixel = (end - first) / Math.max(1, toX(Math.min(view[1], track.end)) - toX(Math.max(view[0], track.begin)) + 1);
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = track === selection ? 2.2 : 1.5;
    context.beginPath();
    if (perPixel < 1) {
      let last = null;
      for (let row = first; row < end; row++) {
        const value = number(column, row), time = timeOf(row);
        if (Number.isNaN(value)) { last = null; continue; }
        const x = toX(time), at = y(value);
        if (last !== null && time - last < 1.9 * interval) context.lineTo(x, at);
        else { context.moveTo(x, at); context.lineTo(x + 0.8, at); }
        last = time;
      }
      context.stroke();
      if (perPixel < 0.15)
        for (let row = first; row < end; row++) {
          const value = number(column, row);
          if (!Number.isNaN(value)) context.fillRect(toX(timeOf(row)) - 2, y(value) - 2, 4, 4);
        }
      return;
    }
    // One column of pixels after another: the range of the values in it, joined to the range before it.
    const level = perPixel < 12 ? null : [...levelsOf(track, column, name)].reverse().find(level => level.size <= perPixel / 1.5);
    const size = level ? level.size : 1, begin = Math.floor((first - track.from) / size), stop = Math.ceil((end - track.from) / size);
    let pixel = null, least = 0, most = 0, before = null;
    const flush = () => {
      if (pixel === null) return;
      let [from, to] = [y(most), y(least)];
      if (before && pixel - before.pixel <= 2) [from, to] = [Math.min(from, before.to), Math.max(to, before.from)];
      before = { pixel, from: y(most), to: y(least) };
      context.fillRect(pixel, from - 0.7, 1, to - from + 1.4);
    };
    for (let bucket = begin; bucket < stop; bucket++) {
      const low = level ? level.low[bucket] : number(column, track.from + bucket), high = level ? level.high[bucket] : low;
      if (Number.isNaN(low)) continue;
      const x = Math.floor(toX(timeOf(track.from + bucket * size)));
      if (x !== pixel) {
        flush();
        pixel = x;
        least = low;
        most = high;
      } else {
        if (low < least) least = low;
        if (high > most) most = high;
      }
    }
    flush();
  }

  const square = (context, x, y) => context.rect(x - 2.5, y - 2.5, 5, 5);
  const polygon = (...corners) => (context, x, y) => {
    corners.forEach(([dx, dy], i) => i ? context.lineTo(x + dx, y + dy) : context.moveTo(x + dx, y + dy));
    context.closePath();
  };
  const markShapes = {
    blink: square, eyes_closed: square, smile_started: polygon([0, -4], [4, 3], [-4, 3]),
    look_away: polygon([0, -4], [4, 0], [0, 4], [-4, 0]),
  };

  function drawBars() {
    const width = areaWidth, height = shotHeight + rowHeight * order.length + 4;
    const context = fit(bars, width, height);
    context.save();
    context.beginPath();
    context.rect(gutter, 0, width - gutter, height);
    context.clip();
    // Shots as alternating blocks.
    const edges = [whole[0], ...cutTimes, whole[1]];
    context.fillStyle = paint.soft;
    for (let i = Math.max(0, search(0, edges.length, i => edges[i] > view[0]) - 1); i + 1 < edges.length && edges[i] <= view[1]; i++) {
      context.globalAlpha = i % 2 ? 0.18 : 0.34;
      context.fillRect(toX(edges[i]), 3, Math.max(0.5, toX(edges[i + 1]) - toX(edges[i])), shotHeight - 7);
    }
    context.globalAlpha = 1;
    drawExcluded(context, 0, height);
    drawCuts(context, shotHeight, height);
    order.forEach((person, index) => {
      const top = shotHeight + index * rowHeight + 4, tall = rowHeight - 8;
      context.fillStyle = paint[person.color];
      let reached = -1;
      for (const track of person.tracks) {
        for (const [from, to] of spansOf(track)) {
          const a = toX(from), b = toX(to);
          if (b < gutter || a > width || b <= reached) continue;
          context.globalAlpha = track === selection ? 1 : 0.72;
          context.fillRect(a, top, Math.max(1, b - a), tall);
          reached = a + Math.max(1, b - a) - 0.5;
        }
        if (track.isSplit || track === selection) {
          context.globalAlpha = 1;
          context.strokeStyle = paint.text;
          context.lineWidth = track === selection ? 2 : 1;
          context.strokeRect(toX(track.begin), top, Math.max(1, toX(track.end + data.interval) - toX(track.begin)), tall);
        }
      }
      context.globalAlpha = 1;
      // All marks of a lane are one path, in the middle of its bars; of those that would touch, the first is drawn.
      context.fillStyle = paint.card;
      context.beginPath();
      const marks = person.marks, middle = top + tall / 2;
      let last = -9;
      for (let i = search(0, marks.length, i => marks[i].time >= view[0]); i < marks.length && marks[i].time <= view[1]; i++) {
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
    for (const note of model.notes) {
      const x = toX(note.time);
      context.fillStyle = paint.accent;
      context.beginPath();
      context.moveTo(x - 5, 0);
      context.lineTo(x + 5, 0);
      context.lineTo(x, 8);
      context.fill();
    }
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
    area.setAttribute("aria-valuemax", data.end.toFixed(2));
    area.setAttribute("aria-valuenow", time.toFixed(2));
    area.setAttribute("aria-valuetext", clock(time));
  }

  /** Makes a lane for each person: those that are visible longest come first. */
  function layOutLanes() {
    order = [...model.people.values()].sort((a, b) => b.seconds - a.seconds || a.id - b.id);
    const kinds = data.events.kinds.map(kind => kind in markShapes ? kind : null);
    const ownerOf = ownerFinder();
    for (const person of order) person.marks = [];
    data.events.time.forEach((time, i) => {
      if (kinds[data.events.kind[i]] && data.events.face[i] !== null) ownerOf(data.events.face[i], time)?.owner.marks.push({ time, kind: kinds[data.events.kind[i]] });
    });
    byId("lane-names").replaceChildren(...order.map((person, index) => {
      const best = pictureOf(person);
      const name = make("button", { type: "button", className: "lane-name", title: person.name },
        best ? make("img", { src: best, alt: "", width: 22, height: 22 }) : null, make("bdi", {}, person.name));
      name.style.top = shotHeight + index * rowHeight + "px";
      name.style.setProperty("--face", `var(--c${person.color})`);
      name.addEventListener("click", () => choose(person.tracks[0], person.tracks[0].best));
      return name;
    }));
  }
  const pictureOf = person => person.tracks.map(track => data.pictures[track.id] ?? (track.isSplit ? undefined : data.pictures[data.tracks[track.base].id])).find(Boolean);
  /** Finds the track that has a face_id of the tables at a time, after corrections. */
  function ownerFinder() {
    const halves = new Map();
    for (const track of model.tracks) {
      const id = data.tracks[track.base].id;
      if (!halves.has(id)) halves.set(id, []);
      halves.get(id).push(track);
    }
    return (id, time) => {
      const found = halves.get(id) || [];
      return found.length < 2 ? found[0] : found.find(track => time <= track.end + sameTime && time >= track.begin - sameTime) ?? found[0];
    };
  }

  // MARK: Pointer

  const pointers = new Map();
  let gesture = null;
  area.addEventListener("pointerdown", event => {
    if (event.target.closest("button") || event.button > 0) return;
    area.setPointerCapture(event.pointerId);
    const x = event.clientX - area.getBoundingClientRect().left;
    pointers.set(event.pointerId, x);
    const inRuler = event.target === curves && event.offsetY > curves.clientHeight - rulerHeight;
    if (pointers.size === 1) gesture = { x, y: event.clientY, view: [...view], hasMoved: false, isScrub: inRuler, target: event.target, offsetY: event.offsetY };
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
      setView(from, from + perPixel * plotWidth());
      return;
    }
    if (gesture.isScrub) return player.seek(toTime(x));
    if (!gesture.view || Math.abs(x - gesture.x) < 4 && !gesture.hasMoved) return;
    gesture.hasMoved = true;
    const shift = (gesture.x - x) / plotWidth() * (gesture.view[1] - gesture.view[0]);
    setView(gesture.view[0] + shift, gesture.view[1] + shift);
  });
  const release = event => {
    if (!pointers.delete(event.pointerId) || event.type === "pointercancel" || gesture.hasMoved || gesture.isScrub) return;
    const time = toTime(gesture.x);
    if (gesture.x < gutter) return;
    if (gesture.target === bars) {
      const person = order[Math.floor((gesture.offsetY - shotHeight) / rowHeight)];
      const track = person?.tracks.find(track => time >= track.begin - data.interval && time <= track.end + data.interval);
      if (track) select(track);
    }
    player.seek(time);
  };
  area.addEventListener("pointerup", release);
  area.addEventListener("pointercancel", release);
  area.addEventListener("wheel", event => {
    const x = event.clientX - area.getBoundingClientRect().left;
    const isAll = view[1] - view[0] >= whole[1] - whole[0] - 1e-9;
    const turn = event.deltaY * (event.deltaMode === 1 ? 16 : 1), side = event.deltaX || (event.shiftKey ? turn : 0);
    // With everything in view, the wheel scrolls the page.
    if (isAll && (side || turn > 0)) return;
    event.preventDefault();
    if (side) {
      const shift = side / plotWidth() * (view[1] - view[0]);
      setView(view[0] + shift, view[1] + shift);
    } else zoom(Math.exp(turn * 0.002), toTime(Math.max(x, gutter)));
  }, { passive: false });
  byId("zoom-in").addEventListener("click", () => zoom(0.5, Math.min(Math.max(player.shown, view[0]), view[1])));
  byId("zoom-out").addEventListener("click", () => zoom(2, Math.min(Math.max(player.shown, view[0]), view[1])));
  byId("zoom-all").addEventListener("click", () => setView(...whole));
