  const storageKey = `vidscan corrections ${data.video.name} ${data.video.bytes}`;
  /** JSON with sorted keys, by which corrections are compared, because the tables' record has them sorted. */
  const canonical = value => JSON.stringify(value, (_, part) => part && typeof part === "object" && !Array.isArray(part)
    ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part);
  /** A list without what is in another one. Of equal corrections, the last are left out. */
  function without(list, others) {
    const left = new Map();
    for (const item of others) left.set(canonical(item), (left.get(canonical(item)) ?? 0) + 1);
    return list.toReversed().filter(item => {
      const count = left.get(canonical(item)) ?? 0;
      left.set(canonical(item), count - 1);
      return count < 1;
    }).reverse();
  }

  const corrections = {
    /** Those that the tables contain already, and those made since. */
    applied: data.corrections, list: [], saved: "[]",
    /** Lists before and after each change of this tab, to take it back and make it again. */
    done: [], undone: [],

    start() {
      this.list = this.read();
      this.done = this.list.slice(-50).map((_, i, last) => [0, 1].map(more => this.list.slice(0, this.list.length - last.length + i + more)));
      state.model = correct(this.list);
    },
    /** The list that all tabs share, without what has come into the tables since it was written. */
    read() {
      let kept, text;
      try { text = localStorage.getItem(storageKey); } catch { this.isAlone = true; }
      // Without storage, corrections live as long as the page.
      if (this.isAlone) return this.list;
      try { kept = JSON.parse(text); } catch { /* Not of this page. */ }
      const { base, list } = kept ?? {};
      if (!Array.isArray(list) || !Array.isArray(base)) return [];
      return without(list.filter(isCorrection), without(this.applied, base))
        .filter(item => item.do !== "take_back" || this.applied.some(other => canonical(other) === canonical(item.correction)));
    },
    write(list) {
      try {
        if (list.length) localStorage.setItem(storageKey, JSON.stringify({ base: this.applied, list })); else localStorage.removeItem(storageKey);
      } catch { this.isAlone = true; }
      this.put(list);
    },
    put(list) {
      const before = state.selection && faceOf(state.selection);
      this.list = list;
      state.model = correct(list);
      state.selection = before ? findTrack(state.model.tracks, before) : null;
      emit("model");
    },
    change(edit, text) {
      const before = this.read(), after = edit(before);
      this.done.push([before, after]);
      this.undone = [];
      this.write(after);
      say(text, true);
    },
    add(item) { this.change(list => [...list, item], `Added: ${describe(item)}`); },
    remove(item) { this.change(list => without(list, [item]), `Removed: ${describe(item)}`); },
    undo() { this.replay(this.done, this.undone, step => step.toReversed(), "take back", "Taken back"); },
    redo() { this.replay(this.undone, this.done, step => step, "make again", "Made again"); },
    /** Makes the last of the changes, and leaves alone what other tabs have changed since. */
    replay(changes, others, ends, what, word) {
      const step = changes.pop();
      if (!step) return say(`There is no correction to ${what}.`);
      others.push(step);
      const [from, to] = ends(step), gone = without(from, to), added = without(to, from), list = without(this.read(), gone);
      for (const item of added) list.splice(to.indexOf(item), 0, item);
      this.write(list);
      say(`${word}: ${[...gone, ...added].map(describe).join("; ")}`, true);
    },

    /** All that `vidscan apply` gets, in the order in which it was made; the order matters. */
    text() {
      const taken = this.list.filter(item => item.do === "take_back").map(item => item.correction);
      const { name, bytes } = data.video;
      const corrections = [...without(this.applied, taken), ...this.list.filter(isWritten)];
      return JSON.stringify({ format: "vidscan corrections 1", video: { name, bytes }, corrections }, null, 1) + "\n";
    },
    save() {
      if (data.withheld) return say("Names and notes were left out of this page, so a file from it would remove them");
      // A name of its own, because browsers would rename a second corrections.json, and the first would be applied again.
      const name = `corrections-${stamp()}.json`, result = resultPath();
      download(new Blob([this.text()], { type: "application/json" }), name);
      this.saved = canonical(this.list);
      byId("commands").textContent = `vidscan apply ${quoted(result)} ~/Downloads/${name} && vidscan report --force ${[...data.again ?? [], result].map(quoted).join(" ")}`;
      byId("after-saving").hidden = false;
      showCorrections();
      byId("after-saving").scrollIntoView({ block: "nearest" });
      say(`Saved ${name}`);
    },
    async open(file) {
      let read;
      try {
        if (file.size > 16 << 20) throw new Error("it is too large");
        read = JSON.parse(await file.text());
        if (read.format !== "vidscan corrections 1" || !Array.isArray(read.corrections)) throw new Error("it is not a file of corrections");
        if ((read.video?.bytes ?? data.video.bytes) !== data.video.bytes) throw new Error("its corrections are for another video");
        if (!read.corrections.every(item => isCorrection(item) && isWritten(item))) throw new Error("a correction in it is not one that this page knows");
      } catch (error) {
        return say(`${file.name} cannot be opened: ${error.message}`);
      }
      // Their order matters, so what follows the first difference is taken back and made again.
      let same = 0;
      while (same < this.applied.length && same < read.corrections.length && canonical(this.applied[same]) === canonical(read.corrections[same])) same++;
      const taken = this.applied.slice(same).map(correction => ({ do: "take_back", correction }));
      this.change(list => [...list.filter(item => item.do === "checked"), ...taken, ...read.corrections.slice(same)], `Opened ${file.name}: ${read.corrections.length} corrections`);
    },
  };
  addEventListener("storage", event => {
    if (event.key !== storageKey && event.key !== null) return;
    corrections.put(corrections.read());
    say("Another tab has changed the corrections.");
  });

  const isNumber = value => typeof value === "number" && Number.isFinite(value);
  const isText = (value, longest) => typeof value === "string" && value.length > 0 && value.length <= longest;
  const isFace = face => face && isNumber(face.time) && Array.isArray(face.box) && face.box.length === 4 && face.box.every(isNumber);
  const areFaces = ({ faces }) => Array.isArray(faces) && faces.length >= 2 && faces.every(isFace);
  const pairText = ({ faces }) => `the faces at ${faces.map(face => clock(face.time)).join(" and ")}`;
  /** By what a correction does: whether its values are valid, and its words. */
  const kinds = new Map(Object.entries({
    same_person: [areFaces, item => `same person: ${pairText(item)}`],
    different_people: [item => areFaces(item) && item.faces.length === 2, item => `different people: ${pairText(item)}`],
    split: [item => isFace(item.face) && isNumber(item.time), item => `split the track at ${clock(item.time)}`],
    name: [item => isFace(item.face) && isName(item.name), item => `name “${item.name}” for the person at ${clock(item.face.time)}`],
    not_a_face: [item => isFace(item.face), item => `no face at ${clock(item.face.time)}`],
    exclude: [({ from, to }) => isNumber(from) && isNumber(to) && from <= to, item => `exclude ${clock(item.from)} to ${clock(item.to)}`],
    note: [
      item => isNumber(item.time) && isText(item.text, 4000) && (item.face === undefined || isFace(item.face)),
      item => `note at ${clock(item.time)}: ${item.text}`,
    ],
    // These two never leave the browser: one that is in the tables is left out of the next file, and a doubt was answered.
    take_back: [({ correction }) => isCorrection(correction) && isWritten(correction), ({ correction }) => `no longer: ${describe(correction)}`],
    checked: [item => isFace(item.face) && isText(item.about, 20), item => `checked the face at ${clock(item.face.time)}`],
  }));
  const isCorrection = item => kinds.has(item?.do) && kinds.get(item.do)[0](item);
  const isWritten = item => item.do !== "take_back" && item.do !== "checked";
  const describe = item => kinds.get(item.do)[1](item);
  const whenOf = item => item.correction ? whenOf(item.correction) : item.time ?? item.from ?? (item.face ?? item.faces?.[0])?.time ?? 0;

  const faceAt = row => ({ time: micro(timeOf(row)), box: boxOf(row) });
  /** A time and box by which a correction names a track, or some of its rows: not excluded, and as near to the playhead as possible. */
  const faceOf = track => faceAt(nearestRow(track, state.time, row => isExcluded(timeOf(row))));

  function select(track) {
    state.selection = track;
    emit("selection");
  }
  /** Selects a track, and goes to a time at which it is visible. */
  function choose(track, time) {
    select(track);
    player.stop(within(time ?? track.begin, track.begin, track.end));
  }

  const panel = byId("face");
  let opener = null;
  /** Opens the panel of the selected face to the right of a place of the window, or to the left of it if there is no room. */
  function openFace(x, y, left = x) {
    opener = document.activeElement;
    panel.hidden = false;
    const { width, height } = panel.getBoundingClientRect(), away = 16;
    panel.style.left = Math.max(8, x + away + width < innerWidth - 8 ? x + away : left - away - width) + "px";
    panel.style.top = Math.max(8, Math.min(y - height / 3, innerHeight - height - 8)) + "px";
  }
  /** Selects a track, and opens its panel at what was clicked; with the keyboard, the panel gets the focus. */
  function openAt(event, track) {
    select(track);
    const box = event.currentTarget.getBoundingClientRect();
    openFace(event.detail ? event.clientX : box.right, event.detail ? event.clientY : box.top);
    if (!event.detail) byId("name").focus();
  }
  function closeFace() {
    // Lists may have been rebuilt.
    if (panel.contains(document.activeElement)) (opener?.isConnected ? opener : document.querySelector(".go.chosen, .chosen .go"))?.focus();
    panel.hidden = true;
  }
  onClick({ "close-face": closeFace, "go-best": () => choose(state.selection, state.selection.best) });

  function showSelection() {
    const { selection, model } = state;
    if (!selection) return closeFace();
    const { owner } = selection;
    byId("selected").textContent = `${owner.name}, track ${selection.id}, ${clock(selection.begin)} to ${clock(selection.end)}`;
    byId("name").value = model.names.get(owner.id) ?? "";
    byId("somebody-else").disabled = !companion(selection);
    byId("somebody-else").textContent = `Not ${owner.name}`;
    const others = state.order.filter(person => person !== owner).map(person =>
      make("button", { type: "button", className: "face", ariaLabel: `Same person as ${person.name}`, style: colorStyle(person), onclick: () => join(selection, person) },
        portrait(person, 60) ?? make("span", { className: "nopicture" }, "?"), make("bdi", {}, person.name)));
    if (byId("others").contains(document.activeElement)) byId("close-face").focus();
    byId("others").replaceChildren(...others.length ? [make("span", { className: "hint" }, "Same person as")] : [], ...others);
  }
  // Among many people, what is typed as a name finds those who have it already.
  byId("name").addEventListener("input", event => {
    const wanted = event.target.value.trim().toLowerCase(), buttons = [...byId("others").querySelectorAll("button")];
    const found = buttons.filter(button => button.textContent.toLowerCase().includes(wanted));
    for (const button of buttons) button.hidden = found.length > 0 && !found.includes(button);
  });
  function join(track, other) {
    const together = track.owner.tracks.find(a => other.tracks.some(b => sharesSample(a, b)));
    if (together) return say(`${track.owner.name} and ${other.name} are visible at the same time, so they cannot be one person. Split a track first.`);
    corrections.add({ do: "same_person", faces: [faceOf(track), faceOf(other.tracks[0])] });
  }

  const onSubmit = (id, action) => byId(id).addEventListener("submit", event => {
    event.preventDefault();
    action();
  });
  function rename(track, text) {
    const { model } = state, name = text.trim().normalize();
    if (!name) return say("Type a name first.");
    if (!isName(name)) return say("A name has no quotation marks and no control characters.");
    const namesake = [...model.people.values()].find(person => person !== track.owner && model.names.get(person.id) === name);
    if (namesake) return say(`Another person already has the name ${name}. If they are the same person, join them.`);
    if (name !== model.names.get(track.person)) corrections.add({ do: "name", face: faceOf(track), name });
  }
  onSubmit("form-name", () => rename(state.selection, byId("name").value));
  /** Puts a field in place of a name in a list, until enter or a click elsewhere keeps what was typed, or escape does not. */
  function editName(button) {
    const person = state.model.people.get(+button.closest("[data-person]").dataset.person), box = button.getBoundingClientRect();
    const list = button.closest("#people, #lane-names, #strip");
    closeFace();
    const finish = isKept => {
      if (!field.isConnected) return;
      const text = field.value;
      field.onblur = null;
      field.remove();
      button.focus();
      if (isKept && text.trim() !== person.name) rename(person.tracks[0], text);
      const row = list.querySelector(`[data-person="${person.id}"]`);
      (row?.querySelector(".go, .lane-name") ?? row)?.focus();
    };
    const field = make("input", {
      className: "in-place", value: person.name, maxLength: 100, ariaLabel: `Name of ${person.name}`, onblur: () => finish(true),
      style: `left: ${box.left}px; top: ${box.top}px; width: ${Math.max(box.width, 120)}px`,
      onkeydown: event => {
        event.stopPropagation();
        if (event.key === "Enter" || event.key === "Escape") finish(event.key === "Enter");
      },
    });
    byId("floating").append(field);
    field.select();
  }
  for (const kind of ["dblclick", "keydown"]) addEventListener(kind, event => {
    const button = event.target.closest?.("#people .go, #strip .go, .lane-name");
    if (!button || kind === "keydown" && event.key !== "F2") return;
    event.preventDefault();
    editName(button);
  });
  function sharesSample(a, b) {
    if (a.end < b.begin || b.end < a.begin) return false;
    const samples = new Set(sampleOf.subarray(a.from, a.to));
    return sampleOf.subarray(b.from, b.to).some(sample => samples.has(sample));
  }
  /** The rest of the person: their longest other track, or the longest one before or after a gap in this one. */
  function companion(track) {
    const longest = tracks => tracks.reduce((a, b) => (a && a.to - a.from >= b.to - b.from ? a : b), null);
    const other = longest(track.owner.tracks.filter(one => one !== track));
    if (other) return faceOf(other);
    const here = faceOf(track).time, gap = appearances(track).find(([from, to]) => here < timeOf(from) - sameTime || here > timeOf(to - 1) + sameTime);
    return gap ? faceOf({ from: gap[0], to: gap[1] }) : null;
  }
  byId("somebody-else").addEventListener("click", () => {
    const rest = companion(state.selection);
    if (rest) corrections.add({ do: "different_people", faces: [rest, faceOf(state.selection)] });
  });
  byId("split").addEventListener("click", () => {
    const { selection } = state;
    const row = search(selection.from, selection.to, row => timeOf(row) >= player.position - sameTime);
    if (row <= selection.from || row >= selection.to) return say("Move the playhead between two samples of the selected track first.");
    // The track is named by a sample before the split, so that it is the part that keeps its number.
    corrections.add({ do: "split", face: faceOf({ from: selection.from, to: row }), time: micro(timeOf(row)) });
  });
  byId("no-face").addEventListener("click", () => {
    corrections.add({ do: "not_a_face", face: faceOf(state.selection) });
    closeFace();
  });
  for (const end of ["from", "to"]) byId(end + "-here").addEventListener("click", () => { byId("exclude-" + end).value = clock(player.position, 6); });
  /** Reads seconds, m:ss or h:mm:ss, with a decimal point or comma; throws what is wrong with it. */
  function readTime(text) {
    const [, hours, minutes, seconds] = /^(?:(?:(\d+):(?=\d\d:))?(\d+):(?=\d\d(?!\d)))?(\d+(?:[.,]\d+)?)$/.exec(text.trim()) ?? [];
    const time = 3600 * (hours ?? 0) + 60 * (minutes ?? 0) + parseFloat(seconds?.replace(",", "."));
    if (Number.isNaN(time) || minutes !== undefined && parseFloat(seconds) >= 60 || hours !== undefined && minutes >= 60)
      throw new Error(`${text.trim() ? `“${text}” is not a time` : "A time is missing"}. Write 83.5, 1:23.5 or 0:01:23.5.`);
    if (time < data.start || time > data.end + sameTime) throw new Error(`${clock(time)} is outside the video, which ends at ${clock(data.end)}.`);
    return micro(Math.min(time, data.end));
  }
  onSubmit("form-exclude", () => {
    try {
      const [from, to] = ["exclude-from", "exclude-to"].map(id => readTime(byId(id).value));
      if (from > to) throw new Error("The range ends before it begins.");
      corrections.add({ do: "exclude", from, to });
      byId("exclude-from").value = byId("exclude-to").value = "";
    } catch (error) { say(error.message); }
  });
  onSubmit("form-note", () => {
    const text = byId("note").value.trim();
    if (!text) return say("Type a note first.");
    const { selection } = state, face = selection && !isExcluded(state.time) && rowsAt(selection, state.time) ? { face: faceOf(selection) } : {};
    corrections.add({ do: "note", time: micro(player.position), text, ...face });
    byId("note").value = "";
  });
  const undo = () => corrections.undo(), redo = () => corrections.redo();
  onClick({ undo, redo, "undo-said": undo, "redo-said": redo, save: () => corrections.save() });
  byId("open").addEventListener("change", event => {
    if (event.target.files[0]) corrections.open(event.target.files[0]);
    event.target.value = "";
  });
  const isUnsaved = () => corrections.list.length > 0 && canonical(corrections.list) !== corrections.saved;
  // Corrections in the browser are safe, but not yet in a file.
  addEventListener("beforeunload", event => { if (corrections.isAlone && isUnsaved()) event.preventDefault(); });
  function showCorrections() {
    const { applied, list } = corrections, troubles = new Map(state.model.problems.map(problem => [problem.index, problem.reason]));
    const taken = new Set(list.filter(item => item.do === "take_back").map(item => canonical(item.correction)));
    byId("correction-state").textContent =
      (applied.length ? `${applied.length} in the tables. ` : "")
      + (list.length ? `${list.length} new${isUnsaved() ? ", not saved to a file" : ", saved"}.` : "No new corrections.");
    const line = (item, trouble, text, label, action) => make("li", {},
      make("button", { type: "button", className: "go", onclick: () => player.stop(whenOf(item)) },
        make("bdi", {}, describe(item)), trouble ? make("span", { className: "warning inline" }, trouble) : null),
      make("button", { type: "button", className: "small", ariaLabel: label, onclick: action }, text));
    byId("applied").replaceChildren(...applied.filter(item => !taken.has(canonical(item))).map(item =>
      line(item, null, "Take back", `Take back: ${describe(item)}`, () => corrections.add({ do: "take_back", correction: item }))));
    byId("corrections").replaceChildren(...list.map((item, index) =>
      line(item, troubles.get(index), item.do === "take_back" ? "Keep" : "×", `Remove: ${describe(item)}`, () => corrections.remove(item))));
    byId("applied-part").hidden = !applied.length;
    byId("taken").hidden = !taken.size;
    for (const [id, steps] of Object.entries({ undo: corrections.done, redo: corrections.undone }))
      byId(id).disabled = byId(id + "-said").disabled = !steps.length;
    byId("save").disabled = !applied.length && !list.length;
  }
  on("model selection", showSelection);
  on("model", showCorrections);
