const samples = new Samples();
const viewer = new Viewer();

function toggleAnchor(button) {
  const frame = button.closest(".picture").querySelector(".frame");
  const original = button.closest(".ticket").querySelector(".anchor-picture img");
  const ghost = frame.querySelector(".ghost");
  if (ghost) ghost.remove();
  else if (original) {
    const copy = original.cloneNode();
    copy.className = "ghost";
    frame.insertBefore(copy, frame.querySelector(".marks"));
  }
  button.setAttribute("aria-pressed", String(!ghost));
  button.textContent = ghost ? "see anchor" : "see contrast";
}

async function copyId(button) {
  const text = button.dataset.copy;
  let copied = false;
  try {
    await navigator.clipboard.writeText(text);
    copied = true;
  } catch {
    const area = document.body.appendChild(make("textarea", "hidden")); // no clipboard API from this address
    area.value = text;
    area.select();
    copied = document.execCommand("copy");
    area.remove();
    button.focus();
  }
  byId("announcer").textContent = copied ? `Copied ${text}` : `Could not copy ${text}`;
  if (copied) {
    button.classList.add("copied");
    setTimeout(() => button.classList.remove("copied"), 1200);
  }
}

async function showRejects() {
  const lists = [...document.querySelectorAll(".reject-list")];
  try {
    const { lists: made, pictures } = await loadPart("rejects");
    lists.forEach((element, place) => element.replaceChildren(build(made[place], pictures)));
  } catch (error) {
    lists.forEach((element) => tellTrouble(element, error));
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link && link.hash === location.hash && !link.hash.includes("=")) land(() => document.querySelector(link.hash));
  const button = event.target.closest("button");
  if (!button) return;
  if (button.matches(".id")) copyId(button);
  else if (button.matches(".compare")) toggleAnchor(button);
  else if (button.matches(".frame")) viewer.open(button);
  else if (button.matches("#reset-2")) samples.clear();
  else if (button.matches(".unfold")) samples.toggleFold(button);
});

samples.form.addEventListener("submit", (event) => event.preventDefault());
samples.form.addEventListener("reset", (event) => { event.preventDefault(); samples.clear(); });
samples.form.addEventListener("change", (event) => {
  document.body.classList.toggle("no-marks", !byId("show-marks").checked);
  document.body.classList.toggle("no-removed", !byId("show-removed").checked);
  if (event.target.name || event.target.id === "show-all") samples.apply();
});
let waiting = 0;
samples.search.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => samples.apply(), 120);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.matches("input, textarea") && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    byId("filters").open = true;
    samples.search.focus();
  } else if (["j", "k"].includes(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey
    && !event.target.matches("input, textarea") && !viewer.dialog.open) {
    event.preventDefault();
    samples.step(event.key === "j" ? 1 : -1);
  }
});

const wide = matchMedia("(min-width: 1081px)");
const fitFilters = () => { byId("filters").open = wide.matches; };
wide.addEventListener("change", fitFilters);
fitFilters();

addEventListener("hashchange", () => {
  if (location.hash.includes("=")) samples.readAddress();
  else if (location.hash) land(() => document.getElementById(location.hash.slice(1)));
});

async function start() {
  if (!("DecompressionStream" in window)) {
    byId("tally").textContent = "This browser cannot unpack the samples: it is from before 2023.";
    return;
  }
  if (outline.rejects) {
    const near = new IntersectionObserver(([entry]) => {
      if (entry.isIntersecting) { near.disconnect(); showRejects(); }
    }, { rootMargin: "100% 0px" });
    near.observe(byId("rejects"));
  }
  if (outline.pages.length) await samples.readAddress();
  if (location.hash && !location.hash.includes("=")) await land(() => document.getElementById(location.hash.slice(1)));
}

document.documentElement.dataset.state = "loading";
start()
  .catch((error) => tellTrouble(byId("parts"), error))
  .finally(() => { document.documentElement.dataset.state = "ready"; });
