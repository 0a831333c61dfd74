  const tabs = ["people", "events", "check", "correct"];
  function openTab(name) {
    for (const tab of tabs) {
      const button = byId("tab-" + tab);
      button.setAttribute("aria-selected", tab === name);
      button.tabIndex = tab === name ? 0 : -1;
      byId("panel-" + tab).hidden = tab !== name;
    }
    eventList.draw();
    showValues();
    review.go();
  }
  tabs.forEach((tab, index) => {
    byId("tab-" + tab).addEventListener("click", () => openTab(tab));
    onKeys(byId("tab-" + tab), { ArrowRight: 1, ArrowLeft: -1 }, turn => {
      const next = tabs.at((index + turn) % tabs.length);
      openTab(next);
      byId("tab-" + next).focus();
    });
  });

  function showPeople() {
    const wanted = byId("person-search").value.trim().toLowerCase();
    const change = (person, isShown) => {
      state.shownPeople[isShown ? "add" : "delete"](person.id);
      redraw();
    };
    const list = state.order.filter(person => person.name.toLowerCase().includes(wanted)).map(person =>
      make("li", { "data-person": person.id, style: colorStyle(person) },
        make("input", { type: "checkbox", checked: state.shownPeople.has(person.id), ariaLabel: `Show the curve of ${person.name}`, onchange: event => change(person, event.target.checked) }),
        make("button", { type: "button", className: "go", ariaLabel: `${person.name}: name and correct`, onclick: event => openAt(event, person.tracks[0]) },
          portrait(person, 44) ?? make("span", { className: "nopicture" }),
          make("span", {}, make("bdi", { className: "name" }, person.name),
            make("span", { className: "detail" }, strip(person))),
          make("span", { className: "value" })),
        make("button", { type: "button", className: "small", ariaLabel: `Go to ${person.name}`, title: "Go to the clearest picture", onclick: () => choose(person.tracks[0], person.tracks[0].best) }, "→")));
    if (!list.length) list.push(make("li", { className: "empty" }, state.order.length ? "Nobody has this name." : "No face was found."));
    byId("people").replaceChildren(...list);
    markChosen();
  }
  const markChosen = () => document.querySelectorAll("[data-person]").forEach(node =>
    node.classList.toggle("chosen", +node.dataset.person === state.selection?.person));
  /** How often an episode is seen to begin while it is measured; nothing below 10 s, or if it may not be measured, like blinks at low rates. */
  function rate(person, kind) {
    const episodes = person.episodes.get(kind) ?? [], names = kind === "blink" ? ["left_eye_openness", "right_eye_openness"] : [kind];
    const fraction = Math.max(0, ...metrics.filter(({ name }) => names.includes(name)).map(metric => measured(person, metric).fraction));
    const seconds = person.seconds * (fraction || (episodes.length ? 1 : 0)), isSought = kind === "smile" || data.episodes.kinds.includes(kind);
    const onsets = episodes.filter(([, , isBeginOpen]) => !isBeginOpen).length;
    return isSought && seconds >= 10 ? `${(60 * onsets / seconds).toFixed(1)} ${kind}s/min` : "";
  }
  /** A person in one line: how long, how often, and how much of it could be measured. */
  const strip = person => [
    `${person.seconds.toFixed(1)} s${person.tracks.length > 1 ? ` in ${person.tracks.length} tracks` : ""}`,
    rate(person, "smile"), rate(person, "blink"), person.mood,
    `${words(state.metric.name)} measured in ${percent(measured(person, state.metric).fraction)}`,
  ].filter(Boolean).join(" · ");
  /** What quality.csv says of a person; nothing where corrections have changed who is who since. */
  function qualityOf(person) {
    const bases = data.tracks.filter(track => track.person === person.id).length, isComplete = state.model.excluded.length === data.excluded.length;
    const isWhole = bases === person.tracks.length && person.tracks.every(track => !track.isSplit && data.tracks[track.base].person === person.id);
    return isWhole && isComplete ? data.quality.find(row => row.person === person.id) : undefined;
  }
  /** Those of the people in the strip above everything, which are visible for longest. */
  const longestPeople = 24;
  /** What the run was worth, at the top of the page: who, how long, how often, how much was measured, and why not more. */
  function showStrip() {
    byId("strip").replaceChildren(...state.order.slice(0, longestPeople).map(person => {
      const quality = qualityOf(person), seconds = quality?.seconds ?? person.seconds;
      const speech = (person.episodes.get("speaks") ?? []).reduce((sum, [from, to]) => sum + to - from, 0);
      return make("button", { type: "button", className: "go", style: colorStyle(person), "data-person": person.id, onclick: event => openAt(event, person.tracks[0]) },
        portrait(person, 32),
        make("span", {}, make("bdi", { className: "name" }, person.name), make("span", { className: "detail" },
          [`${clock(seconds, 0)} visible`, rate(person, "smile"), rate(person, "blink"), voice && (hasSpeech(person) ? `speaks ${percent(speech / seconds)}` : "speaking unknown")].filter(Boolean).join(" · ")),
        quality && make("span", { className: quality.isWeak ? "warning inline" : "detail" }, quality.text)));
    }), state.order.length > longestPeople ? make("span", { className: "hint" }, `and ${state.order.length - longestPeople} more`) : "");
  }
  byId("person-search").addEventListener("input", () => { showPeople(); showValues(); placeLanes(); redraw(); });
  const showOnly = people => {
    state.shownPeople = new Set(people.map(person => person.id));
    showPeople();
    showValues();
    redraw();
  };
  const unnamed = () => state.order.find(person => !state.model.names.has(person.id));
  const showSelected = () => {
    if (state.selection) showOnly([state.selection.owner]); else say("Select somebody first: click a face or a name.");
  };
  const begin = event => { if (review.doubt) openTab("check"); else openAt(event, unnamed().tracks[0]); };
  onClick({ begin, "curves-all": () => showOnly(state.order), "curves-selected": showSelected });
  const formatted = (value, { low, high, unit }) => (high - low <= 2 ? value.toFixed(2) : Math.round(value)) + (unit === "degrees" ? "°" : "");
  /** Shows the metric of each person at the playhead. */
  function showValues() {
    if (byId("panel-people").hidden) return;
    const { name } = state.metric, column = columns.get(name), values = new Map();
    for (const { track, rows } of facesAt(state.time)) {
      const value = number(column, rows.fraction < 0.5 ? rows.a : rows.b);
      if (!Number.isNaN(value)) values.set(track.person, value);
    }
    for (const row of byId("people").children) {
      const output = row.querySelector(".value");
      if (!output) continue;
      const value = values.get(+row.dataset.person), text = value === undefined ? "" : `${words(name)} ${formatted(value, state.metric)}`;
      if (output.textContent !== text) output.textContent = text;
    }
  }

  /** A list of thousands of events, of which only those in view are in the document. */
  const eventList = {
    rows: [], height: 30, box: byId("events"), inner: make("div", { className: "inner" }),
    start() {
      this.box.append(this.inner);
      this.box.addEventListener("scroll", () => this.draw());
      onKeys(this.inner, { ArrowDown: 1, ArrowUp: -1 }, (turn, { dataset }) => this.focus(+dataset.index + turn));
      for (const kind of data.events.kinds) byId("event-kind").append(new Option(words(kind), kind));
      for (const id of ["event-kind", "event-person"]) byId(id).addEventListener("change", () => this.filter());
    },
    fill() {
      const ownerOf = ownerFinder(), { kinds, time, kind, face, value, measured } = data.events;
      this.all = time.map((time, i) => {
        const track = face[i] === null ? null : ownerOf(face[i], time);
        return { time, kind: kinds[kind[i]], track, value: value[i], measured: measured[i] };
      }).filter(event => event.track !== undefined && !isExcluded(event.time));
      for (const note of state.model.notes) this.all.push({ time: note.time, kind: "note", track: null, value: note.text, measured: null });
      this.all.sort((a, b) => a.time - b.time);
      const chosen = byId("event-person").value;
      byId("event-person").replaceChildren(new Option("all", ""), ...state.order.map(person => new Option(person.name, person.id)));
      byId("event-person").value = state.model.people.has(+chosen) ? chosen : "";
      this.filter();
    },
    filter() {
      const kind = byId("event-kind").value, person = byId("event-person").value;
      this.rows = this.all.filter(event => (!kind || event.kind === kind) && (!person || event.track?.person === +person));
      const left = data.events.count - data.events.time.length;
      byId("event-count").textContent = `${this.rows.length}` + (left > 0 ? `; ${left} later ones are only in events.csv` : "");
      this.draw();
      emit("events");
    },
    draw() {
      if (byId("panel-events").hidden) return;
      this.inner.style.height = Math.max(1, this.rows.length * this.height) + "px";
      const first = Math.max(0, Math.floor(this.box.scrollTop / this.height) - 4);
      const last = Math.min(this.rows.length, first + Math.ceil(this.box.clientHeight / this.height) + 8);
      const focused = this.inner.contains(document.activeElement) ? +document.activeElement.dataset.index : -1;
      this.inner.replaceChildren(...this.rows.slice(first, last).map((event, i) =>
        make("button", {
          type: "button", className: "event", "data-index": first + i,
          onclick: () => { this.show(event); writeAddress(origin ? `&from=${origin}` : ""); },
          style: `top: ${(first + i) * this.height}px; ${event.track ? colorStyle(event.track.owner) : ""}`,
        },
        make("span", { className: "when" }, clock(event.time)), make("span", {}, words(event.kind)),
        make("bdi", { className: "who" }, event.track?.owner.name ?? ""),
        make("bdi", { className: "what", title: event.value }, [event.value, event.measured === null ? "" : `${event.measured} % measured`].filter(Boolean).join(", ")))));
      if (focused >= first && focused < last) this.inner.children[focused - first].focus({ preventScroll: true });
    },
    focus(index) {
      if (index < 0 || index >= this.rows.length) return;
      const top = index * this.height;
      this.box.scrollTop = Math.max(Math.min(this.box.scrollTop, top), top + this.height - this.box.clientHeight);
      this.draw();
      this.inner.querySelector(`[data-index="${index}"]`)?.focus({ preventScroll: true });
    },
    show(event) {
      if (event.track) select(event.track);
      player.stop(event.time);
    },
    jump(direction) {
      const event = this.rows[neighbor(this.rows.length, i => this.rows[i].time, player.position, direction)];
      if (!event) return;
      this.show(event);
      say(`${words(event.kind)} ${event.track?.owner.name ?? ""} at ${clock(event.time)}`);
    },
  };

  /** Those who are never visible together with a track, and so may be the same person. */
  const rivals = track => state.order.filter(person => person !== track.owner && !person.tracks.some(other => sharesSample(track, other)));
  /** Decisions of the analysis that may be wrong, who is who and what is a face: one at a time, the least certain first. */
  const review = {
    skipped: new Set(), total: 0, doubt: null,

    find() {
      const { tracks, people } = state.model, keyOf = (track, about) => `${about} ${track?.id}`;
      const checked = new Set(corrections.list.filter(item => item.do === "checked")
        .map(item => keyOf(findTrack(tracks, item.face), item.about)));
      const doubt = (track, about, score) => ({ track, about, score, key: keyOf(track, about) });
      const who = tracks.filter(track => (track.personConfidence ?? 1) < 0.9 && people.size > 1 && (companion(track) || rivals(track).length));
      return [
        ...who.map(track => doubt(track, "person", track.personConfidence)),
        ...tracks.filter(track => track.certainty < 0.75).map(track => doubt(track, "face", track.certainty)),
      ].filter(doubt => !checked.has(doubt.key)).sort((a, b) =>
        this.skipped.has(a.key) - this.skipped.has(b.key) || a.score - b.score || a.track.begin - b.track.begin);
    },
    show() {
      const doubts = this.find();
      this.total = Math.max(this.total, doubts.length);
      this.doubt = doubts[0] ?? null;
      byId("begin").hidden = !doubts.length && !unnamed();
      byId("begin").textContent = doubts.length ? `Begin here: check ${doubts.length} doubtful ${doubts.length === 1 ? "decision" : "decisions"}` : `Begin here: name ${unnamed()?.name}`;
      byId("tab-check").textContent = doubts.length ? `Check (${doubts.length})` : "Check";
      const answered = this.total - doubts.length, progress = `${answered} of ${this.total} answered`;
      if (!this.doubt) return byId("doubt").replaceChildren(make("p", { className: "empty" }, this.total ? `Done: ${progress}.` : "Nothing left to check."));
      const { track, about, score } = this.doubt, { owner } = track, isFace = about === "face", name = make("bdi", {}, owner.name);
      // A person who is nowhere else can only be compared with the others.
      const [question, compared] = isFace ? [["Is this a face?"], []]
        : companion(track) ? [["Is this ", name, "?"], owner.tracks.filter(other => other !== track).map(other => [other, `at ${clock(other.begin)}`])]
          : [["Is ", name, " different from these people?"], rivals(track).map(person => [person.tracks[0], person.name])];
      const button = (answer, text) => make("button", { type: "button", onclick: () => this.answer(answer) }, text);
      const picture = (track, text) => make("figure", {}, data.pictures[track.id] ? make("img", { src: data.pictures[track.id], alt: text }) : make("span", { className: "nopicture" }, "in the video"), make("figcaption", {}, text));
      byId("doubt").replaceChildren(
        make("p", { className: "question" }, ...question, make("span", { className: "hint" }, ` ${percent(score)} certain`)),
        make("div", { className: "row" }, button("yes", "Yes (Y)"), button("no", "No (N)"), button("skip", "Later (S)"),
          isFace ? null : make("button", { type: "button", onclick: event => openAt(event, track) }, "Somebody else …")),
        make("div", { className: "compared", style: colorStyle(owner) }, picture(track, `${clock(track.begin)} to ${clock(track.end)}`),
          ...compared.slice(0, 3).map(other => picture(...other))),
        make("p", {}, make("progress", { max: this.total, value: answered }), make("span", { className: "hint" }, " " + progress)));
    },
    go() { if (this.doubt && !byId("panel-check").hidden) choose(this.doubt.track, this.doubt.track.best); },
    answer(answer) {
      if (!this.doubt || byId("panel-check").hidden) return;
      const { track, about, key } = this.doubt, face = faceOf(track), rest = about === "person" && companion(track);
      if (answer === "skip") {
        this.skipped.add(key);
        this.show();
        this.go();
      } else if (about === "face" && answer === "no") corrections.add({ do: "not_a_face", face });
      else if (rest && answer === "no") corrections.add({ do: "different_people", faces: [rest, face] });
      else if (rest && track.owner.tracks.length > 1) corrections.add({ do: "same_person", faces: [rest, face] });
      else if (about === "person" && answer === "no") {
        openAt({ currentTarget: byId("doubt") }, track);
        say("Click the right person.");
      }
      else corrections.add({ do: "checked", about, face });
    },
  };

  on("model", () => eventList.fill());
  on("model metric", showPeople);
  on("model", showStrip);
  on("model time metric", showValues);
  on("model", () => {
    const { key } = review.doubt ?? {};
    review.show();
    // The next question, or after undo the one before.
    if (review.doubt?.key !== key) review.go();
  });
  on("layout", () => eventList.draw());
