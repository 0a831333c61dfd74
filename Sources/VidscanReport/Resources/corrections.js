  const storageKey = `vidscan corrections ${data.video.name} ${data.video.bytes}`;
  const corrections = {
    /** Those that the tables contain already come first, and stay. */
    applied: data.corrections, list: [], saved: "[]",

    start() {
      try {
        const kept = JSON.parse(localStorage.getItem(storageKey) || "[]");
        if (Array.isArray(kept)) this.list = kept.filter(isCorrection);
      } catch { /* Without storage, corrections live as long as the page. */ }
      state.model = correct(this.list);
    },
    add(item) {
      this.list.push(item);
      this.changed(`Added: ${describe(item)}`);
    },
    remove(index) {
      const [item] = this.list.splice(index, 1);
      if (item) this.changed(`Removed: ${describe(item)}`);
    },
    changed(text) {
      try {
        if (this.list.length) localStorage.setItem(storageKey, JSON.stringify(this.list)); else localStorage.removeItem(storageKey);
      } catch { /* As above. */ }
      const before = state.selection && faceOf(state.selection);
      state.model = correct(this.list);
      state.selection = before ? findTrack(state.model.tracks, before) : null;
      say(text);
      emit("model");
    },
    text() {
      // Saved lists keep the order in which corrections were made; it matters.
      return JSON.stringify({
        format: "vidscan corrections 1", video: { name: data.video.name, bytes: data.video.bytes },
        corrections: [...this.applied, ...this.list],
      }, null, 1) + "\n";
    },
    save() {
      const link = make("a", { href: URL.createObjectURL(new Blob([this.text()], { type: "application/json" })), download: "corrections.json" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      this.saved = JSON.stringify(this.list);
      showCorrections();
      say("Saved corrections.json");
    },
    async open(file) {
      let read;
      try {
        if (file.size > 16 << 20) throw new Error("it is too large");
        read = JSON.parse(await file.text());
        if (read.format !== "vidscan corrections 1" || !Array.isArray(read.corrections)) throw new Error("it is not a file of corrections");
        if (!read.corrections.every(isCorrection)) throw new Error("a correction in it is not one that this page knows");
        if (read.video?.bytes !== data.video.bytes) throw new Error("it belongs to another video");
      } catch (error) {
        byId("correction-state").textContent = `${file.name} cannot be opened: ${error.message}`;
        return;
      }
      const count = this.applied.length, isContinued = JSON.stringify(read.corrections.slice(0, count)) === JSON.stringify(this.applied);
      this.list = isContinued ? read.corrections.slice(count) : read.corrections;
      this.changed(`Opened ${this.list.length} corrections`);
    },
  };

  const isNumber = value => typeof value === "number" && Number.isFinite(value);
  const isText = (value, longest) => typeof value === "string" && value.length > 0 && value.length <= longest;
  const isName = name => isText(name, 100) && !/["\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(name);
  const isFace = face => face && isNumber(face.time) && Array.isArray(face.box) && face.box.length === 4 && face.box.every(isNumber);
  const arePair = ({ faces }) => Array.isArray(faces) && faces.length === 2 && faces.every(isFace);
  const pairText = ({ faces }) => `the faces at ${clock(faces[0].time)} and ${clock(faces[1].time)}`;
  /** By what a correction does: whether its values are valid, and its words. */
  const kinds = new Map(Object.entries({
    same_person: [arePair, item => `same person: ${pairText(item)}`],
    different_people: [arePair, item => `different people: ${pairText(item)}`],
    split: [item => isFace(item.face) && isNumber(item.time), item => `split the track at ${clock(item.time)}`],
    name: [item => isFace(item.face) && isName(item.name), item => `name “${item.name}” for the person at ${clock(item.face.time)}`],
    not_a_face: [item => isFace(item.face), item => `no face at ${clock(item.face.time)}`],
    exclude: [({ from, to }) => isNumber(from) && isNumber(to) && from <= to, item => `exclude ${clock(item.from)} to ${clock(item.to)}`],
    note: [
      item => isNumber(item.time) && isText(item.text, 4000) && (item.face === undefined || isFace(item.face)),
      item => `note at ${clock(item.time)}: ${item.text}`,
    ],
  }));
  const isCorrection = item => kinds.has(item?.do) && kinds.get(item.do)[0](item);
  const describe = item => kinds.get(item.do)[1](item);
  const whenOf = item => item.time ?? item.from ?? (item.face ?? item.faces?.[0])?.time ?? 0;

  const micro = value => Math.round(value * 1e6) / 1e6;
  const faceAt = row => ({ time: micro(timeOf(row)), box: boxOf(row) });
  /** A track's time and box by which a correction names it: at the playhead if it is visible there. */
  function faceOf(track) {
    const row = search(track.from, track.to, row => timeOf(row) > state.time + sameTime) - 1;
    let best = Math.min(Math.max(row, track.from), track.to - 1);
    if (track.from <= best + 1 && best + 1 < track.to && Math.abs(timeOf(best + 1) - state.time) < Math.abs(timeOf(best) - state.time)) best++;
    return faceAt(best);
  }

  function select(track) {
    state.selection = track;
    emit("selection");
  }
  /** Selects a track, and goes to a time at which it is visible. */
  function choose(track, time) {
    select(track);
    player.stop(Math.min(Math.max(time ?? track.begin, track.begin), track.end));
  }

  function showSelection() {
    const { selection, model } = state, has = selection !== null;
    byId("selected").textContent = has
      ? `Selected: ${selection.owner.name}, face ${selection.id}, ${clock(selection.begin)} to ${clock(selection.end)}`
      : "Click a face in the video or a bar in the timeline.";
    for (const id of ["form-name", "form-merge"])
      for (const field of byId(id).elements) field.disabled = !has;
    byId("no-face").disabled = byId("split").disabled = !has;
    byId("somebody-else").disabled = !companion(selection);
    const others = has ? [...model.people.values()].filter(person => person !== selection.owner) : [];
    byId("other").replaceChildren(...others.map(person => new Option(person.name, person.id)));
    if (has && !others.length) for (const field of byId("form-merge").elements) field.disabled = true;
    for (const node of document.querySelectorAll("[data-person]")) node.classList.toggle("chosen", has && +node.dataset.person === selection.person);
  }

  const onSubmit = (id, action) => byId(id).addEventListener("submit", event => {
    event.preventDefault();
    action();
  });
  const complain = text => {
    byId("correction-state").textContent = text;
    say(text);
  };
  onSubmit("form-name", () => {
    const { selection, model } = state, name = byId("name").value.trim();
    if (!selection || !name) return complain("Type a name first.");
    if (!isName(name)) return complain("A name has no quotation marks and no control characters.");
    const namesake = [...model.people.values()].find(person => person !== selection.owner && model.names.get(person.id) === name);
    if (namesake) return complain(`Another person has the name ${name} already. If they are one, join them.`);
    corrections.add({ do: "name", face: faceOf(selection), name });
    byId("name").value = "";
  });
  onSubmit("form-merge", () => {
    const { selection, model } = state, other = model.people.get(+byId("other").value);
    if (!selection || !other) return;
    const together = model.tracks.find(a => a.owner === selection.owner && other.tracks.some(b => sharesSample(a, b)));
    if (together) return complain(`${selection.owner.name} and ${other.name} are visible at the same time, so they cannot be one person. Split a track first.`);
    corrections.add({ do: "same_person", faces: [faceOf(selection), faceOf(other.tracks[0])] });
  });
  function sharesSample(a, b) {
    if (a.end < b.begin || b.end < a.begin) return false;
    let [i, j] = [a.from, b.from];
    while (i < a.to && j < b.to) {
      if (sampleOf[i] === sampleOf[j]) return true;
      if (sampleOf[i] < sampleOf[j]) i++; else j++;
    }
    return false;
  }
  /** The rest of the person: their longest other track, or the longest one before or after a gap in this one. */
  function companion(track) {
    if (!track) return null;
    const longest = tracks => tracks.reduce((a, b) => (a && a.to - a.from >= b.to - b.from ? a : b), null);
    const other = longest(track.owner.tracks.filter(one => one !== track));
    if (other) return faceOf(other);
    const here = faceOf(track).time, gap = appearances(track).find(([from, to]) => here < timeOf(from) - sameTime || here > timeOf(to - 1) + sameTime);
    return gap ? faceAt(gap[0]) : null;
  }
  byId("somebody-else").addEventListener("click", () => {
    const rest = companion(state.selection);
    if (rest) corrections.add({ do: "different_people", faces: [rest, faceOf(state.selection)] });
  });
  byId("split").addEventListener("click", () => {
    const { selection } = state;
    if (!selection) return;
    const row = search(selection.from, selection.to, row => timeOf(row) >= state.time - sameTime);
    if (row <= selection.from || row >= selection.to) return complain("Move the playhead between two samples of the selected track first.");
    // The track is named by a sample before the split, so that it is the part that keeps its number.
    corrections.add({ do: "split", face: faceAt(row - 1), time: micro(timeOf(row)) });
  });
  byId("no-face").addEventListener("click", () => {
    if (state.selection) corrections.add({ do: "not_a_face", face: faceOf(state.selection) });
  });
  byId("from-here").addEventListener("click", () => { byId("exclude-from").value = state.time.toFixed(3); });
  byId("to-here").addEventListener("click", () => { byId("exclude-to").value = state.time.toFixed(3); });
  onSubmit("form-exclude", () => {
    const [from, to] = ["exclude-from", "exclude-to"].map(id => parseFloat(byId(id).value));
    if (!(from <= to)) return complain("Give the range in seconds, the earlier time first.");
    corrections.add({ do: "exclude", from, to });
    byId("exclude-from").value = byId("exclude-to").value = "";
  });
  onSubmit("form-note", () => {
    const text = byId("note").value.trim();
    if (!text) return complain("Type a note first.");
    const { selection } = state, face = selection && rowsAt(selection, state.time) ? { face: faceOf(selection) } : {};
    corrections.add({ do: "note", time: micro(state.time), text, ...face });
    byId("note").value = "";
  });
  byId("undo").addEventListener("click", () => corrections.remove(corrections.list.length - 1));
  byId("save").addEventListener("click", () => corrections.save());
  byId("open").addEventListener("change", event => {
    if (event.target.files[0]) corrections.open(event.target.files[0]);
    event.target.value = "";
  });
  addEventListener("beforeunload", event => {
    // Corrections in the browser are safe, but not yet in a file.
    let isKept = false;
    try { isKept = !corrections.list.length || localStorage.getItem(storageKey) !== null; } catch { /* As above. */ }
    if (!isKept && JSON.stringify(corrections.list) !== corrections.saved) event.preventDefault();
  });
  function showCorrections() {
    const troubles = new Map(state.model.problems.map(problem => [problem.index, problem.reason]));
    const unsaved = corrections.list.length && JSON.stringify(corrections.list) !== corrections.saved;
    byId("correction-state").textContent =
      (corrections.applied.length ? `${corrections.applied.length} in the tables. ` : "")
      + (corrections.list.length ? `${corrections.list.length} new${unsaved ? ", not saved to a file" : ", saved"}.` : "No new corrections.");
    byId("corrections").replaceChildren(...corrections.list.map((item, index) => make("li", {},
      make("button", { type: "button", className: "go", onclick: () => player.stop(whenOf(item)) },
        make("bdi", {}, describe(item)), troubles.has(index) ? make("span", { className: "warning inline" }, troubles.get(index)) : null),
      make("button", { type: "button", className: "small", ariaLabel: `Remove: ${describe(item)}`, onclick: () => corrections.remove(index) }, "×"))));
    byId("undo").disabled = !corrections.list.length;
  }
  on("model selection", showSelection);
  on("model", showCorrections);
