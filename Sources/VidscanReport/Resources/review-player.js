
  /** The video, or a clock without pictures if it cannot be played. `shown` is the presentation time of the picture. */
  const player = {
    video: byId("video"), isUsable: false, isPlaying: false, shown: 0, rate: 1, wanted: null, shuttle: 0, listeners: [], frame: 0,

    start() {
      const { video } = this;
      this.shown = Math.max(0, times.length ? times[0] : 0);
      if (!video) return;
      const trouble = reason => {
        this.isUsable = false;
        byId("trouble").hidden = false;
        byId("trouble").textContent = `${reason} ${data.video.advice}`;
      };
      const ready = () => {
        if (!video.videoWidth) return trouble("This browser cannot play the video, only its sound.");
        this.isUsable = true;
        byId("trouble").hidden = true;
        const shape = video.videoWidth / video.videoHeight, expected = data.video.width / data.video.height;
        if (Math.abs(shape / expected - 1) > 0.03) {
          byId("trouble").hidden = false;
          byId("trouble").textContent = "This video has another shape than the one that was analysed, so boxes may be in the wrong place.";
        }
        this.watch();
        this.seek(this.shown);
      };
      video.addEventListener("loadedmetadata", ready);
      video.addEventListener("error", () => trouble("This browser cannot play the video, or the file is not where it was."));
      video.addEventListener("play", () => this.changed());
      video.addEventListener("pause", () => this.changed());
      video.addEventListener("seeked", () => {
        if (this.wanted !== null) {
          const time = this.wanted;
          this.wanted = null;
          video.currentTime = time;
        }
      });
      if (video.readyState >= 1) ready(); else if (video.error) trouble("This browser cannot play the video, or the file is not where it was.");
    },

    /** Calls back for each picture that is presented. */
    watch() {
      const { video } = this;
      if (this.watching) return;
      this.watching = true;
      if (video.requestVideoFrameCallback) {
        const next = (_, metadata) => {
          this.frame++;
          this.present(metadata.mediaTime);
          video.requestVideoFrameCallback(next);
        };
        video.requestVideoFrameCallback(next);
      } else {
        const look = () => {
          if (Math.abs(video.currentTime - this.shown) > 1e-4) this.present(video.currentTime);
          requestAnimationFrame(look);
        };
        look();
      }
    },

    present(time) {
      this.shown = time;
      for (const listener of this.listeners) listener(time);
    },
    changed() {
      this.isPlaying = this.isUsable && !this.video.paused;
      for (const listener of this.listeners) listener(this.shown);
    },

    /** Goes to the picture that is shown at a time. Of several wishes, the last is fulfilled. */
    seek(time) {
      time = Math.min(Math.max(time, Math.min(0, data.start)), data.end);
      if (!this.isUsable) return this.present(time);
      // Just after a frame's own time, so that rounding cannot show the frame before it.
      const exact = Math.max(0, time) + sameTime;
      if (this.video.seeking) this.wanted = exact; else this.video.currentTime = exact;
      // Where that picture is shown already, no other is presented.
      moved(time);
    },

    play(rate = 1) {
      this.stopShuttle();
      if (!this.isUsable) return;
      this.video.playbackRate = rate;
      this.video.play().catch(() => {});
    },
    pause() {
      this.stopShuttle();
      if (this.isUsable) this.video.pause();
    },
    toggle() {
      if (this.isPlaying || this.shuttle) this.pause(); else this.play(+byId("speed").value);
    },
    /** Plays backward, which browsers cannot, by going back ten times a second. */
    back() {
      const rate = this.shuttle ? Math.min(8, 2 * this.shuttle) : 1;
      this.pause();
      this.shuttle = rate;
      let position = this.shown;
      this.timer = setInterval(() => {
        position -= 0.1 * rate;
        this.seek(position);
        if (position <= 0) this.pause();
      }, 100);
    },
    forward() {
      const rate = this.isPlaying ? Math.min(8, 2 * this.video.playbackRate) : 1;
      this.play(rate);
    },
    stopShuttle() {
      clearInterval(this.timer);
      this.shuttle = 0;
    },

    /** Goes to the next or the previous sample. */
    step(direction) {
      this.pause();
      const index = direction > 0
        ? search(0, times.length, i => times[i] > this.shown + sameTime)
        : search(0, times.length, i => times[i] >= this.shown - sameTime) - 1;
      if (index >= 0 && index < times.length) this.seek(times[index]);
    },
    /** Goes to the next or the previous picture of the video, wherever samples are. */
    stepFrame(direction) {
      this.pause();
      if (!this.isUsable) return this.step(direction);
      if (direction < 0) {
        this.video.currentTime = Math.max(0, this.shown - 2 * sameTime);
        return;
      }
      // The time of the next picture is not known: go on in small steps until one is presented.
      const { frame, shown } = this;
      let target = shown;
      const next = () => {
        if (this.frame !== frame && this.shown > shown || target > data.end) return;
        target += 0.008;
        this.video.currentTime = target;
        this.video.addEventListener("seeked", () => setTimeout(next, 30), { once: true });
      };
      next();
    },
  };

  // MARK: Overlay

  const overlay = byId("overlay"), picture = byId("picture");
  const layers = { boxes: true, names: true, points: false, gaze: false, expression: true };
  const layerNames = { boxes: "Boxes", names: "Names", points: "Points", gaze: "Gaze", expression: "Expression" };
  const drawnPoints = ["left_eye", "right_eye", "nose", "left_mouth_corner", "right_mouth_corner", "chin"];
  const named = ["joy", "surprise", "anger", "sadness"];
  let paint = [];

  function readColors() {
    const style = getComputedStyle(document.documentElement), value = name => style.getPropertyValue(name).trim();
    paint = Array.from({ length: 8 }, (_, index) => value("--c" + index));
    Object.assign(paint, { text: value("--text"), soft: value("--soft"), line: value("--line"), card: value("--card"), page: value("--page"), accent: value("--accent") });
  }

  /** The state of a track at a time: between two samples, values are interpolated. `null` if it is not visible. */
  function stateAt(track, time) {
    const reach = data.interval * data.stride;
    if (time < track.begin - reach || time > track.end + reach) return null;
    const after = search(track.from, track.to, row => timeOf(row) > time + sameTime), before = after - 1;
    const has = { before: before >= track.from, after: after < track.to };
    if (has.before && timeOf(before) >= time - sameTime) return { a: before, b: before, share: 0 };
    if (has.before && has.after && sampleOf[after] - sampleOf[before] <= 2 * data.stride && !cutBetween(timeOf(before), timeOf(after)))
      return { a: before, b: after, share: (time - timeOf(before)) / (timeOf(after) - timeOf(before)) };
    // A sample stands for the time until halfway to the next one, but not beyond a cut.
    if (has.before && time - timeOf(before) <= reach / 2 && !cutBetween(timeOf(before), time)) return { a: before, b: before, share: 0 };
    if (has.after && timeOf(after) - time <= reach / 2 && !cutBetween(time, timeOf(after))) return { a: after, b: after, share: 0 };
    return null;
  }
  const valueAt = (name, state) => {
    const column = columns.get(name), from = number(column, state.a), to = number(column, state.b);
    return Number.isNaN(from) || Number.isNaN(to) ? (state.share < 0.5 ? from : to) : from + (to - from) * state.share;
  };
  const facesAt = time => {
    const found = [];
    for (const track of model.tracks) {
      const state = stateAt(track, time);
      if (state) found.push({ track, state, box: ["x", "y", "width", "height"].map(name => valueAt(name, state)) });
    }
    return found;
  };

  /** Where the picture lies in its element: scale and offset from pixels of the video to CSS pixels. */
  function placement() {
    const width = picture.clientWidth, height = picture.clientHeight;
    const scale = Math.min(width / data.video.width, height / data.video.height);
    return { scale, left: (width - scale * data.video.width) / 2, top: (height - scale * data.video.height) / 2, width, height };
  }

  function drawOverlay() {
    const { scale, left, top, width, height } = placement(), density = devicePixelRatio || 1;
    if (overlay.width !== Math.round(width * density) || overlay.height !== Math.round(height * density)) {
      overlay.width = Math.round(width * density);
      overlay.height = Math.round(height * density);
    }
    const context = overlay.getContext("2d");
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    const x = value => left + scale * value, y = value => top + scale * value;
    context.font = "600 13px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const { track, state, box } of facesAt(player.shown)) {
      const color = paint[track.owner.color];
      const [bx, by, bw, bh] = [x(box[0]), y(box[1]), scale * box[2], scale * box[3]];
      if (layers.boxes) {
        context.strokeStyle = "rgba(0,0,0,.55)";
        context.lineWidth = track === selection ? 6 : 4;
        context.strokeRect(bx, by, bw, bh);
        context.strokeStyle = color;
        context.lineWidth = track === selection ? 4 : 2;
        context.setLineDash(isExcluded(model, player.shown) ? [4, 4] : []);
        context.strokeRect(bx, by, bw, bh);
        context.setLineDash([]);
      }
      if (layers.points) {
        for (const name of drawnPoints) {
          const px = valueAt(name + "_x", state), py = valueAt(name + "_y", state);
          if (Number.isNaN(px)) continue;
          context.beginPath();
          context.arc(x(px), y(py), 3, 0, 7);
          context.fillStyle = "#fff";
          context.fill();
          context.strokeStyle = "#000";
          context.lineWidth = 1;
          context.stroke();
        }
      }
      if (layers.gaze) {
        const yaw = valueAt("gaze_yaw", state) * Math.PI / 180, pitch = valueAt("gaze_pitch", state) * Math.PI / 180;
        if (!Number.isNaN(yaw) && !Number.isNaN(pitch)) {
          const dx = bw * Math.sin(yaw) * Math.cos(pitch), dy = -bw * Math.sin(pitch);
          for (const side of ["left_eye", "right_eye"]) {
            const px = x(valueAt(side + "_x", state)), py = y(valueAt(side + "_y", state));
            if (Number.isNaN(px)) continue;
            for (const [ink, thickness] of [["rgba(0,0,0,.6)", 5], [color, 2.5]]) {
              context.strokeStyle = ink;
              context.lineWidth = thickness;
              context.beginPath();
              context.moveTo(px, py);
              context.lineTo(px + dx, py + dy);
              context.stroke();
            }
          }
        }
      }
      let text = layers.names ? track.owner.name : "";
      if (layers.expression) {
        const scores = named.map(name => [name, valueAt(name, state)]).filter(([, value]) => value >= 50).sort((a, b) => b[1] - a[1]);
        if (scores.length) text += (text ? " · " : "") + scores[0][0] + " " + Math.round(scores[0][1]);
      }
      if (text) {
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
  }

  /** The track at a point of the picture, in CSS pixels. */
  function trackAt(px, py) {
    const { scale, left, top } = placement(), vx = (px - left) / scale, vy = (py - top) / scale;
    return facesAt(player.shown).filter(({ box }) => vx >= box[0] && vx <= box[0] + box[2] && vy >= box[1] && vy <= box[1] + box[3])
      .sort((a, b) => a.box[2] * a.box[3] - b.box[2] * b.box[3])[0]?.track ?? null;
  }
