// The anchors of one page. Filters work on the page's index; parts are unpacked when they come near the window and
// packed away, their height kept, when many others are nearer.
const FOLD = 4;
const KEPT = 10;
const GUESS = 620;
const FACETS = { domain: "Domain", family: "Family", role: "Role", change: "What differs", edit: "Edit kind", grade: "Grade", split: "Split" };

const OF_CARD = ["edit", "change", "grade"]; // lists that a card has

const byId = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const normalise = (text) => text.toLowerCase().replace(/\s+/g, " ");

class Samples {
  constructor() {
    this.form = byId("filter-form");
    this.search = byId("search");
    this.container = byId("parts");
    this.page = -1;
    this.parts = [];
    this.anchorHeight = GUESS;
    this.chosen = new Map();
    this.observer = new IntersectionObserver((entries) => this.heed(entries), { rootMargin: "100% 0px" });
  }

  get anchors() { return this.parts.flatMap((part) => part.anchors); }

  async openPage(place) {
    if (place === this.page) return;
    this.page = place;
    this.observer.disconnect();
    const ready = this.container.querySelector(".batch[data-part]"); // as the page came: no script unpacked it
    if (!ready) this.container.replaceChildren();
    const index = await loadPart(outline.pages[place].part);
    this.parts = index.map(({ part, anchors }) => {
      const mounted = ready?.dataset.part === part;
      const element = mounted ? ready : document.createElement("div");
      element.className = "batch";
      for (const anchor of anchors) {
        for (const group of anchor.groups) group.open = false;
      }
      return { name: part, element, anchors, mounted, wanted: false, tickets: mounted ? this.readTickets(element) : null };
    });
    this.container.replaceChildren(...this.parts.map((part) => part.element));
    ready?.removeAttribute("data-part");
    this.buildFacets();
    this.buildPager();
  }

  buildFacets() {
    const counts = new Map(Object.keys(FACETS).map((facet) => [facet, new Set()]));
    for (const anchor of this.anchors) {
      counts.get("domain").add(anchor.domain);
      counts.get("split").add(anchor.split);
      for (const group of anchor.groups) {
        counts.get("family").add(group.family);
        counts.get("role").add(group.role);
        for (const card of group.cards) for (const facet of OF_CARD) for (const value of card[facet]) counts.get(facet).add(value);
      }
    }
    const fieldsets = [];
    this.counters = new Map();
    for (const [facet, values] of counts) {
      if (values.size < 2) continue;
      const fieldset = document.createElement("fieldset");
      const legend = fieldset.appendChild(document.createElement("legend"));
      legend.className = "filter-title";
      legend.textContent = FACETS[facet];
      for (const value of [...values].sort()) fieldset.append(this.buildChoice(facet, value));
      fieldsets.push(fieldset);
    }
    byId("facets").replaceChildren(...fieldsets);
    this.boxes = [...byId("facets").querySelectorAll("input")];
  }

  buildChoice(facet, value) {
    const label = document.createElement("label");
    label.className = "choice";
    const box = label.appendChild(document.createElement("input"));
    Object.assign(box, { type: "checkbox", name: facet });
    box.dataset.value = value;
    const name = label.appendChild(document.createElement("span"));
    name.className = "choice-name";
    name.textContent = value.replaceAll("_", " ");
    const counter = label.appendChild(document.createElement("span"));
    counter.className = "choice-count";
    this.counters.set(`${facet}\n${value}`, counter);
    return label;
  }

  buildPager() {
    const pager = byId("pager");
    pager.hidden = outline.pages.length < 2;
    pager.replaceChildren(...outline.pages.map(({ first, last }, place) => {
      const link = document.createElement("a");
      link.textContent = `${number(first)} to ${number(last)}`;
      if (place === this.page) link.setAttribute("aria-current", "page");
      return link;
    }));
  }

  // Values of one filter are alternatives; filters must all hold.
  matches(anchor, group, card, without) {
    for (const [facet, values] of this.chosen) {
      if (facet === without) continue;
      const has = OF_CARD.includes(facet) ? values.some((value) => card[facet]?.includes(value))
        : values.includes(facet === "family" || facet === "role" ? group[facet] : anchor[facet]);
      if (!has) return false;
    }
    return true;
  }

  readFilters() {
    this.chosen = new Map();
    for (const box of this.boxes) {
      if (box.checked) this.chosen.set(box.name, [...(this.chosen.get(box.name) ?? []), box.dataset.value]);
    }
    this.terms = normalise(this.search.value).split(" ").filter(Boolean);
  }

  // Ids are searched from their beginning alone: their digits would match every search for a number.
  isFound(anchor, card) {
    return this.terms.every((term) => anchor.words.includes(term) || card?.words.includes(term)
      || (term.length >= 4 && (anchor.id.startsWith(term) || card?.id.startsWith(term))));
  }

