"use strict";
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const make = (name, attributes, parent) => {
    const node = document.createElementNS(NS, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(node);
    return node;
  };
  const clock = (seconds, decimals) => {
    const sign = seconds < 0 ? "-" : "", s = Math.abs(seconds), h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
    const rest = (s % 60).toFixed(decimals).padStart(decimals ? 3 + decimals : 2, "0");
    return sign + (h ? h + ":" + String(m).padStart(2, "0") : m) + ":" + rest;
  };

  const source = document.getElementById("data"), chart = document.getElementById("chart");
  if (!source || !chart) return;
  const data = JSON.parse(source.textContent);
  const timeline = document.getElementById("timeline"), readout = document.getElementById("readout");
  const select = document.getElementById("metric"), meaning = document.getElementById("meaning");
  const hidden = new Set();
  const whole = [data.start, Math.max(data.end, data.start + data.step)];
  let view = [...whole], pointed = null;
  const left = 44, right = 10;
  const color = face => getComputedStyle(document.documentElement).getPropertyValue("--c" + face.color).trim();

  data.metrics.forEach((metric, index) => select.add(new Option(metric.name, index)));
  select.value = String(Math.max(0, data.metrics.findIndex(metric => metric.name === "smile")));

  const scale = width => {
    const inner = Math.max(width - left - right, 10), span = view[1] - view[0];
    return {
      x: t => left + (t - view[0]) / span * inner,
      t: x => view[0] + Math.min(Math.max((x - left) / inner, 0), 1) * span,
    };
  };
  const ticks = () => {
    const span = view[1] - view[0], room = Math.max(2, Math.floor((chart.clientWidth - left) / 80));
    const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400];
    const step = steps.find(s => span / s <= room) || 28800, found = [];
    for (let t = Math.ceil(view[0] / step) * step; t <= view[1] + 1e-9; t += step) found.push(t);
    return { found, decimals: step < 0.1 ? 2 : step < 1 ? 1 : 0 };
  };
  const cuts = (svg, x, height) => {
    for (const cut of data.cuts)
      if (cut.time >= view[0] && cut.time <= view[1])
        make("line", { class: "cut" + (cut.gradual ? " gradual" : ""), x1: x(cut.time), x2: x(cut.time), y1: 0, y2: height }, svg);
  };
  const value = (face, metric, cell) => {
    const series = face.series[metric];
    return series ? series[cell - face.first] : undefined;
  };

  function drawChart() {
    const metric = data.metrics[select.value], width = chart.clientWidth, height = width < 520 ? 190 : 260, base = height - 22;
    const { x } = scale(width), [low, high] = metric.range;
    const y = v => 8 + (high - v) / (high - low) * (base - 8);
    meaning.textContent = metric.meaning + (metric.unit ? " (" + metric.unit + ")" : "");
    const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
    for (let i = 0; i <= 4; i++) {
      const v = low + (high - low) * i / 4;
      make("line", { class: "axis", x1: left, x2: width - right, y1: y(v), y2: y(v) }, svg);
      make("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, svg).textContent = +v.toFixed(1);
    }
    const { found, decimals } = ticks();
    for (const t of found) make("text", { x: x(t), y: height - 6, "text-anchor": "middle" }, svg).textContent = clock(t, decimals);
    cuts(svg, x, base);
    for (const face of data.faces) {
      if (hidden.has(face.id)) continue;
      const series = face.series[select.value];
      if (!series) continue;
      let path = "", last = null, lone = null;
      for (let i = 0; i < series.length; i++) {
        const t = data.start + (face.first + i) * data.step;
        if (series[i] === null || t < view[0] - data.step || t > view[1] + data.step) { last = null; continue; }
        const point = x(t).toFixed(1) + " " + y(series[i]).toFixed(1);
        path += last === null ? "M" + point + "h.01" : "L" + point;
        last = i;
      }
      make("path", { class: "curve", d: path, stroke: color(face), "stroke-linecap": "round", "data-face": face.id }, svg);
    }
    make("line", { class: "cursor", y1: 0, y2: base, visibility: "hidden" }, svg);
    make("rect", { class: "selection", y: 0, height: base, visibility: "hidden" }, svg);
    chart.replaceChildren(svg);
  }

  function drawTimeline() {
    const width = timeline.clientWidth, shown = data.faces, row = shown.length > 40 ? 8 : 18, height = shown.length * row + 8;
    const { x } = scale(width), svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
    shown.forEach((face, index) => {
      const y = 4 + index * row, thick = row - (row > 10 ? 6 : 2);
      if (row > 10) make("text", { x: left - 6, y: y + thick - 1, "text-anchor": "end" }, svg).textContent = face.id;
      for (const [from, to] of face.spans) {
        if (to < view[0] || from > view[1]) continue;
        const a = Math.max(x(from), left), b = Math.min(x(to), width - right);
        make("rect", { x: a, y, width: Math.max(b - a, 2), height: thick, rx: 2, fill: color(face), opacity: hidden.has(face.id) ? .25 : .75 }, svg);
      }
      if (row > 10) for (const mark of face.marks) {
        if (mark[0] < view[0] || mark[0] > view[1]) continue;
        const sign = { blink: "●", eyes_closed: "●", smile_started: "▲", look_away: "◆" }[mark[1]];
        const node = make("text", { x: x(mark[0]), y: y + thick - 2, "text-anchor": "middle", style: "fill: var(--text); font-size: 9px" }, svg);
        node.textContent = sign;
        make("title", {}, node).textContent = mark[1] + " at " + clock(mark[0], 2);
      }
    });
    cuts(svg, x, height);
    make("line", { class: "cursor", y1: 0, y2: height, visibility: "hidden" }, svg);
    timeline.replaceChildren(svg);
  }

  const draw = () => { drawChart(); drawTimeline(); point(pointed); };

  function point(time) {
    pointed = time;
    for (const box of [chart, timeline]) {
      const line = box.querySelector(".cursor");
      if (!line) continue;
      const inside = time !== null && time >= view[0] && time <= view[1];
      line.setAttribute("visibility", inside ? "visible" : "hidden");
      if (inside) { const at = scale(box.clientWidth).x(time); line.setAttribute("x1", at); line.setAttribute("x2", at); }
    }
    readout.replaceChildren();
    if (time === null) return;
    const cell = Math.round((time - data.start) / data.step);
    const add = (text, tint) => {
      const node = document.createElement("span");
      if (tint) { const dot = document.createElement("i"); dot.style.background = tint; node.append(dot); }
      node.append(text);
      readout.append(node);
      return node;
    };
    const head = document.createElement("b");
    head.textContent = clock(data.start + cell * data.step, 2);
    add(head);
    let told = 0;
    for (const face of data.faces) {
      if (hidden.has(face.id)) continue;
      const found = value(face, select.value, cell);
      if (found === undefined || found === null) continue;
      if (told++ < 12) add(`face ${face.id}: ${found}`, color(face));
    }
    if (!told) add("no value here");
    if (told > 12) add(`and ${told - 12} more`);
  }

  function zoom(from, to) {
    const least = Math.min(4 * data.step, whole[1] - whole[0]);
    if (to - from < least) { const middle = (from + to) / 2; from = middle - least / 2; to = middle + least / 2; }
    if (from < whole[0]) { to += whole[0] - from; from = whole[0]; }
    if (to > whole[1]) { from = Math.max(whole[0], from - (to - whole[1])); to = whole[1]; }
    view = [from, to];
    draw();
  }
  const zoomBy = (factor, middle) => {
    const center = middle ?? (view[0] + view[1]) / 2;
    zoom(center - (center - view[0]) * factor, center + (view[1] - center) * factor);
  };

  let drag = null;
  for (const box of [chart, timeline]) {
    const timeAt = event => scale(box.clientWidth).t(event.clientX - box.getBoundingClientRect().left);
    box.addEventListener("pointerdown", event => { if (event.button === 0) drag = { box, from: timeAt(event), x: event.clientX }; });
    box.addEventListener("pointermove", event => {
      point(timeAt(event));
      const area = chart.querySelector(".selection");
      if (drag && drag.box === box && area && Math.abs(event.clientX - drag.x) > 4) {
        const { x } = scale(chart.clientWidth), ends = [x(drag.from), x(timeAt(event))].sort((a, b) => a - b);
        area.setAttribute("x", ends[0]); area.setAttribute("width", ends[1] - ends[0]); area.setAttribute("visibility", "visible");
      }
    });
    box.addEventListener("pointerleave", () => { if (!drag) point(null); });
    box.addEventListener("pointerup", event => {
      if (drag && Math.abs(event.clientX - drag.x) > 8) { const to = timeAt(event); zoom(Math.min(drag.from, to), Math.max(drag.from, to)); }
      drag = null;
    });
    box.addEventListener("dblclick", () => zoom(...whole));
    box.addEventListener("wheel", event => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      zoomBy((event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8, timeAt(event));
    }, { passive: false });
  }
  window.addEventListener("pointerup", () => { drag = null; chart.querySelector(".selection")?.setAttribute("visibility", "hidden"); });
  chart.addEventListener("keydown", event => {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (move) { event.preventDefault(); point(Math.min(Math.max((pointed ?? view[0]) + move * data.step, whole[0]), whole[1])); }
    if (event.key === "+") zoomBy(0.5, pointed ?? undefined);
    if (event.key === "-") zoomBy(2, pointed ?? undefined);
    if (event.key === "0") zoom(...whole);
  });
  document.getElementById("zoom-in").addEventListener("click", () => zoomBy(0.5));
  document.getElementById("zoom-out").addEventListener("click", () => zoomBy(2));
  document.getElementById("zoom-all").addEventListener("click", () => zoom(...whole));
  select.addEventListener("change", draw);
  for (const button of document.querySelectorAll(".face")) button.addEventListener("click", () => {
    const id = Number(button.dataset.face), shown = button.getAttribute("aria-pressed") === "true";
    button.setAttribute("aria-pressed", String(!shown));
    if (shown) hidden.add(id); else hidden.delete(id);
    draw();
  });
  const rows = [...document.querySelectorAll("#events tbody tr")];
  document.getElementById("kind").addEventListener("change", event => {
    for (const row of rows) row.hidden = event.target.value !== "" && row.dataset.kind !== event.target.value;
  });
  for (const row of rows) row.addEventListener("click", () => {
    const time = Number(row.dataset.time), span = Math.min(view[1] - view[0], Math.max(20 * data.step, 10));
    zoom(time - span / 2, time + span / 2);
    point(time);
    chart.scrollIntoView({ block: "nearest" });
  });
  new ResizeObserver(draw).observe(chart);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
