  /** The row of a track that is nearest to a time, without those left out if there are others; of two, the earlier one. */
  function nearestRow(track, time, isLeftOut = () => false) {
    let after = search(track.from, track.to - 1, row => timeOf(row) >= time), before = Math.max(after - 1, track.from);
    while (isLeftOut(after) && after < track.to - 1) after++;
    while (isLeftOut(before) && before > track.from) before--;
    return !isLeftOut(after) && (isLeftOut(before) || timeOf(after) - time < time - timeOf(before)) ? after : before;
  }
  /** The track that a correction names by a time and a box, as `vidscan apply` finds it; `null` if there is none. */
  function findTrack(tracks, face) {
    const reach = Math.max(0.5, 1.5 * data.interval * data.stride), found = [];
    for (const track of tracks) {
      const row = nearestRow(track, face.time);
      const away = Math.abs(timeOf(row) - face.time), fraction = overlap(boxOf(row), face.box);
      if (away <= reach && fraction >= 0.3) found.push({ track, away, fraction });
    }
    const best = Math.max(...found.map(match => match.fraction));
    // Of tracks that overlap equally, the one that is nearer in time.
    return found.filter(match => match.fraction > best - 0.05).sort((a, b) => a.away - b.away || b.fraction - a.fraction)[0]?.track ?? null;
  }

  const isLongAfter = row => timeOf(row) - timeOf(row - 1) > 1.5 * data.interval * data.stride;
  /** The rows of a track between its gaps, as `vidscan apply` finds them: pairs of the first row and the one after the last. */
  function appearances(track, isAfterGap = isLongAfter) {
    const ranges = [[track.from, track.to]];
    for (let row = track.from + 1; row < track.to; row++) {
      if (!isAfterGap(row)) continue;
      ranges[ranges.length - 1][1] = row;
      ranges.push([row, track.to]);
    }
    return ranges;
  }

  const isInside = (ranges, time) => ranges.some(([from, to]) => time >= from - sameTime && time <= to + sameTime);
  /** Corrections that cannot be made where their faces are not found. */
  const namesTracks = new Set(["same_person", "different_people", "split", "name", "not_a_face"]);
  /** What the tables look like after corrections: tracks, names of people, excluded ranges, notes, and problems. */
  function correct(list) {
    const model = {
      // A person without a number is one of their own.
      tracks: data.tracks.map((track, base) => ({ ...track, from: track.row, to: track.row + track.rows, base, person: track.person ?? -track.id, isSplit: false })),
      names: new Map(Object.entries(data.names).map(([id, name]) => [+id, name.normalize()])),
      excluded: [...data.excluded], notes: data.corrections.filter(item => item.do === "note"), problems: [],
    };
    let [nextTrack, nextPerson] = ["id", "person"].map((key, index) => data.next?.[index] ?? Math.max(0, ...data.tracks.map(track => track[key] ?? 0)) + 1);
    list.forEach((item, index) => {
      const fail = reason => model.problems.push({ index, reason });
      const faces = namesTracks.has(item.do) ? item.faces ?? [item.face] : [];
      const found = faces.map(face => findTrack(model.tracks, face));
      for (const [i, { time }] of faces.entries()) if (!found[i]) fail(`no face is there at ${clock(time)}`);
      if (found.includes(null)) return;
      if (faces.some(({ time }) => isInside(model.excluded, time))) return fail("this time is excluded");
      const [track, other] = found;
      const splitAt = (track, row) => {
        model.tracks.push({ ...track, id: nextTrack++, person: nextPerson++, from: row, isSplit: true, personConfidence: null });
        track.to = row;
        track.isSplit = true;
      };
      if (item.do === "same_person") {
        const ids = found.map(track => track.person), id = Math.min(...ids.filter(id => id > 0), ...(ids.every(id => id < 0) ? ids : []));
        const name = ids.map(person => model.names.get(person)).find(name => name !== undefined);
        for (const track of found) track.personConfidence = 1;
        for (const track of model.tracks) if (ids.includes(track.person)) track.person = id;
        if (name !== undefined) model.names.set(id, name);
      } else if (item.do === "different_people") {
        track.personConfidence = other.personConfidence = 1;
        if (track !== other) {
          if (track.person === other.person) other.person = nextPerson++;
          return;
        }
        const [first, last] = faces.map(face => face.time).sort((a, b) => a - b);
        const gap = appearances(track).slice(1).filter(([from]) => first < timeOf(from) && timeOf(from) <= last + data.interval * data.stride).pop();
        if (gap) splitAt(track, gap[0]); else fail("the face is seen without a break between the two times");
      } else if (item.do === "split") {
        const row = search(track.from, track.to, row => timeOf(row) >= item.time - sameTime);
        if (row > track.from && row < track.to) splitAt(track, row);
        else fail(`the track has no samples before or after ${clock(item.time)}`);
      } else if (item.do === "name") {
        model.names.set(track.person, item.name.normalize());
      } else if (item.do === "not_a_face") {
        model.tracks.splice(model.tracks.indexOf(track), 1);
      } else if (item.do === "exclude") {
        model.excluded.push([item.from, item.to]);
      } else if (item.do === "note") {
        model.notes.push(item);
      }
    });
    const excluded = model.excluded.slice(data.excluded.length), people = new Map();
    for (const track of [...model.tracks].sort((a, b) => timeOf(a.from) - timeOf(b.from) || a.id - b.id)) {
      const id = track.person, color = (Math.abs(id) - 1) % 8;
      const person = entry(people, id, () => ({ id, tracks: [], color, seconds: 0, episodes: new Map() }));
      person.tracks.push(track);
      let count = track.to - track.from;
      if (excluded.length) for (let row = track.from; row < track.to; row++) if (isInside(excluded, timeOf(row))) count--;
      person.seconds += count * data.interval * data.stride;
      Object.assign(track, { owner: person, begin: timeOf(track.from), end: timeOf(track.to - 1) });
    }
    for (const person of people.values()) {
      person.name = model.names.get(person.id) ?? (person.id > 0 ? `Person ${person.id}` : `Face ${-person.id}`);
      // Of several tracks, the emotion of the longest.
      person.mood = person.tracks.reduce((a, b) => b.to - b.from > a.to - a.from ? b : a).mood;
    }
    model.people = people;
    return model;
  }

  const isExcluded = time => isInside(state.model.excluded, time);
  const facesAt = time => state.model.tracks.flatMap(track => {
    const rows = rowsAt(track, time);
    return rows ? [{ track, rows, box: sides.map(name => valueAt(name, rows)) }] : [];
  });
  const portrait = (person, size) => {
    const src = person.tracks.map(track => data.pictures[track.id] ?? (track.isSplit ? undefined : data.pictures[data.tracks[track.base].id])).find(Boolean);
    return src ? make("img", { src, alt: "", width: size, height: size }) : null;
  };
  /** Finds the track that has a face_id of the tables at a time, after corrections. */
  function ownerFinder() {
    const halves = new Map();
    for (const track of state.model.tracks) entry(halves, data.tracks[track.base].id, () => []).push(track);
    return (id, time) => {
      const found = halves.get(id) ?? [];
      return found.find(track => time <= track.end + sameTime && time >= track.begin - sameTime) ?? found[0];
    };
  }