  apply({ keep = true } = {}) {
    this.readFilters();
    this.every = byId("show-all").checked;
    const counts = new Map([...this.counters.keys()].map((key) => [key, 0]));
    let cards = 0, all = 0, anchors = 0;
    for (const anchor of this.anchors) {
      anchor.shown = 0;
      for (const group of anchor.groups) {
        group.shown = [];
        for (const card of group.cards) {
          const found = this.isFound(anchor, card);
          if (found) this.count(counts, anchor, group, card);
          if (found && this.matches(anchor, group, card)) group.shown.push(card);
        }
        anchor.shown += group.shown.length;
        all += group.cards.length;
      }
      const ofAnchor = [...this.chosen.keys()].every((facet) => facet === "domain" || facet === "split");
      anchor.visible = anchor.shown > 0
        || (anchor.groups.length === 0 && ofAnchor && this.isFound(anchor) && this.matches(anchor, {}, {}));
      cards += anchor.shown;
      anchors += anchor.visible ? 1 : 0;
    }
    for (const [key, counter] of this.counters) {
      counter.textContent = number(counts.get(key));
      counter.closest(".choice").classList.toggle("empty", counts.get(key) === 0);
    }
    this.tell(cards, all, anchors);
    for (const part of this.parts) this.arrange(part);
    if (keep) this.keepInAddress();
    this.aimPager();
    return this.watch();
  }

  count(counts, anchor, group, card) {
    const add = (facet, value) => {
      const key = `${facet}\n${value}`;
      if (counts.has(key) && this.matches(anchor, group, card, facet)) counts.set(key, counts.get(key) + 1);
    };
    add("domain", anchor.domain);
    add("split", anchor.split);
    add("family", group.family);
    add("role", group.role);
    for (const facet of OF_CARD) for (const value of card[facet]) add(facet, value);
  }

  tell(cards, all, anchors) {
    byId("nothing").hidden = anchors > 0 || this.parts.length === 0;
    const total = this.anchors.length;
    byId("tally").textContent = cards === all && anchors === total
      ? `${number(cards)} contrasts of ${number(anchors)} anchors`
      : `${number(cards)} of ${number(all)} contrasts, of ${number(anchors)} of ${number(total)} anchors`;
    if (outline.pages.length > 1) {
      const { first, last } = outline.pages[this.page];
      byId("tally").textContent += `; this page holds anchors ${number(first)} to ${number(last)}`;
    }
  }

  // Show in a part what the filters leave, or keep room for it where the part is packed away.
  arrange(part) {
    const visible = part.anchors.filter((anchor) => anchor.visible);
    part.element.hidden = visible.length === 0;
    if (!part.mounted) {
      part.element.style.height = `${Math.round(visible.length * this.anchorHeight)}px`;
      return;
    }
    part.anchors.forEach((anchor, place) => {
      const ticket = part.tickets[place];
      ticket.element.hidden = !anchor.visible;
      if (anchor.visible) anchor.groups.forEach((group, at) => this.fold(group, ticket.groups[at]));
    });
  }

  fold(group, view) {
    const shown = new Set(group.open || this.every ? group.shown : group.shown.slice(0, FOLD));
    view.element.hidden = group.shown.length === 0;
    group.cards.forEach((card, place) => { view.cards[place].hidden = !shown.has(card); });
    view.count.textContent = group.shown.length;
    const rest = group.shown.length - FOLD;
    view.unfold.hidden = this.every || rest <= 0;
    view.unfold.textContent = group.open ? "show fewer" : `show ${rest} more`;
    view.unfold.setAttribute("aria-expanded", String(group.open || this.every));
  }

  watch() {
    this.observer.disconnect();
    for (const part of this.parts) this.observer.observe(part.element);
    // Few parts are all unpacked, so that the browser's own search and a printer find them.
    const few = this.parts.length <= KEPT ? this.parts.filter((part) => !part.element.hidden) : [];
    return Promise.all(few.map((part) => this.mount(part)));
  }

  heed(entries) {
    for (const entry of entries) {
      const part = this.parts.find((each) => each.element === entry.target);
      if (!part) continue;
      part.wanted = entry.isIntersecting;
      if (part.wanted) this.mount(part);
    }
    this.packFarAway();
  }

  mount(part) {
    if (part.mounted) return Promise.resolve();
    return loadPart(part.name).then(({ html, pictures }) => {
      if (part.mounted || !part.element.isConnected) return;
      const before = part.element.getBoundingClientRect();
      part.element.replaceChildren(build(html, pictures));
      part.element.style.height = "";
      part.mounted = true;
      part.tickets = this.readTickets(part.element);
      this.arrange(part);
      this.keepPlace(part, before);
    }).catch((error) => tellTrouble(part.element, error));
  }

  readTickets(part) {
    return [...part.children].map((element) => ({
      element,
      groups: [...element.querySelectorAll(".group")].map((group) => ({
        element: group,
        cards: [...group.querySelectorAll(".card")],
        count: group.querySelector(".group-count"),
        unfold: group.querySelector(".unfold"),
      })),
    }));
  }

