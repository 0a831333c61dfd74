  // Levels of detail: minimum and maximum of 1, 8, 64, 512 … rows, so that a curve costs as much as it has pixels.
  const levelCache = new Map();
  const levelsOf = (track, column, name) => entry(levelCache, `${name} ${track.from} ${track.to}`, () => {
    const values = Float32Array.from({ length: track.to - track.from }, (_, i) => number(column, track.from + i));
    const levels = [{ size: 1, low: values, high: values }];
    while (levels.at(-1).low.length > 8) {
      const { size, low, high } = levels.at(-1), count = Math.ceil(low.length / 8);
      const least = new Float32Array(count).fill(NaN), most = new Float32Array(count).fill(NaN);
      for (let i = 0; i < low.length; i++) {
        const bucket = i >> 3;
        if (Number.isNaN(low[i])) continue;
        if (!(least[bucket] <= low[i])) least[bucket] = low[i];
        if (!(most[bucket] >= high[i])) most[bucket] = high[i];
      }
      levels.push({ size: 8 * size, low: least, high: most });
    }
    return levels;
  });

  const tickSteps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200];

  function drawCuts(context, top, bottom) {
    Object.assign(context, { strokeStyle: paint.soft, globalAlpha: 0.45 });
    let last = -9;
    for (let i = search(0, data.cuts.length, i => cutTimes[i] >= state.view[0]); i < data.cuts.length && cutTimes[i] <= state.view[1]; i++) {
      const x = Math.round(toX(cutTimes[i])) + 0.5;
      if (x - last < 5) continue;
      last = x;
      context.setLineDash(data.cuts[i].isGradual ? [3, 3] : []);
      drawLine(context, x, top, x, bottom);
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }
  function drawExcluded(context, top, bottom) {
    Object.assign(context, { fillStyle: paint.soft, globalAlpha: 0.25 });
    for (const [from, to] of state.model.excluded) {
      const x = Math.max(gutter, toX(from)), end = toX(to);
      if (end > gutter) context.fillRect(x, top, Math.max(1, end - x), bottom - top);
    }
    context.globalAlpha = 1;
  }

  /** At least what the curves need to be read; the lanes have the rest, and half of the timeline if they need it. */
  const curvesHeight = () => Math.max(
    Math.min(rulerHeight + 64 * state.stack.length, areaHeight - headHeight() - 2 * laneHeight()), 90,
    Math.min(rulerHeight + 220 * state.stack.length, areaHeight - Math.min(areaHeight / 2, lanesHeight(Infinity))));

  function drawCurves() {
    const width = areaWidth, height = curvesHeight(), bottom = height - rulerHeight, context = fit(curves, width, height);
    Object.assign(context, { font: "11px system-ui, sans-serif", textBaseline: "middle" });
    const tall = bottom / state.stack.length;
    state.stack.forEach((metric, index) => drawMetric(context, metric, index * tall, (index + 1) * tall));
    clip(context, gutter, 0, width - gutter, height);
    drawExcluded(context, 0, bottom);
    drawCuts(context, 0, bottom);
    const step = tickSteps.find(step => (state.view[1] - state.view[0]) / step <= plotWidth() / 76) || 86400, decimals = step < 0.1 ? 2 : step < 1 ? 1 : 0;
    Object.assign(context, { textAlign: "center", fillStyle: paint.soft });
    for (let t = Math.ceil(state.view[0] / step - 1e-9) * step; t <= state.view[1] + 1e-9; t += step) {
      const x = toX(t);
      context.fillRect(Math.round(x), bottom, 1, 4);
      context.fillText(clock(t, decimals), within(x, gutter + 18, width - 18), bottom + 13);
    }
    context.restore();
  }

  /** Draws the scale of a metric, the curves of the people that are shown, and where and why there is none. */
  function drawMetric(context, metric, top, bottom) {
    const width = areaWidth, { name, low, high, unit } = metric, column = columns.get(name);
    [top, bottom] = [top + 7, bottom - 5];
    const y = value => bottom - (value - low) / (high - low) * (bottom - top), steps = bottom - top < 30 ? 1 : bottom - top < 70 ? 2 : 4;
    Object.assign(context, { textAlign: "right", lineWidth: 1, strokeStyle: paint.line, fillStyle: paint.soft });
    for (let i = 0; i <= steps; i++) {
      const value = low + (high - low) * i / steps, at = Math.round(y(value)) + 0.5;
      drawLine(context, gutter, at, width, at);
      context.fillText(String(+value.toFixed(2)) + (unit === "degrees" ? "°" : ""), gutter - 6, at);
    }
    Object.assign(context, { textAlign: "left", fillStyle: paint.text });
    context.fillText(words(name), 2, (top + bottom) / 2, gutter - 44);
    clip(context, gutter, top - 7, width - gutter, bottom - top + 12);
    const interval = Math.max(data.interval * data.stride, 1e-3), labelled = new Map();
    for (const track of state.model.tracks) {
      if (!state.shownPeople.has(track.person) || track.end < state.view[0] - interval || track.begin > state.view[1] + interval) continue;
      const color = paint[track.owner.color], rest = track.rest[metrics.indexOf(metric)];
      // Those of the selected person stand out.
      const alpha = !state.selection || !state.shownPeople.has(state.selection.person) || track.person === state.selection.person ? 1 : 0.3;
      drawGaps(context, track, metric, top, bottom);
      if (rest !== undefined) {
        Object.assign(context, { strokeStyle: color, globalAlpha: 0.7 * alpha, lineWidth: 1 });
        context.setLineDash([5, 4]);
        drawLine(context, toX(track.begin), y(rest), toX(track.end), y(rest));
        context.setLineDash([]);
      }
      context.globalAlpha = alpha;
      drawCurve(context, track, column, name, y, color, interval);
      context.globalAlpha = 1;
      // A name tells the curves apart where colours do not.
      const first = search(track.from, track.to, row => timeOf(row) >= state.view[0]), value = first < track.to ? number(column, first) : NaN;
      if (Number.isNaN(value) || state.shownPeople.size < 2 || labelled.has(track.person)) continue;
      const x = Math.min(Math.max(toX(timeOf(first)), gutter) + 4, width - 70), at = [-8, 10, -20, 22].map(away => ({ x, y: y(value) + away }))
        .find(at => at.y >= top + 5 && at.y <= bottom && ![...labelled.values()].some(other => Math.abs(other.x - at.x) < 90 && Math.abs(other.y - at.y) < 11));
      if (!at) continue;
      labelled.set(track.person, at);
      context.fillStyle = color;
      context.fillText(shortened(track.owner.name), at.x, at.y, 90);
    }
    context.restore();
  }

  /** Why a row has no value of a metric: see "When scores are blank" in the documentation of the measurements. */
  function gapReason(row, metric) {
    const value = name => columns.has(name) ? number(columns.get(name), row) : NaN, yaw = value("yaw");
    if (metric.name === "speaking" && !Number.isNaN(value("speech_movement"))) return "no sound";
    if (value("width") < 32 || Math.hypot(value("left_eye_x") - value("right_eye_x"), value("left_eye_y") - value("right_eye_y")) < 12) return "too small";
    if (Number.isNaN(yaw)) return "no mesh";
    if (value("mouth_covered") >= 50 || value("eyes_covered") >= 50) return "covered";
    if (Math.abs(yaw) > metric.yaw || Math.abs(value("pitch")) > metric.pitch) return "turned away";
    if (value("brightness") < 15) return "dark";
    return metric.name.startsWith("gaze") ? "eyes shut" : "not measured";
  }
  /** The times in which a track is visible without a value of a metric: [from, to, reason]. */
  const gapsOf = (track, metric) => entry(levelCache, `gaps ${metric.name} ${track.from} ${track.to}`, () => {
    const gaps = [], column = columns.get(metric.name), step = data.interval * data.stride;
    for (let row = track.from; row < track.to; row++) {
      if (column.codes[row] !== 0) continue;
      const time = timeOf(row), reason = gapReason(row, metric), last = gaps.at(-1);
      if (last && last[2] === reason && time - last[1] < step / 2) last[1] = time + step; else gaps.push([time, time + step, reason]);
    }
    return gaps;
  });
  function drawGaps(context, track, metric, top, bottom) {
    Object.assign(context, { strokeStyle: paint[track.owner.color], fillStyle: paint[track.owner.color], lineWidth: 1 });
    for (const [from, to, reason] of gapsOf(track, metric)) {
      const a = Math.max(gutter, toX(from)), b = Math.min(areaWidth, toX(to));
      if (b - a < 1) continue;
      context.globalAlpha = 0.35;
      clip(context, a, bottom - 10, b - a, 10);
      context.beginPath();
      for (let x = a - a % 6 - 10; x < b; x += 6) {
        context.moveTo(x, bottom);
        context.lineTo(x + 10, bottom - 10);
      }
      context.stroke();
      context.restore();
      context.globalAlpha = 0.9;
      if (context.measureText(reason).width < b - a) context.fillText(reason, a + 2, bottom - 16);
    }
    context.globalAlpha = 1;
  }

  // The values at the pointer.
  const readout = byId("readout");
  area.addEventListener("pointerleave", () => { readout.hidden = true; });
  area.addEventListener("pointermove", event => {
    const box = area.getBoundingClientRect(), x = event.clientX - box.left, time = toTime(x);
    readout.hidden = event.pointerType === "touch" || x < gutter || pointers.size > 0 || event.target.closest("button, .range") !== null;
    if (readout.hidden) return;
    const faces = facesAt(time).filter(({ track }) => state.shownPeople.has(track.person)).slice(0, 12);
    readout.replaceChildren(make("b", {}, clock(time)), ...faces.map(({ track, rows }) => {
      const row = rows.fraction < 0.5 ? rows.a : rows.b;
      const values = state.stack.map(metric => {
        const value = number(columns.get(metric.name), row);
        return `${words(metric.name)} ${Number.isNaN(value) ? gapReason(row, metric) : formatted(value, metric)}`;
      });
      return make("div", { style: colorStyle(track.owner) }, make("bdi", {}, track.owner.name), ` ${[...values, ...episodesAt(track.owner.episodes, time)].join(", ")}`);
    }), ...voice ? [make("div", {}, [`voice ${voiceAt(time)}`, ...episodesAt(offScreen, time)].join(", "))] : []);
    const width = readout.offsetWidth;
    readout.style.left = (x + 14 + width < areaWidth ? x + 14 : x - width - 14) + "px";
    readout.style.top = Math.max(0, Math.min(event.clientY - box.top + 10, areaHeight - readout.offsetHeight)) + "px";
  });

  // The menu of metrics.
  const reliability = { weak: " (rough)", experimental: " (experimental)" };
  /** Figures of agreement in words: r is the correlation with a reference, AUC the fraction of pairs that are told apart. */
  const inWords = meaning => meaning
    .replace(/\br (0\.\d+)(\/0\.\d+)?(: weak)?/g, (_, r) => (r >= 0.9 ? "Follows" : r >= 0.75 ? "Mostly follows" : "Roughly follows") + " a reference")
    .replace(/(AUC|;) (0\.\d+)/g, (_, what, part) => `${what === "AUC" ? "Orders" : ";"} ${+(100 * part).toFixed(1)} %${what === "AUC" ? " of pairs right" : ""}`)
    .replace(/([,:] )(Follows|Mostly follows|Roughly follows|Orders )/g, (_, before, text) => before + text.toLowerCase());
  const groupNames = { emotions: "Emotions", expressions: "Expressions", eyes: "Eyes", head: "Head", picture: "Picture", emojis: "Emojis", aus: "Action units" };
  byId("metric-list").append(...Object.entries(groupNames).map(([group, title]) => make("fieldset", {}, make("legend", {}, title),
    ...metrics.filter(metric => metric.group === group).map(metric => make("label", { title: inWords(metric.meaning) },
      make("input", { type: "checkbox", value: metric.name, onchange: event => toggleMetric(metric, event.target.checked) }),
      ` ${words(metric.name)}${reliability[metric.status] ?? ""}`)))));
  /** Draws another metric, at most four; the last one stays. */
  function toggleMetric(metric, isShown) {
    const others = state.stack.filter(other => other !== metric);
    state.stack = isShown ? [metric, ...others].slice(0, 4) : others.length ? others : [metric];
    emit("metric");
  }
  function showMetrics() {
    for (const box of byId("metric-list").querySelectorAll("input")) box.checked = state.stack.some(metric => metric.name === box.value);
    byId("metric").textContent = state.stack.map(metric => words(metric.name)).join(", ");
    const { meaning, unit } = state.metric;
    byId("meaning").textContent = inWords(meaning) + (unit ? ` (${unit})` : "");
    byId("meaning").title = meaning;
    describeCurves();
  }
  /** The curves in words, for those who do not see them. */
  function describeCurves() {
    const lines = state.order.filter(person => state.shownPeople.has(person.id)).slice(0, 20).map(person => {
      const parts = state.stack.map(metric => {
        const { mean, least, most, fraction } = measured(person, metric);
        return mean === null ? `${words(metric.name)} not measured`
          : `${words(metric.name)} ${formatted(mean, metric)} on average, from ${formatted(least, metric)} to ${formatted(most, metric)}, measured in ${percent(fraction)} of the samples`;
      });
      return `${person.name}: ${parts.join("; ")}.`;
    });
    byId("in-words").textContent = lines.join(" ");
  }
  function measured(person, metric) {
    const column = columns.get(metric.name);
    let [sum, count, all, least, most] = [0, 0, 0, Infinity, -Infinity];
    for (const track of person.tracks)
      for (let row = track.from; row < track.to; row++) {
        all++;
        const value = number(column, row);
        if (Number.isNaN(value)) continue;
        count++;
        sum += value;
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    return { mean: count ? sum / count : null, least, most, fraction: all ? count / all : 0 };
  }
  byId("metric-search").addEventListener("input", event => {
    const wanted = event.target.value.trim().toLowerCase();
    for (const label of byId("metric-list").querySelectorAll("label"))
      label.hidden = !(label.textContent + label.title).toLowerCase().includes(wanted);
    for (const group of byId("metric-list").children) group.hidden = !group.querySelector("label:not([hidden])");
  });
  on("metric", showMetrics);
  on("model", describeCurves);

  function drawCurve(context, track, column, name, y, color, interval) {
    const first = Math.max(track.from, search(track.from, track.to, row => timeOf(row) >= state.view[0]) - 1);
    const end = Math.min(track.to, search(track.from, track.to, row => timeOf(row) > state.view[1]) + 1);
    const perPixel = (end - first) / Math.max(1, toX(Math.min(state.view[1], track.end)) - toX(Math.max(state.view[0], track.begin)) + 1);
    Object.assign(context, { strokeStyle: color, fillStyle: color, lineWidth: track === state.selection ? 2.2 : 1.5 });
    context.beginPath();
    if (perPixel < 1) {
      let last = null;
      for (let row = first; row < end; row++) {
        const value = number(column, row), time = timeOf(row);
        if (Number.isNaN(value)) { last = null; continue; }
        const x = toX(time), at = y(value);
        if (last !== null && time - last < 1.9 * interval) context.lineTo(x, at);
        else { context.moveTo(x, at); context.lineTo(x + 0.8, at); }
        if (perPixel < 0.15) context.fillRect(x - 2, at - 2, 4, 4);
        last = time;
      }
      return context.stroke();
    }
    // One column of pixels after another: the range of the values in it, joined to the range before it.
    const { size, low, high } = levelsOf(track, column, name).findLast(level => level.size <= Math.max(1, perPixel / 1.5));
    const begin = Math.floor((first - track.from) / size), stop = Math.ceil((end - track.from) / size);
    let pixel = null, least = 0, most = 0, before = null;
    const flush = () => {
      if (pixel === null) return;
      let [from, to] = [y(most), y(least)];
      if (before && pixel - before.pixel <= 2) [from, to] = [Math.min(from, before.to), Math.max(to, before.from)];
      before = { pixel, from: y(most), to: y(least) };
      context.fillRect(pixel, from - 0.7, 1, to - from + 1.4);
    };
    for (let bucket = begin; bucket < stop; bucket++) {
      if (Number.isNaN(low[bucket])) continue;
      const x = Math.floor(toX(timeOf(track.from + bucket * size)));
      if (x !== pixel) {
        flush();
        [pixel, least, most] = [x, low[bucket], high[bucket]];
      } else {
        least = Math.min(least, low[bucket]);
        most = Math.max(most, high[bucket]);
      }
    }
    flush();
  }
