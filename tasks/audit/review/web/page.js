"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const secret = location.hash.slice(1);
  const KEYS = { r: "right", w: "wrong", d: "doubtful" };
  let judge = "";
  let number = null;
  let shownAt = 0;
  let busy = false;
  const visited = [];

  async function call(path, body) {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Counterfoil-Secret": secret },
      body: JSON.stringify(body),
    }).catch(() => { throw new Error("The review is not running: start `counterfoil review` again and reload. Every answer given is kept."); });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  // One thing at a time: a key pressed twice must not answer two rows.
  async function guard(work) {
    if (busy) return;
    busy = true;
    try {
      await work();
      byId("trouble").hidden = true;
    } catch (error) {
      byId("trouble").textContent = error.message;
      byId("trouble").hidden = false;
    } finally {
      busy = false;
    }
  }

  function show(name) {
    for (const each of ["start", "row", "end"]) byId(each).hidden = each !== name;
    byId("answers").hidden = name !== "row";
    byId("change").hidden = name === "start";
  }

  function tell({ judged, total }) {
    byId("progress").textContent = `${judge}: ${judged} of ${total} judged`;
    byId("done-part").style.width = `${(100 * judged) / Math.max(1, total)}%`;
  }

  async function goTo(next) {
    if (next === null) {
      number = null;
      show("end");
      return;
    }
    const row = await call("row", { judge, number: next });
    number = next;
    byId("question").textContent = row.question;
    byId("sides").replaceChildren(...row.sides.map(buildSide));
    byId("why").value = row.why;
    for (const button of document.querySelectorAll(".answer")) {
      button.setAttribute("aria-pressed", String(button.dataset.answer === row.answer));
    }
    show("row");
    byId("row").scrollTop = 0;
    document.activeElement?.blur();
    shownAt = performance.now();
  }

  function buildSide(side) {
    const element = document.createElement("div");
    element.className = side.picture ? "side of-picture" : "side";
    if (side.picture) {
      const image = element.appendChild(document.createElement("img"));
      Object.assign(image, { src: side.picture, alt: "the picture to judge" });
    } else {
      const text = element.appendChild(document.createElement(side.code ? "pre" : "p"));
      text.textContent = side.text;
      text.dir = "auto";
    }
    return element;
  }

  const start = (name) => guard(async () => {
    const place = await call("start", { judge: name });
    if (!place.judge) {
      show("start");
      byId("judge").focus();
      return;
    }
    judge = place.judge;
    await goTo(place.number);
    tell(place);
  });

  const answer = (what) => guard(async () => {
    if (number === null) return;
    const seconds = (performance.now() - shownAt) / 1000;
    const place = await call("answer", { judge, number, answer: what, why: byId("why").value, seconds });
    visited.push(number);
    await goTo(place.number);
    tell(place);
  });

  const back = () => guard(async () => { if (visited.length) await goTo(visited.pop()); });

  function change() {
    number = null;
    visited.length = 0;
    show("start");
    byId("judge").select();
  }

  byId("start-form").addEventListener("submit", (event) => {
    event.preventDefault();
    start(byId("judge").value);
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.answer) answer(button.dataset.answer);
    if (button?.dataset.do === "back") back();
    if (button?.dataset.do === "change") change();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target === byId("why")) {
      if (event.key === "Enter" || event.key === "Escape") { event.preventDefault(); byId("why").blur(); }
      return;
    }
    if (event.target.matches("input")) return;
    const key = event.key.toLowerCase();
    if (KEYS[key] && number !== null) { event.preventDefault(); answer(KEYS[key]); }
    else if (key === "b" || key === "backspace") { event.preventDefault(); back(); }
    else if (key === "e" && number !== null) { event.preventDefault(); byId("why").focus(); }
  });
  start("");
})();
