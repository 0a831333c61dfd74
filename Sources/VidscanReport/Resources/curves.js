  // Levels of detail: minimum and maximum of 8, 64, 512 … rows, so that a curve costs as much as it has pixels.
  const levelCache = new Map();
  function levelsOf(track, column, name) {
    const key = `${name} ${track.from} ${track.to}`;
    let levels = levelCache.get(key);
    if (levels) return levels;
    levels = [];
    const values = Float32Array.from({ length: track.to - track.from }, (_, i) => number(column, track.from + i));
    let size = 1, low = values, high = values;
    do {
      const count = Math.ceil(low.length / 8), least = new Float32Array(count).fill(NaN), most = new Float32Array(count).fill(NaN);
      for (let i = 0; i < low.length; i++) {
        const bucket = i >> 3;
        if (Number.isNaN(low[i])) continue;
        if (!(least[bucket] <= low[i])) least[bucket] = low[i];
        if (!(most[bucket] >= high[i])) most[bucket] = high[i];
      }
      [size, low, high] = [8 * size, least, most];
      levels.push({ size, low, high });
    } while (low.length > 8);
    levelCache.set(key, levels);
    return levels;
  }

  const tickSteps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200];

  function drawCuts(context, top, bottom) {
    context.strokeStyle = paint.soft;
    context.globalAlpha = 0.45;
    let last = -9;
    for (let i = search(0, data.cuts.length, i => cutTimes[i] >= state.view[0]); i < data.cuts.length && cutTimes[i] <= state.view[1]; i++) {
      const x = Math.round(toX(cutTimes[i])) + 0.5;
      if (x - last < 2) continue;
      last = x;
      context.setLineDash(data.cuts[i].isGradual ? [3, 3] : []);
      drawLine(context, x, top, x, bottom);
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }
  function drawExcluded(context, top, bottom) {
    context.fillStyle = paint.soft;
    context.globalAlpha = 0.25;
    for (const [from, to] of state.model.excluded) {
      const x = Math.max(gutter, toX(from)), end = toX(to);
      if (end > gutter) context.fillRect(x, top, Math.max(1, end - x), bottom - top);
    }
    context.globalAlpha = 1;
  }

  /** Up to half of the timeline; the lanes have the rest. */
  const curvesHeight = () => Math.max(90, Math.min(260, areaHeight - Math.min(areaHeight / 2, shotHeight + rowHeight * state.order.length + 8)));

  function drawCurves() {
    const width = areaWidth, height = curvesHeight(), bottom = height - rulerHeight, top = 6;
    const context = fit(curves, width, height), { name, unit, low, high } = state.metric;
    const column = columns.get(name), y = value => bottom - (value - low) / (high - low) * (bottom - top);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.lineWidth = 1;
    for (let i = 0; i <= 4; i++) {
      const value = low + (high - low) * i / 4, at = Math.round(y(value)) + 0.5;
      context.strokeStyle = paint.line;
      drawLine(context, gutter, at, width, at);
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
    const step = tickSteps.find(step => (state.view[1] - state.view[0]) / step <= plotWidth() / 76) || 86400, decimals = step < 0.1 ? 2 : step < 1 ? 1 : 0;
    context.textAlign = "center";
    context.fillStyle = paint.soft;
    for (let t = Math.ceil(state.view[0] / step - 1e-9) * step; t <= state.view[1] + 1e-9; t += step) {
      const x = toX(t);
      context.fillRect(Math.round(x), bottom, 1, 4);
      context.fillText(clock(t, decimals), Math.min(Math.max(x, gutter + 18), width - 18), bottom + 13);
    }
    const interval = Math.max(data.interval * data.stride, 1e-3);
    for (const track of state.model.tracks) {
      if (!state.shownPeople.has(track.person) || track.end < state.view[0] - interval || track.begin > state.view[1] + interval) continue;
      const color = paint[track.owner.color], rest = track.rest[metrics.indexOf(state.metric)];
      if (rest !== undefined) {
        context.strokeStyle = color;
        context.globalAlpha = 0.7;
        context.setLineDash([5, 4]);
        context.lineWidth = 1;
        drawLine(context, toX(track.begin), y(rest), toX(track.end), y(rest));
        context.setLineDash([]);
        context.globalAlpha = 1;
      }
      drawCurve(context, track, column, name, y, color, interval);
    }
    context.restore();
  }

  function drawCurve(context, track, column, name, y, color, interval) {
    const first = Math.max(track.from, search(track.from, track.to, row => timeOf(row) >= state.view[0]) - 1);
    const end = Math.min(track.to, search(track.from, track.to, row => timeOf(row) > state.view[1]) + 1);
    const perPixel = (end - first) / Math.max(1, toX(Math.min(state.view[1], track.end)) - toX(Math.max(state.view[0], track.begin)) + 1);
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = track === state.selection ? 2.2 : 1.5;
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
