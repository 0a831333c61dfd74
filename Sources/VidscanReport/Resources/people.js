  // The pairs to check, one at a time, and the names of people. Both stay in this browser until the study contains them.
  const pairs = [...document.querySelectorAll(".pair")], memory = "vidscan " + location.pathname;
  const fields = [...document.querySelectorAll("[data-person]")], personOf = field => Number(field.dataset.person);
  /** The faces of pairs and people by video and track: in a study that is made anew, their numbers may be those of others. */
  const facesOf = new Map([...pairs, ...fields].map(node => [node, [...node.closest(".pair, .person").querySelectorAll(".detail[title]")].map(
    video => `${video.title} ${video.nextElementSibling.textContent.split(";")[0]}`)]));
  const keyOf = pair => [pair.dataset.correction, ...facesOf.get(pair)].join(" ");
  /** Answers by the key of the pair; `[person, name, name before, face]` for each name that was typed. */
  let answers = [], names = [], skipped = [];
  const answerTo = pair => answers.find(([key]) => key === keyOf(pair))?.[1];
  const nameOf = field => field.value.trim().normalize() || field.placeholder;
  const isNew = field => nameOf(field) !== (field.defaultValue.normalize() || field.placeholder);
  /** Shows what was answered and typed in any tab. */
  function read() {
    try { ({ answers, names } = { answers, names, ...JSON.parse(localStorage.getItem(memory)) }); } catch { /* They live as long as the page. */ }
    for (const field of fields)
      field.value = names.find(([person, , before, face]) => person === personOf(field) && before === field.defaultValue && facesOf.get(field).includes(face))?.[1] ?? field.defaultValue;
    show();
  }

  /** Splits and names come first: after a join, one number is left of its people. */
  function corrections() {
    const wrong = pairs.filter(pair => answerTo(pair) === "no").map(pair => JSON.parse(pair.dataset.correction));
    const groups = new Map(), named = [];
    const join = people => {
      const group = [...new Set(people.flatMap(id => groups.get(id) || [id]))];
      for (const id of group) groups.set(id, group);
    };
    const byName = new Map(fields.map(field => [nameOf(field), []]));
    for (const field of fields) byName.get(nameOf(field)).push(field);
    for (const [name, same] of byName) {
      // The first one keeps the number.
      same.sort((a, b) => isNew(a) - isNew(b));
      if (isNew(same[0])) named.push({ do: "name", person: personOf(same[0]), name });
      if (same.length > 1) join(same.map(personOf));
    }
    for (const correction of wrong) if (correction.do === "same_person") join(correction.people);
    return [...wrong.filter(one => one.do === "split"), ...named, ...[...new Set(groups.values())].map(people => ({ do: "same_person", people }))];
  }
  function show() {
    const left = pairs.filter(pair => answerTo(pair) === undefined), count = corrections().length;
    left.sort((a, b) => skipped.indexOf(keyOf(a)) - skipped.indexOf(keyOf(b)));
    for (const pair of pairs) pair.hidden = pair !== left[0];
    byId("changes").textContent = `${count || "no"} correction${count === 1 ? "" : "s"}`;
    byId("save").disabled = !count;
    if (!pairs.length) return;
    byId("progress").max = pairs.length;
    byId("progress").value = pairs.length - left.length;
    byId("answered").textContent = `${pairs.length - left.length} of ${pairs.length} answered, ${pairs.filter(pair => answerTo(pair) === "no").length} wrong`;
    for (const button of document.querySelectorAll("[data-answer]")) button.disabled = !left.length;
    byId("take-back").disabled = !answers.length;
  }
  function answer(kind) {
    const current = pairs.find(pair => !pair.hidden);
    if (!current) return;
    if (kind === "skip") skipped = [...skipped.filter(key => key !== keyOf(current)), keyOf(current)];
    else answers.push([keyOf(current), kind]);
    keep();
  }
  function keep() {
    names = fields.filter(isNew).map(field => [personOf(field), nameOf(field), field.defaultValue, facesOf.get(field)[0]]);
    try { localStorage.setItem(memory, JSON.stringify({ answers, names })); } catch { /* As above. */ }
    show();
  }
  for (const button of document.querySelectorAll("[data-answer]")) button.addEventListener("click", () => answer(button.dataset.answer));
  byId("take-back")?.addEventListener("click", () => { answers.pop(); keep(); });
  byId("save").addEventListener("click", () => {
    const name = `corrections-${stamp()}.json`;
    const file = { format: "vidscan study corrections 1", corrections: corrections() };
    download(new Blob([JSON.stringify(file, null, 1) + "\n"], { type: "application/json" }), name);
    Object.assign(byId("commands"), { hidden: false, textContent: `vidscan people --output ${quoted(pathOf("", "STUDY"))} --corrections ~/Downloads/${name}` });
  });
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input")) return;
    for (const button of document.querySelectorAll("[data-key]")) if (button.dataset.key === event.key.toLowerCase()) button.click();
  });
  for (const field of fields) field.addEventListener("change", () => {
    field.setCustomValidity(field.value.trim() && !isName(field.value) ? "A name has no quotation marks and no control characters." : "");
    if (!field.reportValidity() || !field.value.trim()) field.value = field.defaultValue;
    keep();
  });
  for (const node of document.querySelectorAll(".naming, #saving, #review")) node.hidden = false;
  addEventListener("storage", read);
  read();
