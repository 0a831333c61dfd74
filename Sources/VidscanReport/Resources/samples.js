  /** Times in the tables are whole microseconds; two frames are further apart than this. */
  const sameTime = 0.0005;
  const micro = value => Math.round(value * 1e6) / 1e6;
  /** The presentation time of each sample in seconds, and the columns of the rows by name. */
  let times = new Float64Array(0), columns = new Map(), sampleOf = new Uint32Array(0);
  /** The index of each sample's picture among all pictures of the video. */
  let frameOf = new Uint32Array(0);
  /** By sample, how likely somebody speaks, as in a column; `null` without sound. */
  let voice = null;
  const cutTimes = data.cuts.map(cut => cut.time);
  const cutBetween = (from, to) => {
    const index = search(0, cutTimes.length, i => cutTimes[i] > from + sameTime);
    return index < cutTimes.length && cutTimes[index] <= to + sameTime || data.excluded.some(([start]) => start > from && start <= to);
  };

  /** Undoes the packing of a column: bytes by significance, differences, their sign in the lowest bit. */
  function unpackColumn(bytes, start, count, width) {
    const values = new ({ 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array })[width](count);
    let previous = 0;
    for (let i = 0; i < count; i++) {
      let folded = 0;
      for (let byte = width - 1; byte >= 0; byte--) folded = folded * 256 + bytes[start + byte * count + i];
      // A typed array of whole numbers keeps the lowest bits.
      values[i] = previous + (folded % 2 ? -(folded + 1) / 2 : folded / 2);
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
    for (const { name, same, width, quantization } of data.columns) {
      const count = ["time", "frame", "voice"].includes(name) ? data.samples : data.rows;
      const codes = same ? columns.get(same).codes : unpackColumn(bytes, start, count, width);
      columns.set(name, { ...quantization, codes });
      if (!same) start += count * width;
    }
    times = columns.get("time").codes.map(microseconds => microseconds / 1e6);
    [frameOf, sampleOf] = ["frame", "sample"].map(name => columns.get(name).codes);
    voice = columns.get("voice") ?? null;
    // The events and the episodes.
    Object.assign(data, JSON.parse(new TextDecoder().decode(bytes.subarray(start))));
  }

  const timeOf = row => times[sampleOf[row]];
  /** The index of the next of `count` ascending times after a position, or of the last one before it. */
  const neighbor = (count, timeAt, position, direction) => direction > 0
    ? search(0, count, i => timeAt(i) > position + sameTime) : search(0, count, i => timeAt(i) >= position - sameTime) - 1;
  const number = (column, row) => {
    const code = column.codes[row];
    return code === 0 ? NaN : column.low + (code - 1) * column.step;
  };
  /** The sample from which the pictures around it are counted, and the time from one of them to the next. */
  function framesFrom(index) {
    const last = times.length - 1, from = within(index, 0, Math.max(0, last - 1)), to = from < last ? from + 1 : from;
    const spacing = (times[to] - times[from]) / (frameOf[to] - frameOf[from]);
    return { time: times[from] ?? 0, frame: frameOf[from] ?? 0, spacing: spacing > 0 ? spacing : Math.max(data.interval, 0.04) };
  }
  /** When a picture is shown. Between two samples, pictures follow each other evenly. */
  function frameTime(frame) {
    const { time, frame: first, spacing } = framesFrom(search(0, times.length, i => frameOf[i] > frame) - 1);
    return time + (frame - first) * spacing;
  }
  /** The picture that is shown at a time. */
  function frameAt(time) {
    const { time: first, frame, spacing } = framesFrom(search(0, times.length, i => times[i] > time + sameTime) - 1);
    return frame + Math.floor((time + sameTime - first) / spacing);
  }
  const sides = ["x", "y", "width", "height"], boxOf = row => sides.map(name => number(columns.get(name), row));
  const overlap = (a, b) => {
    const width = Math.min(a[0] + a[2], b[0] + b[2]) - Math.max(a[0], b[0]);
    const height = Math.min(a[1] + a[3], b[1] + b[3]) - Math.max(a[1], b[1]);
    if (width <= 0 || height <= 0) return 0;
    return width * height / (a[2] * a[3] + b[2] * b[3] - width * height);
  };

  /** The rows of a track around a time, between which values are interpolated; `null` if it is not visible. */
  function rowsAt(track, time) {
    const reach = data.interval * data.stride;
    if (time < track.begin - reach || time > track.end + reach) return null;
    const after = search(track.from, track.to, row => timeOf(row) > time + sameTime), before = after - 1;
    const has = { before: before >= track.from, after: after < track.to };
    if (has.before && timeOf(before) >= time - sameTime) return { a: before, b: before, fraction: 0 };
    if (has.before && has.after && sampleOf[after] - sampleOf[before] <= 2 * data.stride && !cutBetween(timeOf(before), timeOf(after)))
      return { a: before, b: after, fraction: (time - timeOf(before)) / (timeOf(after) - timeOf(before)) };
    // A sample stands for the time until halfway to the next one, but not beyond a cut.
    if (has.before && time - timeOf(before) <= reach / 2 && !cutBetween(timeOf(before), time)) return { a: before, b: before, fraction: 0 };
    if (has.after && timeOf(after) - time <= reach / 2 && !cutBetween(time, timeOf(after))) return { a: after, b: after, fraction: 0 };
    return null;
  }
  const valueAt = (name, rows) => {
    const column = columns.get(name), from = number(column, rows.a), to = number(column, rows.b);
    return Number.isNaN(from) || Number.isNaN(to) ? (rows.fraction < 0.5 ? from : to) : from + (to - from) * rows.fraction;
  };
