  /** The video. Where there is none that plays, only the time moves. */
  const player = {
    video: byId("video"), isUsable: false, isPlaying: false, wanted: null, shuttle: 0, frame: 0,

    start() {
      const { video } = this;
      this.present(Math.max(0, times.length ? times[0] : 0));
      if (!video) return;
      const trouble = reason => {
        this.isUsable = false;
        showTrouble(`${reason} ${data.video.advice}`);
      };
      const ready = () => {
        if (!video.videoWidth) return trouble("This browser cannot play the video, only its sound.");
        this.isUsable = true;
        const shape = video.videoWidth / video.videoHeight, expected = data.video.width / data.video.height;
        showTrouble(Math.abs(shape / expected - 1) > 0.03
          ? "This video has another shape than the one that was analysed, so boxes may be in the wrong place." : "");
        this.watch();
        this.seek(state.time);
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
          if (Math.abs(video.currentTime - state.time) > 1e-4) this.present(video.currentTime);
          requestAnimationFrame(look);
        };
        look();
      }
    },

    present(time) {
      state.time = time;
      emit("time");
    },
    changed() {
      this.isPlaying = this.isUsable && !this.video.paused;
      emit("playing");
    },

    /** Pauses at a time. */
    stop(time) {
      this.pause();
      this.seek(time);
    },
    /** Goes to the picture that is shown at a time. Of several wishes, the last is fulfilled. */
    seek(time) {
      time = Math.min(Math.max(time, Math.min(0, data.start)), data.end);
      if (!this.isUsable) return this.present(time);
      // Just after a frame's own time, so that rounding cannot show the frame before it.
      const exact = Math.max(0, time) + sameTime;
      if (this.video.seeking) this.wanted = exact; else this.video.currentTime = exact;
      // Where that picture is shown already, no other is presented.
      emit("moving", time);
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
      let position = state.time;
      this.timer = setInterval(() => {
        position -= 0.1 * rate;
        this.seek(position);
        if (position <= 0) this.pause();
      }, 100);
    },
    forward() {
      this.play(this.isPlaying ? Math.min(8, 2 * this.video.playbackRate) : 1);
    },
    stopShuttle() {
      clearInterval(this.timer);
      this.shuttle = 0;
    },

    /** Goes to the next or the previous sample. */
    step(direction) {
      this.pause();
      const index = direction > 0
        ? search(0, times.length, i => times[i] > state.time + sameTime)
        : search(0, times.length, i => times[i] >= state.time - sameTime) - 1;
      if (index >= 0 && index < times.length) this.seek(times[index]);
    },
    /** Goes to the next or the previous picture of the video, wherever samples are. */
    stepFrame(direction) {
      this.pause();
      if (!this.isUsable) return this.step(direction);
      if (direction < 0) {
        this.video.currentTime = Math.max(0, state.time - 2 * sameTime);
        return;
      }
      // The time of the next picture is not known: go on in small steps until one is presented.
      const { frame } = this, shown = state.time;
      let target = shown;
      const next = () => {
        if (this.frame !== frame && state.time > shown || target > data.end) return;
        target += 0.008;
        this.video.currentTime = target;
        this.video.addEventListener("seeked", () => setTimeout(next, 30), { once: true });
      };
      next();
    },
  };
