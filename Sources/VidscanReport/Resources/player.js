  /** The video. Where there is none that plays, only the time moves. */
  const player = {
    video: byId("video"), isUsable: false, wanted: null, shuttle: 0,
    /** The time that was asked for last, from which steps count, because pictures arrive later. `null` while playing. */
    requested: null,
    /** The ends of the loop, and the ranges to which playing keeps: `null` for all. */
    loop: [null, null], ranges: null,
    get isPlaying() { return this.isUsable && !this.video.paused; },
    get position() { return this.requested ?? state.time; },

    start() {
      const { video } = this;
      this.present(Math.max(0, times.length ? times[0] : 0));
      if (!video) return;
      const trouble = reason => {
        this.isUsable = false;
        showTrouble(`${reason} ` + (data.video.isSource
          ? `A copy that every browser plays: vidscan report --proxy --force ${quoted(resultPath())}` : "Browsers play H.264 in MP4 files."));
      };
      const ready = () => {
        if (!video.videoWidth) return trouble("This browser cannot play the video, only its sound.");
        this.isUsable = true;
        const shape = video.videoWidth / video.videoHeight, expected = data.video.width / data.video.height;
        const hasOtherLength = data.duration !== undefined && Math.abs(video.duration - data.duration) > Math.max(0.5, 0.01 * data.duration);
        showTrouble(Math.abs(shape / expected - 1) > 0.03
          ? "This video does not have the shape of the one that was analysed, so boxes may be in the wrong place."
          : hasOtherLength ? `This video lasts ${clock(video.duration, 1)}, but the one that was analysed lasts ${clock(data.duration, 1)}, so boxes may be shown at the wrong time.`
          : this.other && this.other.size !== data.video.bytes ? "This file does not have the size of the one that was analysed. If it is a copy with the same times, the boxes fit." : "");
        this.watch();
        this.changed();
        this.seek(state.time);
      };
      video.addEventListener("loadedmetadata", ready);
      // The last picture may lie before the end of a loop.
      video.addEventListener("ended", () => {
        if (this.ranges?.[0] !== this.loop) return;
        video.currentTime = this.loop[0] + sameTime;
        this.play(video.playbackRate);
      });
      // Whether there is sound that the browser decodes is known once some of the video has been played.
      video.addEventListener("timeupdate", () => {
        if (!this.isPlaying || video.played.length === 0 || video.played.end(0) - video.played.start(0) < 0.7) return;
        const isSilent = video.mozHasAudio === false || video.webkitAudioDecodedByteCount === 0;
        if (isSilent === this.isSilent) return;
        this.isSilent = isSilent;
        this.changed();
      });
      video.addEventListener("error", () => trouble("This browser cannot play the video, or the file is not where it was."));
      for (const name of ["play", "pause", "ratechange", "volumechange"]) video.addEventListener(name, () => this.changed());
      video.addEventListener("seeked", () => {
        if (this.wanted !== null) video.currentTime = this.wanted;
        this.wanted = null;
      });
      if (video.readyState >= 1) ready(); else if (video.error) trouble("This browser cannot play the video, or the file is not where it was.");
    },

    /** Calls back for each picture that is presented. */
    watch() {
      const { video } = this, wait = look => video.requestVideoFrameCallback?.(look) ?? requestAnimationFrame(look);
      if (this.watching) return;
      this.watching = true;
      const look = (_, frame) => {
        const asked = video.currentTime, told = frame?.mediaTime ?? asked;
        // Firefox gives the time that was asked for, not that of the picture; before version 132, it does not call.
        const time = Math.abs(told - asked) < 1e-6 ? frameTime(frameAt(told)) : told;
        if (frame || time !== state.time) this.present(time);
        wait(look);
      };
      wait(look);
    },

    present(time) {
      state.time = time;
      emit("time", time);
      if (this.isPlaying) this.keepInRange(time);
    },
    changed() {
      if (this.isPlaying) this.requested = null;
      emit("playing");
    },
    /** While playing: jumps over what is not to be played. A loop begins again; otherwise, playing ends after the last range. */
    keepInRange(time) {
      const { ranges, video } = this;
      if (!ranges?.length || video.seeking || ranges.some(([from, to]) => time >= from - sameTime && time < to)) return;
      const next = ranges.find(([from]) => from > time) ?? (ranges[0] === this.loop ? this.loop : null);
      if (next) video.currentTime = next[0] + sameTime; else this.pause();
    },

    stop(time) {
      this.pause();
      this.seek(time);
    },
    /** Goes to the picture that is shown at a time. Of several requests, the last one counts. */
    seek(time) {
      time = within(time, Math.min(0, data.start), data.end);
      this.requested = time;
      if (!this.isUsable) return this.present(time);
      // Just after a frame's own time, so that rounding cannot show the frame before it.
      const exact = Math.max(0, time) + sameTime;
      // The end of a seek is announced a little after it, so an earlier request must not outlive this one.
      this.wanted = this.video.seeking ? exact : null;
      if (this.wanted === null) this.video.currentTime = exact;
      // Where that picture is shown already, no other is presented.
      emit("moving", time);
    },

    play(rate = 1) {
      this.stopShuttle();
      if (!this.isUsable) return;
      this.video.playbackRate = rate;
      this.video.play().catch(() => {});
    },
    changeSpeed(direction) {
      const menu = byId("speed");
      menu.selectedIndex = within(menu.selectedIndex + direction, 0, menu.options.length - 1);
      menu.dispatchEvent(new Event("change"));
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
      let { position } = this;
      this.timer = setInterval(() => {
        position -= 0.1 * rate;
        this.seek(position);
        if (position <= 0) this.pause();
      }, 100);
      emit("playing");
    },
    forward() { this.play(this.isPlaying ? Math.min(8, 2 * this.video.playbackRate) : 1); },
    stopShuttle() {
      clearInterval(this.timer);
      if (!this.shuttle) return;
      this.shuttle = 0;
      emit("playing");
    },

    step(direction) {
      const { position } = this;
      this.pause();
      const index = neighbor(times.length, i => times[i], position, direction);
      if (index >= 0 && index < times.length) this.seek(times[index]);
    },
    /** Goes to the next or the previous picture of the video, wherever samples are. */
    stepFrame(direction) {
      const { position } = this;
      this.pause();
      if (!this.isUsable) return this.step(direction);
      const time = frameTime(frameAt(position) + direction);
      if (time >= -sameTime && time < data.end) this.seek(time);
    },
  };
