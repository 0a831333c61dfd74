  // The pairs to check, one at a time. Answers stay in this browser, by the line that corrects the pair.
  const pairs = [...document.querySelectorAll(".pair")], memory = "vidscan " + location.pathname;
  const lineOf = pair => pair.querySelector("code").textContent;
  let answers = [], skipped = [];
  try { answers = JSON.parse(localStorage.getItem(memory)) || []; } catch { /* They live as long as the page. */ }
  const answerTo = pair => answers.find(([line]) => line === lineOf(pair))?.[1];

  function show() {
    const left = pairs.filter(pair => answerTo(pair) === undefined);
    left.sort((a, b) => skipped.indexOf(lineOf(a)) - skipped.indexOf(lineOf(b)));
    for (const pair of pairs) pair.hidden = pair !== left[0];
    const lines = answers.filter(([line, answer]) => answer === "no" && pairs.some(pair => lineOf(pair) === line)).map(([line]) => line + "\n");
    byId("review").hidden = false;
    byId("progress").max = pairs.length;
    byId("progress").value = pairs.length - left.length;
    byId("answered").textContent = `${pairs.length - left.length} of ${pairs.length} answered, ${lines.length} wrong`;
    for (const button of document.querySelectorAll("[data-answer]")) button.disabled = !left.length;
    byId("take-back").disabled = !answers.length;
    byId("save").disabled = !lines.length;
    return { current: left[0], lines };
  }
  function answer(kind) {
    const { current } = show();
    if (!current) return;
    if (kind === "skip") skipped = [...skipped.filter(line => line !== lineOf(current)), lineOf(current)];
    else answers.push([lineOf(current), kind]);
    keep();
  }
  function keep() {
    try { localStorage.setItem(memory, JSON.stringify(answers)); } catch { /* As above. */ }
    show();
  }
  for (const button of document.querySelectorAll("[data-answer]")) button.addEventListener("click", () => answer(button.dataset.answer));
  byId("take-back").addEventListener("click", () => { answers.pop(); keep(); });
  byId("save").addEventListener("click", () => {
    const name = `corrections-${stamp()}.txt`, folder = location.protocol === "file:" ? decodeURIComponent(new URL(".", location).pathname).slice(0, -1) : "STUDY";
    download(new Blob([show().lines.join("")], { type: "text/plain" }), name);
    Object.assign(byId("commands"), { hidden: false, textContent: `vidscan people --output ${quoted(folder)} --corrections ~/Downloads/${name}` });
  });
  addEventListener("keydown", event => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey)
      for (const button of document.querySelectorAll("[data-key]")) if (button.dataset.key === event.key.toLowerCase()) button.click();
  });
  show();
