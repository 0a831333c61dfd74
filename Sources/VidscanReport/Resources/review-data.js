  // The data of the page, and what corrections make of it.
  const byId = id => document.getElementById(id);
  const make = (name, attributes, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {}))
      if (key in node && key !== "style" && key !== "list") node[key] = value; else node.setAttribute(key, value);
    node.append(...children.filter(child => child !== null && child !== undefined));
    return node;
  };
  const clock = (seconds, decimals = 2) => {
    const sign = seconds < 0 ? "-" : "", unit = 10 ** decimals, all = Math.round(Math.abs(seconds) * unit);
    const whole = Math.floor(all / unit), hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
    const fraction = decimals ? "." + String(all % unit).padStart(decimals, "0") : "";
    return sign + (hours ? hours + ":" + String(minutes).padStart(2, "0") : minutes) + ":" + String(whole % 60).padStart(2, "0") + fraction;
  };
  const words = name => name.replaceAll("_", " ");
  const say = text => { byId("said").textContent = text; };
  /** The first index from `low` to `high` at which `test` holds; `high` if there is none. */
  const search = (low, high, test) => {
    while (low < high) {
      const middle = (low + high) >> 1;
      if (test(middle)) high = middle; else low = middle + 1;
    }
    return low;
  };

  const data = JSON.parse(byId("data").textContent);
  /** Times in the tables are whole microseconds; two frames are further apart than this. */
  const sameTime = 0.0005;
  /** The presentation time of each sample in seconds, and the columns of the rows by name. */
  let times = new Float64Array(0), columns = new Map(), sampleOf = new Uint32Array(0);
  const cutTimes = data.cuts.map(cut => cut.time);
  const cutBetween = (from, to) => {
    const index = search(0, cutTimes.length, i => cutTimes[i] > from + sameTime);
    return index < cutTimes.length && cutTimes[index] <= to + sameTime;
  };

  /** Undoes the packing of a column: bytes by significance, differences, their sign in the lowest bit. */
  function unpackColumn(bytes, start, count, width) {
    const values = new ({ 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array })[width](count);
    let previous = 0;
    if (width === 8) {
      for (let i = 0; i < count; i++) {
        let folded = 0;
        for (let byte = 7; byte >= 0; byte--) folded = folded * 256 + bytes[start + byte * count + i];
        previous += folded % 2 ? -(folded + 1) / 2 : folded / 2;
        values[i] = previous;
      }
      return values;
    }
    for (let i = 0; i < count; i++) {
      let folded = 0;
      for (let byte = 0; byte < width; byte++) folded |= bytes[start + byte * count + i] << 8 * byte;
      // The typed array keeps the lowest bits.
      values[i] = previous += (folded >>> 1) ^ -(folded & 1);
      previous = values[i];
    }
    return values;
  }

  async function unpack() {
    const text = atob(byId("rows").textContent.trim()), packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    byId("rows").remove();
    let start = 0;
    for (const column of data.columns) {
      const count = column.name === "time" ? data.samples : data.rows;
      const codes = unpackColumn(bytes, start, count, column.width);
      start += count * column.width;
      if (column.name === "time") times = codes.map(microseconds => microseconds / 1e6);
      else if (column.name === "sample") sampleOf = codes;
      else columns.set(column.name, { codes, low: column.quantization.low, step: column.quantization.step });
    }
  }

  const timeOf = row => times[sampleOf[row]];
  const number = (column, row) => {
    const code = column.codes[row];
    return code === 0 ? NaN : column.low + (code - 1) * column.step;
  };
  const boxOf = row => ["x", "y", "width", "height"].map(name => number(columns.get(name), row));
  const overlap = (a, b) => {
    const width = Math.min(a[0] + a[2], b[0] + b[2]) - Math.max(a[0], b[0]);
    const height = Math.min(a[1] + a[3], b[1] + b[3]) - Math.max(a[1], b[1]);
    if (width <= 0 || height <= 0) return 0;
    return width * height / (a[2] * a[3] + b[2] * b[3] - width * height);
  };

  // MARK: Corrections

  /** The tracks as the tables have them. A person without a number is one of their own. */
  const originalTracks = () => data.tracks.map((track, index) => ({
    ...track, from: track.row, to: track.row + track.rows, base: index, person: track.person ?? -track.id, isSplit: false,
  }));

  /** The track that a correction names by a time and a box, as `vidscan apply` finds it; or why there is none. */
  function findTrack(tracks, face) {
    const reach = Math.max(0.5, 1.5 * data.interval * data.stride), found = [];
    for (const track of tracks) {
      const after = search(track.from, track.to, row => timeOf(row) >= face.time);
      const row = [after - 1, after].filter(row => row >= track.from && row < track.to)
        .sort((a, b) => Math.abs(timeOf(a) - face.time) - Math.abs(timeOf(b) - face.time))[0];
      if (row === undefined) continue;
      const away = Math.abs(timeOf(row) - face.time), share = overlap(boxOf(row), face.box);
      if (away <= reach && share >= 0.3) found.push({ track, away, share });
    }
    const best = Math.max(...found.map(match => match.share));
    // Of tracks that overlap equally, the one that is nearer in time.
    return found.filter(match => match.share > best - 0.05).sort((a, b) => a.away - b.away || b.share - a.share)[0]?.track ?? null;
  }

  /** What the tables look like after corrections: tracks, names of people, excluded ranges, notes, and problems. */
  function correct(list) {
    const model = { tracks: originalTracks(), names: new Map(), excluded: [...data.excluded], notes: data.corrections.filter(item => item.do === "note"), problems: [], all: [] };
    for (const name of Object.entries(data.names)) model.names.set(+name[0], name[1]);
    let nextTrack = Math.max(0, ...data.tracks.map(track => track.id)) + 1;
    let nextPerson = Math.max(0, ...data.tracks.map(track => track.person ?? 0)) + 1;
    list.forEach((item, index) => {
      const need = face => {
        const track = findTrack(model.tracks, face);
        if (!track) model.problems.push({ index, reason: `no face is there at ${clock(face.time)}` });
        return track;
      };
      if (item.do === "same_person") {
        const found = item.faces.map(need);
        if (found.includes(null)) return;
        const ids = found.map(track => track.person), id = Math.min(...ids.filter(id => id > 0), ...(ids.every(id => id < 0) ? ids : []));
        const name = ids.map(person => model.names.get(person)).find(name => name !== undefined);
        for (const track of model.tracks) if (ids.includes(track.person)) track.person = id;
        if (name !== undefined) model.names.set(id, name);
      } else if (item.do === "split") {
        const track = need(item.face);
        if (!track) return;
        const row = search(track.from, track.to, row => timeOf(row) >= item.time - sameTime);
        if (row <= track.from || row >= track.to) {
          model.problems.push({ index, reason: `the track has no samples before or after ${clock(item.time)}` });
          return;
        }
        model.tracks.push({ ...track, id: nextTrack++, person: nextPerson++, from: row, isSplit: true, personConfidence: null, rest: track.rest });
        track.to = row;
        track.isSplit = true;
      } else if (item.do === "name") {
        const track = need(item.face);
        if (track) model.names.set(track.person, item.name);
      } else if (item.do === "not_a_face") {
        const track = need(item.face);
        if (track) model.tracks.splice(model.tracks.indexOf(track), 1);
      } else if (item.do === "exclude") {
        model.excluded.push([item.from, item.to]);
      } else if (item.do === "note") {
        model.notes.push(item);
      }
    });
    // The colours follow the order in which people appear.
    const people = new Map();
    for (const track of [...model.tracks].sort((a, b) => timeOf(a.from) - timeOf(b.from) || a.id - b.id)) {
      if (!people.has(track.person)) people.set(track.person, { id: track.person, tracks: [], color: people.size % 8, seconds: 0 });
      const person = people.get(track.person);
      person.tracks.push(track);
      person.seconds += (track.to - track.from) * data.interval * data.stride;
      track.owner = person;
      track.begin = timeOf(track.from);
      track.end = timeOf(track.to - 1);
    }
    for (const person of people.values())
      person.name = model.names.get(person.id) ?? (person.id > 0 ? `Person ${person.id}` : `Face ${-person.id}`);
    model.people = people;
    return model;
  }

  const isExcluded = (model, time) => model.excluded.some(([from, to]) => time >= from - sameTime && time <= to + sameTime);
