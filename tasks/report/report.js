"use strict";
(() => {
  const FOLDED = { image: 4, text: 4 };
  const byId = (id) => document.getElementById(id);
  const form = byId("filter-form");
  const search = byId("search");
  const boxes = [...form.querySelectorAll("input[name]")];
  const facets = [...new Set(boxes.map((box) => box.name))];
  const counters = new Map([...form.querySelectorAll("[data-count]")].map((each) => [each.dataset.count, each]));

  const normalise = (text) => text.toLowerCase().replace(/\s+/g, " ");
  // Ids are searched from their beginning alone: their digits would match every search for a number.
  function readWords(element) {
    const copy = element.cloneNode(true);
    for (const each of copy.querySelectorAll(".id, .row-id")) each.remove();
    return normalise(copy.textContent);
  }
  const tokensOf = (element) => new Set(element.dataset.f.split(" "));
  const tickets = [...document.querySelectorAll(".ticket")].map((element) => {
    const stub = readWords(element.querySelector(".stub"));
    const groups = [...element.querySelectorAll(".group")].map((group) => ({
      element: group,
      unfold: group.querySelector(".unfold"),
      count: group.querySelector(".group-count"),
      fold: group.classList.contains("of-image") ? FOLDED.image : FOLDED.text,
      open: false,
      cards: [...group.querySelectorAll(".card")].map((card) => ({
        element: card,
        tokens: tokensOf(card),
        words: `${readWords(card)} ${stub}`,
        ids: [card.dataset.id, element.querySelector(".stub .id").dataset.copy],
      })),
    }));
    const ids = [element.querySelector(".stub .id").dataset.copy];
    return { element, groups, tokens: tokensOf(element), words: stub, ids };
  });

  function readChosen() {
    const chosen = new Map();
    for (const box of boxes) {
      if (box.checked) chosen.set(box.name, [...(chosen.get(box.name) ?? []), box.value]);
    }
    return chosen;
  }

  // Values of one filter are alternatives; filters must all hold.
  const holds = (tokens, values) => values === undefined || values.some((value) => tokens.has(value));
  const matches = (tokens, chosen, without) =>
    [...chosen].every(([facet, values]) => facet === without || holds(tokens, values));

  function apply() {
    const chosen = readChosen();
    const terms = normalise(search.value).split(" ").filter(Boolean);
    const found = (row) => terms.every((term) =>
      row.words.includes(term) || (term.length >= 4 && row.ids.some((id) => id.startsWith(term))));
    const every = byId("show-all").checked;
    const counts = new Map([...counters.keys()].map((token) => [token, 0]));
    let cards = 0;
    let anchors = 0;
    for (const ticket of tickets) {
      let visible = 0;
      for (const group of ticket.groups) {
        const shown = [];
        for (const card of group.cards) {
          const worded = found(card);
          if (worded) {
            for (const facet of facets) {
              if (!matches(card.tokens, chosen, facet)) continue;
              for (const token of card.tokens) {
                if (token[0] === facet[0] && counts.has(token)) counts.set(token, counts.get(token) + 1);
              }
            }
          }
          const match = worded && matches(card.tokens, chosen);
          card.element.hidden = !match;
          if (match) shown.push(card.element);
        }
        foldGroup(group, shown, every);
        visible += shown.length;
      }
      const bare = ticket.groups.length === 0 && found(ticket) && !chosen.has("family") && !chosen.has("role")
        && !chosen.has("edit") && matches(ticket.tokens, chosen);
      ticket.element.hidden = visible === 0 && !bare;
      if (!ticket.element.hidden) anchors += 1;
      cards += visible;
    }
    for (const [token, counter] of counters) {
      counter.textContent = counts.get(token);
      counter.closest(".choice").classList.toggle("empty", counts.get(token) === 0);
    }
    byId("nothing").hidden = anchors > 0;
    const all = tickets.reduce((sum, ticket) => sum + ticket.groups.reduce((n, group) => n + group.cards.length, 0), 0);
    byId("tally").textContent = cards === all
      ? `${cards.toLocaleString("en")} contrasts of ${anchors} anchors`
      : `${cards.toLocaleString("en")} of ${all.toLocaleString("en")} contrasts, of ${anchors} of ${tickets.length} anchors`;
    keepInAddress(chosen);
  }

  function foldGroup(group, shown, every) {
    const open = group.open || every;
    group.element.hidden = shown.length === 0;
    group.count.textContent = shown.length;
    if (!open) for (const card of shown.slice(group.fold)) card.hidden = true;
    const rest = shown.length - group.fold;
    group.unfold.hidden = every || rest <= 0;
    group.unfold.textContent = group.open ? "show fewer" : `show ${rest} more`;
    group.unfold.setAttribute("aria-expanded", String(open));
  }

  // The filters stand in the address, so that a view can be kept and passed on.
  function keepInAddress(chosen) {
    const kept = new URLSearchParams();
    for (const box of boxes) if (chosen.get(box.name)?.includes(box.value)) kept.append(box.name, box.dataset.value);
    if (search.value) kept.append("search", search.value);
    const text = kept.toString();
    if (text || location.hash.includes("=")) {
      try {
        history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
      } catch (error) {
        if (!(error instanceof DOMException)) throw error; // some viewers forbid it; the filters work without
      }
    }
  }

  function readAddress() {
    const kept = new URLSearchParams(location.hash.slice(1));
    for (const box of boxes) box.checked = kept.getAll(box.name).includes(box.dataset.value);
    search.value = kept.get("search") ?? "";
  }

  function clearFilters() {
    for (const box of boxes) box.checked = false;
    search.value = "";
    apply();
  }

  function toggleAnchor(button) {
    const frame = button.closest(".picture").querySelector(".frame");
    const original = button.closest(".ticket").querySelector(".anchor-picture img");
    const ghost = frame.querySelector(".ghost");
    if (ghost) ghost.remove();
    else if (original) {
      const copy = original.cloneNode();
      copy.className = "ghost";
      copy.loading = "eager";
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
      const area = document.body.appendChild(document.createElement("textarea")); // no clipboard API from this address
      area.value = text;
      area.className = "hidden";
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

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.matches(".id")) copyId(button);
    else if (button.matches(".compare")) toggleAnchor(button);
    else if (button.matches("#reset-2")) clearFilters();
    else if (button.matches(".unfold")) {
      const group = tickets.flatMap((ticket) => ticket.groups).find((each) => each.unfold === button);
      group.open = !group.open;
      apply();
    }
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => { event.preventDefault(); clearFilters(); });
  form.addEventListener("change", (event) => {
    document.body.classList.toggle("no-marks", !byId("show-marks").checked);
    document.body.classList.toggle("no-removed", !byId("show-removed").checked);
    if (event.target.name || event.target.id === "show-all") apply();
  });
  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 120); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.matches("input, textarea") && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      byId("filters").open = true;
      search.focus();
    }
  });
  const wide = matchMedia("(min-width: 1081px)");
  const fitFilters = () => { byId("filters").open = wide.matches; };
  wide.addEventListener("change", fitFilters);
  window.addEventListener("hashchange", () => { if (location.hash.includes("=")) { readAddress(); apply(); } });
  window.addEventListener("beforeprint", () => { for (const each of tickets) each.element.style.contentVisibility = "visible"; });
  fitFilters();
  if (location.hash.includes("=")) readAddress();
  apply();
})();
