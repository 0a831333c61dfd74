  // The pairs to check, one at a time. Answers stay in this browser, by the correction of the pair.
  const pairs = [...document.querySelectorAll(".pair")], memory = "vidscan " + location.pathname;
  const correctionOf = pair => pair.dataset.correction;
  let answers = [], skipped = [];
  try { answers = JSON.parse(localStorage.getItem(memory)) || []; } catch { /* They live as long as the page. */ }
  const answerTo = pair => answers.find(([text]) => text === correctionOf(pair))?.[1];

  function show() {
    const left = pairs.filter(pair => answerTo(pair) === undefined);
    left.sort((a, b) => skipped.indexOf(correctionOf(a)) - skipped.indexOf(correctionOf(b)));
    for (const pair of pairs) pair.hidden = pair !== left[0];
    const corrections = answers.filter(([text, answer]) => answer === "no" && pairs.some(pair => correctionOf(pair) === text)).map(([text]) => JSON.parse(text));
    byId("review").hidden = false;
    byId("progress").max = pairs.length;
    byId("progress").value = pairs.length - left.length;
    byId("answered").textContent = `${pairs.length - left.length} of ${pairs.length} answered, ${corrections.length} wrong`;
    for (const button of document.querySelectorAll("[data-answer]")) button.disabled = !left.length;
    byId("take-back").disabled = !answers.length;
    byId("save").disabled = !corrections.length;
    return { current: left[0], corrections };
  }
  function answer(kind) {
    const { current } = show();
    if (!current) return;
    if (kind === "skip") skipped = [...skipped.filter(text => text !== correctionOf(current)), correctionOf(current)];
    else answers.push([correctionOf(current), kind]);
    keep();
  }
  function keep() {
    try { localStorage.setItem(memory, JSON.stringify(answers)); } catch { /* As above. */ }
    show();
  }
  for (const button of document.querySelectorAll("[data-answer]")) button.addEventListener("click", () => answer(button.dataset.answer));
  byId("take-back").addEventListener("click", () => { answers.pop(); keep(); });
  byId("save").addEventListener("click", () => {
    const name = `corrections-${stamp()}.json`, folder = location.protocol === "file:" ? decodeURIComponent(new URL(".", location).pathname).slice(0, -1) : "STUDY";
    const file = { format: "vidscan study corrections 1", corrections: show().corrections };
    download(new Blob([JSON.stringify(file, null, 1) + "\n"], { type: "application/json" }), name);
    Object.assign(byId("commands"), { hidden: false, textContent: `vidscan people --output ${quoted(folder)} --corrections ~/Downloads/${name}` });
  });
  addEventListener("keydown", event => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey)
      for (const button of document.querySelectorAll("[data-key]")) if (button.dataset.key === event.key.toLowerCase()) button.click();
  });
  show();
