  // What the modules share: the data of the page, one state, and the messages that tell the others of a change.
  const data = JSON.parse(byId("data").textContent), { metrics } = data;

  const state = {
    /** What corrections make of the tables: see `correct`. */
    model: null,
    /** The presentation time of the picture that is shown, or of the playhead on a page without the player. */
    time: 0,
    /** The track to which corrections apply. */
    selection: null,
    /** The part of the timeline in view, in seconds. */
    view: [data.start, data.end],
    /** The people in the order of their lanes, and the person_ids of those whose curves are drawn. */
    order: [], lanes: [], shownPeople: new Set(),
    /** The kinds of episodes that have a row in each lane. */
    rows: [],
    /** The metrics whose curves are drawn, one above the other. The first is the one in the list of people. */
    stack: [metrics.find(metric => metric.name === "smile") ?? metrics[0]],
    get metric() { return this.stack[0]; },
  };

  // Messages: "time" with that of another picture that is shown, "moving" with a time that is on the way, "playing", "model",
  // "selection", "view", "metric", "layout" when sizes or colours have changed. Modules hear of them in their order in the page.
  const listeners = {};
  const on = (names, listener) => names.split(" ").forEach(name => (listeners[name] ??= []).push(listener));
  const emit = (name, value) => listeners[name]?.forEach(listener => listener(value));

  /** Shows what is wrong with the page or its video; nothing if the text is empty. */
  function showTrouble(text) {
    byId("trouble").hidden = !text;
    byId("trouble").textContent = text;
  }

  /** Shows a message for some seconds, and reads it aloud; after a change of the corrections, with the way back. */
  function say(text, isChange = false) {
    byId("said").textContent = text;
    byId("undo-said").hidden = byId("redo-said").hidden = !isChange;
    byId("toast").classList.remove("gone");
    clearTimeout(say.timer);
    say.timer = setTimeout(() => byId("toast").classList.add("gone"), isChange ? 8000 : 5000);
  }

  /** What a map has for a key; what `find` returns if it has nothing yet. */
  const entry = (map, key, find) => map.get(key) ?? map.set(key, find()).get(key);

  /** Sizes a canvas to its place on the page, and returns its context in CSS pixels. */
  function fit(canvas, width, height) {
    const density = devicePixelRatio || 1;
    const size = { width: Math.round(width * density), height: Math.round(height * density) };
    if (canvas.width !== size.width || canvas.height !== size.height) {
      Object.assign(canvas, size);
      Object.assign(canvas.style, { width: width + "px", height: height + "px" });
    }
    const context = canvas.getContext("2d");
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
  }

  /** Until `restore`, nothing is drawn outside a rectangle. */
  function clip(context, ...rectangle) {
    context.save();
    context.beginPath();
    context.rect(...rectangle);
    context.clip();
  }
  function drawLine(context, x, y, toX, toY) {
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(toX, toY);
    context.stroke();
  }

  /** The colours of the theme: by number those of people, by name the others. */
  let paint = [];
  const colorStyle = person => `--face: var(--c${person.color})`;

  function readColors() {
    const style = getComputedStyle(document.documentElement), value = name => style.getPropertyValue("--" + name).trim();
    paint = Array.from({ length: 8 }, (_, index) => value("c" + index));
    for (const name of ["text", "soft", "line", "card", "accent"]) paint[name] = value(name);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColors(); emit("layout"); });

  const resultPath = () => pathOf(data.result, "RESULT");
