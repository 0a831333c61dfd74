  const overlay = byId("overlay");
  const layers = { boxes: true, names: true, points: false, gaze: false, expression: true };
  const drawnPoints = ["left_eye", "right_eye", "nose", "left_mouth_corner", "right_mouth_corner", "chin"];
  const named = ["joy", "surprise", "anger", "sadness"];

  function drawOverlay() {
    if (!picture || !state.model) return;
    const { scale, left, top, width, height } = placement(), context = fit(overlay, width, height);
    const x = value => left + scale * value, y = value => top + scale * value;
    Object.assign(context, { font: "600 13px system-ui, sans-serif", textBaseline: "middle" });
    for (const { track, rows, box } of facesAt(state.time)) {
      const color = paint[track.owner.color];
      const [bx, by, bw, bh] = [x(box[0]), y(box[1]), scale * box[2], scale * box[3]];
      if (layers.boxes) {
        const line = track === state.selection ? 4 : 2;
        Object.assign(context, { strokeStyle: "rgba(0,0,0,.55)", lineWidth: line + 2 });
        context.strokeRect(bx, by, bw, bh);
        Object.assign(context, { strokeStyle: color, lineWidth: line });
        context.setLineDash(isExcluded(state.time) ? [4, 4] : []);
        context.strokeRect(bx, by, bw, bh);
        context.setLineDash([]);
      }
      const placeOf = name => [x(valueAt(name + "_x", rows)), y(valueAt(name + "_y", rows))];
      for (const [px, py] of layers.points ? drawnPoints.map(placeOf) : []) {
        if (Number.isNaN(px)) continue;
        context.beginPath();
        context.arc(px, py, 3, 0, 7);
        Object.assign(context, { fillStyle: "#fff", strokeStyle: "#000", lineWidth: 1 });
        context.fill();
        context.stroke();
      }
      for (const [px, py] of layers.gaze ? ["left_eye", "right_eye"].map(placeOf) : []) {
        const [yaw, pitch] = ["gaze_yaw", "gaze_pitch"].map(name => valueAt(name, rows) * Math.PI / 180);
        if (Number.isNaN(px + yaw + pitch)) continue;
        const dx = bw * Math.sin(yaw) * Math.cos(pitch), dy = -bw * Math.sin(pitch);
        for (const [ink, thickness] of [["rgba(0,0,0,.6)", 5], [color, 2.5]]) {
          Object.assign(context, { strokeStyle: ink, lineWidth: thickness });
          drawLine(context, px, py, px + dx, py + dy);
        }
      }
      let text = layers.names ? track.owner.name : "";
      if (layers.expression) {
        const scores = named.map(name => [name, valueAt(name, rows)]).filter(([, value]) => value >= 50).sort((a, b) => b[1] - a[1]);
        if (scores.length) text += (text ? " · " : "") + scores[0][0] + " " + Math.round(scores[0][1]);
      }
      if (!text) continue;
      const room = Math.min(context.measureText(text).width, Math.max(60, width - 8)) + 10;
      const lx = Math.max(0, Math.min(bx - 1, width - room)), ly = by - 22 >= 0 ? by - 22 : Math.min(by + bh + 2, height - 20);
      context.fillStyle = "rgba(0,0,0,.72)";
      context.fillRect(lx, ly, room, 20);
      context.fillStyle = color;
      context.fillRect(lx, ly, 3, 20);
      context.fillStyle = "#fff";
      context.fillText(text, lx + 7, ly + 10.5, room - 10);
    }
  }

  on("time model selection layout", drawOverlay);
  for (const layer of Object.keys(layers))
    byId("layers")?.append(checkbox(layer[0].toUpperCase() + layer.slice(1), { checked: layers[layer], "data-layer": layer }, isShown => {
      layers[layer] = isShown;
      drawOverlay();
    }));
  picture?.addEventListener("click", event => {
    const bounds = picture.getBoundingClientRect(), { scale, left, top } = placement();
    const x = (event.clientX - bounds.left - left) / scale, y = (event.clientY - bounds.top - top) / scale;
    const hits = facesAt(state.time).filter(({ box }) => x >= box[0] && x <= box[0] + box[2] && y >= box[1] && y <= box[1] + box[3]);
    if (!hits.length) return player.toggle();
    // The smallest one.
    const { track, box } = hits.sort((a, b) => a.box[2] * a.box[3] - b.box[2] * b.box[3])[0];
    select(track);
    openFace(bounds.left + left + scale * (box[0] + box[2]), event.clientY, bounds.left + left + scale * box[0]);
  });