  // Browsers that do not hold the view still when something above it grows are helped.
  keepPlace(part, before) {
    const height = part.element.getBoundingClientRect().height;
    const visible = part.anchors.filter((anchor) => anchor.visible).length;
    if (visible && height) this.anchorHeight += (height / visible - this.anchorHeight) / 8;
    if (before.bottom <= 0 && !CSS.supports("overflow-anchor", "auto")) {
      scrollBy({ top: height - before.height, behavior: "instant" });
    }
  }

  packFarAway() {
    const mounted = this.parts.filter((part) => part.mounted);
    if (this.parts.length <= KEPT || mounted.length <= KEPT) return;
    const far = (part) => {
      const { top, bottom } = part.element.getBoundingClientRect();
      return Math.max(top - innerHeight, -bottom, 0);
    };
    mounted.sort((one, other) => far(other) - far(one));
    for (const part of mounted.slice(0, mounted.length - KEPT)) {
      if (part.wanted || part.element.contains(document.activeElement)) continue;
      part.element.style.height = `${part.element.getBoundingClientRect().height}px`;
      part.element.replaceChildren();
      part.mounted = false;
      part.tickets = null;
    }
  }

  toggleFold(button) {
    for (const part of this.parts) {
      if (!part.mounted || !part.element.contains(button)) continue;
      part.tickets.forEach((ticket, place) => ticket.groups.forEach((view, at) => {
        if (view.unfold !== button) return;
        const group = part.anchors[place].groups[at];
        group.open = !group.open;
        this.fold(group, view);
      }));
    }
  }

  clear() {
    for (const box of this.boxes) box.checked = false;
    this.search.value = "";
    this.apply();
  }

  // The filters stand in the address, so that a view can be kept and passed on.
  keepInAddress() {
    const text = this.describe(this.page);
    if (text === "" && !location.hash.includes("=")) return;
    try {
      history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error; // some viewers forbid it; the filters work without
    }
  }

  describe(page) {
    const kept = new URLSearchParams();
    if (page > 0) kept.append("page", page + 1);
    for (const box of this.boxes) if (box.checked) kept.append(box.name, box.dataset.value);
    if (this.search.value) kept.append("search", this.search.value);
    return kept.toString();
  }

  aimPager() {
    [...byId("pager").children].forEach((link, place) => { link.href = `#${this.describe(place) || "page=1"}`; });
  }

  // Show what the address says: a page, its filters, and an anchor to go to.
  async readAddress() {
    const kept = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    const wanted = kept.get("row") ?? kept.get("anchor");
    const place = Math.min(Math.max(1, Number.parseInt(kept.get("page") ?? "1", 10) || 1), outline.pages.length) - 1;
    await this.openPage(wanted ? await this.findPage(wanted, place) : place);
    for (const box of this.boxes) box.checked = kept.getAll(box.name).includes(box.dataset.value);
    this.search.value = kept.get("search") ?? "";
    await this.apply({ keep: false });
    if (wanted) await this.goTo(wanted);
    else if (kept.has("page")) await land(() => byId("samples"));
  }

  async findPage(id, first) {
    const order = [first, ...outline.pages.keys()];
    for (const place of order) {
      const index = await loadPart(outline.pages[place].part);
      if (index.some((part) => part.anchors.some((anchor) => this.holds(anchor, id)))) return place;
    }
    return first;
  }

  // Whether an id, or its first digits, is that of an anchor or of one of its contrasts.
  holds(anchor, id) {
    return anchor.id.startsWith(id) || anchor.groups.some((group) => group.cards.some((card) => card.id.startsWith(id)));
  }

  // The card of a row, unfolded if need be; the anchor's ticket where the id is an anchor's.
  findRow(part, id) {
    const place = part.anchors.findIndex((anchor) => this.holds(anchor, id));
    const anchor = part.anchors[place];
    const ticket = part.tickets?.[place];
    if (!ticket || anchor.id.startsWith(id)) return ticket?.element;
    const at = anchor.groups.findIndex((group) => group.cards.some((card) => card.id.startsWith(id)));
    const card = anchor.groups[at].cards.findIndex((each) => each.id.startsWith(id));
    if (ticket.groups[at].cards[card].hidden) {
      anchor.groups[at].open = true;
      this.fold(anchor.groups[at], ticket.groups[at]);
    }
    return ticket.groups[at].cards[card];
  }

  // The next or previous visible anchor from where the window is.
  async step(by) {
    const tickets = [...this.container.querySelectorAll(".ticket")].filter((each) => !each.hidden && each.checkVisibility());
    const tops = tickets.map((each) => each.getBoundingClientRect().top - 70);
    const place = by > 0 ? tops.findIndex((top) => top > 4) : tops.findLastIndex((top) => top < -4);
    const goal = tickets[place];
    if (!goal) return;
    goal.querySelector(".here").focus({ preventScroll: true });
    await land(() => goal);
  }

  async goTo(id) {
    const part = this.parts.find((each) => each.anchors.some((anchor) => this.holds(anchor, id)));
    if (!part) return;
    await this.mount(part);
    const find = () => this.findRow(part, id);
    const ticket = find();
    if (!ticket) return;
    ticket.classList.add("aimed");
    setTimeout(() => ticket.classList.remove("aimed"), 2500);
    await land(find);
  }
}
