"""Where each thing of a scene stands, so that a stranger who sees the picture reads the scene's relations.

Things that are on, in, under, behind, above or held by another form a cluster with it; clusters stand side by side in
the order that ``left_of`` gives, with a gap between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from counterfoil.tasks.caption.scenes.art.people import find_hand
from counterfoil.tasks.caption.scenes.assets import has_skeleton, read_asset
from counterfoil.tasks.caption.scenes.catalogue import NOUNS, Noun
from counterfoil.tasks.caption.scenes.graph import Relation, Scene, Thing
from counterfoil.tasks.caption.scenes.stage import HORIZON, SIDE
from counterfoil.tasks.caption.scenes.thing import Box, measure_thing

MARGIN = 7.0
GAP = 15.0
FLOOR = 298.0
"""Where things in front stand."""
SIZES = {"small": 0.58, "medium": 1.0, "big": 1.5}
SMALLEST = 24.0
"""Nothing is painted smaller than this many pixels on its longer side."""
LEAST_SCALE, MOST_SCALE = 0.85, 1.15
"""A picture is nearer or further, but never so much that a small thing could be taken for one of common size."""
LEAST_ROW = 0.9
"""Things that stand in a row may be drawn this much smaller to fit."""
HELD = 40.0


class LayoutError(Exception):
    """The scene cannot be laid out so that its relations can be seen; the message says what is in the way."""


@dataclass(frozen=True, slots=True)
class Placement:
    """One copy of a thing: its ground point (x, y) in the picture, pixels per unit, and when it is painted."""

    thing: int
    copy: int
    x: float
    y: float
    scale: float
    flip: bool
    layer: tuple[int, ...]
    """Painted in this order; the front of a hollow thing follows what is in it."""

    def moved(self, dx: float, dy: float, scale: float) -> Placement:
        return Placement(
            self.thing, self.copy, self.x * scale + dx, self.y * scale + dy, self.scale * scale, self.flip, self.layer
        )


def find_extent(thing: Thing) -> Box:
    """How far one copy reaches around its ground point in its posture and size, in pixels, facing right."""
    box = measure_thing(thing.noun, thing.posture, thing.manner)
    scale = NOUNS[thing.noun].scale * SIZES[thing.size]
    return Box(box.x0 * scale, box.y0 * scale, box.x1 * scale, box.y1 * scale)


def _size(thing: Thing) -> tuple[float, float]:
    """Width of a copy, and its height above the ground point, in pixels."""
    box = find_extent(thing)
    return box.width, -box.y0


def lay_out(scene: Scene, rng: np.random.Generator) -> list[Placement]:
    """Placements in the order of painting.

    Raises:
        LayoutError: the scene does not fit, or a relation could not be seen.
    """
    roots = _order_roots(scene)
    clusters = [_Cluster(scene, root, rng) for root in roots]
    for cluster in clusters:
        cluster.build()
    boxes = [cluster.box() for cluster in clusters]
    total = sum(box.width for box in boxes)
    room = SIDE - 2 * MARGIN - GAP * (len(boxes) - 1)
    scale = min(MOST_SCALE, room / total)
    if scale < LEAST_SCALE:
        raise LayoutError(f"too wide: {total:.0f} of {room:.0f} pixels")
    spare = room - total * scale
    shares = rng.dirichlet([2.0] * (len(boxes) + 1)) * spare
    x = MARGIN
    placed: list[Placement] = []
    for i, (cluster, box) in enumerate(zip(clusters, boxes, strict=True)):
        x += shares[i]
        floor = cluster.floor + float(rng.uniform(-5, 7))
        moved = [p.moved(x - box.x0 * scale, floor, scale) for p in cluster.placements]
        top = floor + box.y0 * scale
        if top < MARGIN:
            lower = min(MARGIN - top, SIDE - MARGIN - floor)
            if top + lower < MARGIN - 0.5:
                raise LayoutError("too high for the picture")
            moved = [replace(p, y=p.y + lower) for p in moved]
        placed += moved
        x += box.width * scale + GAP
    for p in placed:
        box = _box_of(p, scene)
        longest = max(box.width, box.height)
        if longest < SMALLEST:
            raise LayoutError(f"{scene.things[p.thing].noun} would be {longest:.0f} pixels")
    return sorted(placed, key=lambda p: p.layer)


def _order_roots(scene: Scene) -> list[int]:
    """Things that no other bears, from left to right."""
    placing = [r for r in scene.relations if r.name != "left_of"]
    bearer = {_guest(r): _host(r) for r in placing}
    if len(bearer) < len(placing):
        raise LayoutError("a thing that two others place would be drawn twice")
    roots = [i for i in range(len(scene.things)) if i not in bearer]
    order = [
        (_find_root(r.subject, bearer), _find_root(r.object, bearer)) for r in scene.relations if r.name == "left_of"
    ]
    if not roots or any(a == b for a, b in order):
        raise LayoutError("things that bear each other, or are beside what they bear")
    done: list[int] = []
    while len(done) < len(roots):
        free = [i for i in roots if i not in done and all(a in done or b != i for a, b in order)]
        if not free:
            raise LayoutError("things that are left of each other")
        done.append(free[0])
    return done


def _guest(relation: Relation) -> int:
    """Which of the two is placed by the other: what is held, else the subject."""
    return relation.object if relation.name == "holding" else relation.subject


def _host(relation: Relation) -> int:
    """Which of the two places the other."""
    return relation.subject if relation.name == "holding" else relation.object


def _find_root(index: int, bearer: Mapping[int, int]) -> int:
    """What bears the thing in the end: itself, where nothing does."""
    seen = {index}
    while index in bearer:
        index = bearer[index]
        if index in seen:
            raise LayoutError("things that bear each other")
        seen.add(index)
    return index


def _box_of(p: Placement, scene: Scene) -> Box:
    """Where a copy is in the picture."""
    thing = scene.things[p.thing]
    box = measure_thing(thing.noun, thing.posture, thing.manner)
    left, right = (-box.x1, -box.x0) if p.flip else (box.x0, box.x1)
    return Box(p.x + left * p.scale, p.y + box.y0 * p.scale, p.x + right * p.scale, p.y + box.y1 * p.scale)


class _Cluster:
    """A thing on the ground and all that it bears, around x = 0 with the ground at y = 0."""

    def __init__(self, scene: Scene, root: int, rng: np.random.Generator) -> None:
        self.scene, self.root, self.rng = scene, root, rng
        self.placements: list[Placement] = []
        self.taken: dict[int, float] = {}
        noun = NOUNS[scene.things[root].noun]
        thing = scene.things[root]
        self.floor = FLOOR
        if noun.flies and (thing.posture == "flying" or not noun.postures):
            self.floor = float(rng.uniform(96, 150))
        elif noun.hangs:
            self.floor = 212.0
        elif scene.place == "lake" and "water" not in noun.places:
            self.floor = 286.0

    def build(self) -> None:
        self._add_row(self.root, 0.0, 0.0, (0,))
        self._attach(self.root)

    def box(self) -> Box:
        boxes = [_box_of(p, self.scene) for p in self.placements]
        whole = boxes[0]
        for box in boxes[1:]:
            whole = whole.union(box)
        return whole

    def _attach(self, host: int) -> None:
        relations = [r for r in self.scene.relations if r.name != "left_of"]
        for relation in relations:
            guest = _guest(relation)
            if _host(relation) != host:
                continue
            {
                "on": self._put_on,
                "in": self._put_in,
                "under": self._put_under,
                "behind": self._put_behind,
                "above": self._put_above,
                "holding": self._put_in_hand,
                "chasing": self._put_after,
            }[relation.name](guest, host)
            self._attach(guest)

    def _thing(self, index: int) -> tuple[Thing, Noun]:
        thing = self.scene.things[index]
        return thing, NOUNS[thing.noun]

    def _of(self, index: int) -> Placement:
        return next(p for p in self.placements if p.thing == index)

    def _scale(self, index: int) -> float:
        thing, noun = self._thing(index)
        return noun.scale * SIZES[thing.size]

    def _add_row(
        self,
        index: int,
        x: float,
        y: float,
        layer: tuple[int, ...],
        room: float | None = None,
        shrink: float = 1.0,
        flip: bool | None = None,
    ) -> None:
        """All copies of a thing side by side around (x, y); ``room`` is the width that they may fill."""
        thing, noun = self._thing(index)
        extent = find_extent(thing)
        width = extent.width * shrink
        gap = 5.0 if thing.count > 1 else 0.0
        total = thing.count * width + (thing.count - 1) * gap
        if room is not None and total > room:
            smaller = (room - (thing.count - 1) * gap) / (thing.count * width)
            if smaller < LEAST_ROW:
                raise LayoutError(f"{thing.count} {noun.plural} do not fit there")
            shrink, width, total = shrink * smaller, width * smaller, room
        drawn = bool(self.rng.random() < 0.5) and self._may_flip(index)
        flip = drawn if flip is None else flip
        # The ground point is not always the middle of the drawing.
        aside = (extent.x0 + extent.x1) / 2 * shrink * (1 if flip else -1)
        if has_skeleton(noun.name, "person"):
            aside = 0.0
        for copy in range(thing.count):
            cx = x - total / 2 + width / 2 + copy * (width + gap) + aside
            self.placements.append(
                Placement(index, copy, cx, y, self._scale(index) * shrink, flip, (*layer, index, copy))
            )

    def _may_flip(self, index: int) -> bool:
        thing, noun = self._thing(index)
        holds = any(r.name == "holding" and index in (r.subject, r.object) for r in self.scene.relations)
        return not holds and thing.posture != "sleeping" and noun.name not in ("clock", "bed")

    def _free_spot(self, host: int, half: float, width: float, guests: int) -> float:
        """Where on a surface of half width ``half`` the next guest goes: the middle, or one side after the other."""
        if guests == 1:
            slack = max(0.0, half - width / 2)
            return float(self.rng.uniform(-slack, slack)) * 0.7
        side = self.taken.get(host, -1.0)
        self.taken[host] = -side
        return side * half / 2

    def _guests(self, host: int, name: str) -> int:
        return sum(r.name == name and r.object == host for r in self.scene.relations)

    def _put_on(self, guest: int, host: int) -> None:
        thing, _ = self._thing(guest)
        _, noun = self._thing(host)
        if noun.top is None:
            raise LayoutError(f"nothing stands on {noun.plural}")
        base = self._of(host)
        width, height = _size(thing)
        half = noun.top.half * base.scale
        guests = self._guests(host, "on")
        if height > noun.top.tallest * SIZES[self.scene.things[host].size] * 1.05:
            raise LayoutError(f"{thing.noun} is too large for a {noun.name}")
        room = (2 * half + 12) / (1 if guests == 1 else 2) - (0 if guests == 1 else 6)
        x = self._free_spot(host, half, min(width * thing.count, room), guests)
        top_x = (-noun.top.x if base.flip else noun.top.x) * base.scale
        self._add_row(guest, base.x + top_x + x, base.y + noun.top.y * base.scale, (*base.layer, 6), room)

    def _put_in(self, guest: int, host: int) -> None:
        thing, guest_noun = self._thing(guest)
        _, noun = self._thing(host)
        if noun.hollow is None:
            raise LayoutError(f"nothing is in {noun.plural}")
        base = self._of(host)
        width, height = _size(thing)
        hollow = noun.hollow
        if height > hollow.tallest * SIZES[self.scene.things[host].size] * 1.05:
            raise LayoutError(f"{thing.noun} is too large for a {noun.name}")
        half = hollow.half * base.scale
        guests = self._guests(host, "in")
        room = 2 * half / (1 if guests == 1 else 2)
        x = self._free_spot(host, half, min(width * thing.count, room), guests)
        # What is looked at for its colour must not sink: a cherry, not its stem.
        sink = min(hollow.depth * base.scale, (0.16 if guest_noun.band[0] > 0.3 else 0.3) * height)
        if noun.name == "vase" and guest_noun.name != "flower":
            raise LayoutError("a vase holds flowers")
        y = base.y + hollow.y * base.scale + sink
        self._add_row(guest, base.x + x, y, (*base.layer, 2), room)

    def _put_under(self, guest: int, host: int) -> None:
        thing, _ = self._thing(guest)
        _, noun = self._thing(host)
        if noun.shelter is None:
            raise LayoutError(f"nothing shelters under {noun.plural}")
        base = self._of(host)
        _, height = _size(thing)
        ceiling = -noun.shelter.y * base.scale
        shrink = min(1.0, 0.96 * ceiling / height)
        if shrink < LEAST_ROW:
            raise LayoutError(f"{thing.noun} is too tall to be under a {noun.name}")
        room = (noun.shelter.x1 - noun.shelter.x0) * base.scale
        middle = (noun.shelter.x1 + noun.shelter.x0) / 2 * base.scale
        x = base.x + (-middle if base.flip else middle)
        self._add_row(guest, x, base.y - 1, (-1, *base.layer), room, shrink)

    def _put_behind(self, guest: int, host: int) -> None:
        thing, guest_noun = self._thing(guest)
        host_thing, noun = self._thing(host)
        if not noun.covers or host_thing.count > 1 or self._guests(host, "behind") > 1:
            raise LayoutError(f"nothing hides behind {noun.plural}")
        base = self._of(host)
        width, height = _size(thing)
        cover_width, cover = _size(host_thing)
        if guest_noun.kind != "person":
            self._peep_out(guest, host, cover)
            return
        # Between a fifth and half of it are hidden, from below.
        lift = min(max(cover - 0.42 * height, 4.0), FLOOR - HORIZON - 40)
        hidden = (cover - lift) / height
        if not 0.2 <= hidden <= 0.5:
            raise LayoutError(f"behind a {noun.name}, {hidden:.0%} of {thing.noun} would be hidden")
        if width * thing.count > cover_width * 1.5:
            raise LayoutError(f"{thing.noun} is too wide to stand behind a {noun.name}")
        self._add_row(guest, base.x + float(self.rng.uniform(-8, 8)), base.y - lift, (-2, *base.layer))

    def _peep_out(self, guest: int, host: int, cover: float) -> None:
        """An animal or thing behind something: its fore half looks out at one side, its rear is hidden."""
        thing, noun = self._thing(guest)
        extent = find_extent(thing)
        if cover < 0.5 * -extent.y0:
            raise LayoutError(f"{noun.name} is too tall to be hidden")
        side = 1 if self.rng.random() < 0.5 else -1
        edge = _box_of(self._of(host), self.scene)
        rear = (0.55 if noun.kind == "animal" else 0.45) * extent.width
        if rear > 0.9 * edge.width:
            raise LayoutError(f"{noun.name} is too wide to be behind that")
        x = edge.x1 - rear - extent.x0 if side > 0 else edge.x0 + rear + extent.x0
        self.placements.append(
            Placement(
                guest,
                0,
                x,
                self._of(host).y - (7 if noun.kind == "animal" else 12),
                self._scale(guest),
                side < 0,
                (-2, *self._of(host).layer, guest),
            )
        )

    def _put_above(self, guest: int, host: int) -> None:
        _, noun = self._thing(guest)
        if not (noun.flies or noun.hangs):
            raise LayoutError(f"{noun.plural} are not above things")
        whole = self.box() if self.placements else _box_of(self._of(host), self.scene)
        base = _box_of(self._of(host), self.scene)
        for p in self.placements:
            if p.thing == host:
                base = base.union(_box_of(p, self.scene))
        _, height = _size(self.scene.things[guest])
        top = min(base.y0, whole.y0)
        gap = min(GAP + 14, FLOOR + top - height - MARGIN)
        if gap < 12:
            raise LayoutError(f"no room above a {self.scene.things[host].noun}")
        self._add_row(guest, (base.x0 + base.x1) / 2, top - gap, (9,))

    def _put_after(self, guest: int, host: int) -> None:
        """Who chases, behind whom it chases, on the same ground and looking the same way."""
        (chaser, _), (chased, _) = self._thing(guest), self._thing(host)
        for thing in (chaser, chased):
            if thing.posture != "running" or thing.count > 1 or not has_skeleton(thing.noun, "beast"):
                raise LayoutError(f"no {thing.noun} is drawn that chases or is chased")
        ahead = self._of(host)
        edge, width = _box_of(ahead, self.scene), find_extent(chaser).width
        away = width / 2 + GAP
        x = edge.x1 + away if ahead.flip else edge.x0 - away
        self._add_row(guest, x, ahead.y, (0,), flip=ahead.flip)

    def _put_in_hand(self, guest: int, host: int) -> None:
        thing, noun = self._thing(guest)
        person, host_noun = self._thing(host)
        if not has_skeleton(host_noun.name, "person") or person.count > 1 or thing.count > 1 or noun.grip is None:
            raise LayoutError(f"{host_noun.plural} do not hold {noun.plural}")
        if person.posture in ("lying", "sleeping"):
            raise LayoutError("who lies holds nothing")
        base = self._of(host)
        hx, hy = find_hand(read_asset(host_noun.name), frozenset({person.posture or "standing"}))
        x, y = base.x + hx * base.scale, base.y + hy * base.scale
        width, height = _size(thing)
        shrink = 1.0
        if noun.grip == "hand":
            shrink = min(1.0, HELD * SIZES[person.size] / max(width, height))
            self._add_row(guest, x + 2, y + height * shrink * 0.5, (*base.layer, 8), shrink=shrink)
        elif noun.grip == "string":
            self._add_row(guest, x, y + 1, (-1, *base.layer))
        else:
            self._add_row(guest, x, y + 0.1 * height, (-1, *base.layer))
