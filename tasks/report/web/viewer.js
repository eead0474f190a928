// A picture, enlarged, with its anchor's in the same place: side by side the eye misses what it sees when they blink.
const BLINK_MS = 700;

class Viewer {
  constructor() {
    this.dialog = document.getElementById("viewer");
    this.timer = 0;
    this.dialog.addEventListener("close", () => this.stopBlinking());
    this.dialog.addEventListener("click", (event) => this.click(event));
    this.dialog.addEventListener("keydown", (event) => this.press(event));
  }

  // The pictures that stand together: of one anchor with its contrasts, or of one reject.
  open(frame) {
    const home = frame.closest(".ticket, .reject");
    this.frames = [...home.querySelectorAll("button.frame")].filter((each) => each.checkVisibility());
    this.anchor = home.querySelector(".anchor-picture img");
    this.show(this.frames.indexOf(frame));
    if (!this.dialog.open) this.dialog.showModal();
  }

  show(place) {
    this.stopBlinking();
    this.place = (place + this.frames.length) % this.frames.length;
    const frame = this.frames[this.place];
    const image = frame.querySelector("img");
    const own = image === this.anchor;
    const stage = make("div", "stage");
    stage.append(enlarge(image));
    if (this.anchor && !own) {
      const ghost = enlarge(this.anchor);
      ghost.classList.add("ghost");
      ghost.hidden = true;
      stage.append(ghost);
    }
    const marks = frame.querySelector(".marks");
    if (marks) stage.append(marks.cloneNode(true)); // over both: where to look while they blink
    const what = make("p", "viewer-name");
    what.textContent = this.nameFrame(frame, own);
    const text = frame.closest(".card, .reject, .stub")?.querySelector(".text, .caption");
    const words = make("div", "viewer-words");
    if (text) words.append(text.cloneNode(true));
    this.dialog.replaceChildren(this.buildBar(own, Boolean(marks)), stage, what, words);
    this.dialog.querySelector(`[data-do="${own || !this.anchor ? "close" : "blink"}"]`).focus();
  }

  nameFrame(frame, own) {
    if (own) return "the anchor";
    const family = frame.closest(".group")?.querySelector("code")?.textContent ?? "rejected";
    const kinds = [...(frame.closest(".card")?.querySelectorAll(".foot > .kind") ?? [])].map((each) => each.textContent);
    return [family, ...kinds].join(" · ");
  }

  buildBar(own, marked) {
    const bar = make("div", "viewer-bar");
    const add = (name, label, key, pressed) => {
      const button = bar.appendChild(make("button", ""));
      button.type = "button";
      button.dataset.do = name;
      button.textContent = label;
      button.title = `key ${key}`;
      if (pressed !== undefined) button.setAttribute("aria-pressed", String(pressed));
    };
    if (this.frames.length > 1) { add("back", "← Back", "←"); add("next", "Next →", "→"); }
    if (this.anchor && !own) { add("blink", "Blink", "B", false); add("anchor", "Anchor", "A", false); }
    if (marked) add("marks", "Marks", "M", true);
    add("close", "Close", "Esc");
    return bar;
  }

  act(name) {
    const button = this.dialog.querySelector(`[data-do="${name}"]`);
    if (!button) return;
    if (name === "close") this.dialog.close();
    else if (name === "back") this.show(this.place - 1);
    else if (name === "next") this.show(this.place + 1);
    else if (name === "marks") {
      const marks = this.dialog.querySelector(".marks");
      marks.classList.toggle("off");
      button.setAttribute("aria-pressed", String(!marks.classList.contains("off")));
    } else if (name === "anchor") { this.stopBlinking(); this.swap(); }
    else if (name === "blink") {
      if (this.timer) return this.stopBlinking();
      button.setAttribute("aria-pressed", "true");
      this.swap();
      this.timer = setInterval(() => this.swap(), BLINK_MS);
    }
  }

  swap(to) {
    const ghost = this.dialog.querySelector(".ghost");
    if (!ghost) return;
    ghost.hidden = to ?? !ghost.hidden;
    this.dialog.querySelector('[data-do="anchor"]').setAttribute("aria-pressed", String(!ghost.hidden));
  }

  stopBlinking() {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = 0;
    this.dialog.querySelector('[data-do="blink"]')?.setAttribute("aria-pressed", "false");
    this.swap(true);
  }

  click(event) {
    const name = event.target.closest("[data-do]")?.dataset.do;
    if (name) this.act(name);
    else if (event.target === this.dialog) this.dialog.close();
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const name = { ArrowLeft: "back", ArrowRight: "next", b: "blink", a: "anchor", m: "marks" }[event.key];
    if (!name) return;
    event.preventDefault();
    this.act(name);
  }
}

function make(tag, name) {
  const element = document.createElement(tag);
  element.className = name;
  return element;
}

function enlarge(image) {
  const copy = image.cloneNode();
  copy.removeAttribute("width");
  copy.removeAttribute("height");
  return copy;
}
