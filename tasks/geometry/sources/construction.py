"""The structure of a formally stated figure: which points, lines and circles there are (``construction_cdl``).

``Shape(AB,BC,CA)`` names the sides of one region, counter-clockwise; a side of three letters, ``OAB``, is the arc of
circle O from A to B. ``Collinear(ABC)`` names the points of a line in order, ``Cocircular(O,AB)`` those of a circle.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.residuals import Circle, Point, measure_distance
from counterfoil.tasks.geometry.figure.scene import Segment
from counterfoil.tasks.geometry.sources.cdl import CdlError, Statement


@dataclass(frozen=True)
class Construction:
    """Lines and circles of a figure by the names of its points."""

    segments: tuple[Segment, ...]
    chains: tuple[str, ...]
    rims: Mapping[str, tuple[str, ...]]
    """For each circle, by the name of its centre, the points on it."""
    regions: tuple[str, ...]
    """Regions with straight sides only, without the points that lie inside a side."""

    @property
    def labels(self) -> tuple[str, ...]:
        """All named points, in alphabetical order."""
        found = {label for segment in self.segments for label in segment}
        found |= {label for chain in self.chains for label in chain}
        for name, rim in self.rims.items():
            found |= {name, *rim}
        return tuple(sorted(found))

    def has_line(self, p: str, q: str) -> bool:
        """Whether a drawn line joins P and Q."""
        if (p, q) in self.segments or (q, p) in self.segments:
            return True
        for chain in self.chains:
            if p in chain and q in chain:
                low, high = sorted((chain.index(p), chain.index(q)))
                if any(self._spans(chain, segment, low, high) for segment in self.segments):
                    return True
        return False

    @staticmethod
    def _spans(chain: str, segment: Segment, low: int, high: int) -> bool:
        if segment[0] not in chain or segment[1] not in chain:
            return False
        first, last = sorted((chain.index(segment[0]), chain.index(segment[1])))
        return first <= low and high <= last


def read_construction(statements: Iterable[Statement], further_rims: Mapping[str, Iterable[str]]) -> Construction:
    """Read the construction; ``further_rims`` are points on circles known from elsewhere.

    Raises:
        CdlError: a statement of another kind.
    """
    sides: list[frozenset[str]] = []
    shapes: list[tuple[str, ...]] = []
    chains: list[str] = []
    rims: dict[str, list[str]] = {}
    for statement in statements:
        match statement.name:
            case "Shape":
                parts = tuple(part.name for part in statement.parts)
                shapes.append(parts)
                sides += [frozenset(part) for part in parts if len(part) == 2]
                for part in parts:
                    if len(part) == 3:
                        rims.setdefault(part[0], []).extend(part[1:])
            case "Collinear":
                chain = "".join(part.name for part in statement.parts)
                if len(set(chain)) != len(chain):
                    raise CdlError(f"Collinear({chain}) names a point twice")
                chains.append(chain)
            case "Cocircular":
                further = "".join(part.name for part in statement.parts[1:])
                rims.setdefault(statement.letters, []).extend(further)
            case _:
                raise CdlError(f"{statement.name} is no construction")
    # Where the construction names circles it is complete; other sources repeat them under other names, or are noise.
    for name, on_it in further_rims.items() if not rims else ():
        rims.setdefault(name, []).extend(on_it)
    segments = _merge_sides(dict.fromkeys(side for side in sides if len(side) == 2), chains)
    circles = {name: tuple(dict.fromkeys(points)) for name, points in sorted(rims.items())}
    return Construction(segments, tuple(chains), circles, tuple(_list_regions(shapes, chains)))


def _merge_sides(sides: Iterable[frozenset[str]], chains: Sequence[str]) -> tuple[Segment, ...]:
    """One segment for each chain, whole, and one for each side on none.

    A chain is drawn from end to end even where no region has a part of it as a side: of the 45 rows of the 1,610
    examined that have such parts, 43 list them all among their lines.
    """
    merged: list[Segment] = [(chain[0], chain[-1]) for chain in chains if len(chain) > 1]
    merged += [(min(side), max(side)) for side in sides if not any(side <= set(chain) for chain in chains)]
    return tuple(dict.fromkeys(merged))


def _list_regions(shapes: Iterable[Sequence[str]], chains: Sequence[str]) -> Iterable[str]:
    for shape in shapes:
        if len(shape) < 3 or any(len(side) != 2 for side in shape):
            continue
        ring = "".join(side[0] for side in shape)
        corners = "".join(
            label
            for i, label in enumerate(ring)
            if not any({ring[i - 1], label, ring[(i + 1) % len(ring)]} <= set(chain) for chain in chains)
        )
        if len(corners) in (3, 4) and len(set(corners)) == len(corners):
            yield corners


def place_circles(
    construction: Construction, points: Mapping[str, Point], tangents: Mapping[str, Sequence[str]]
) -> dict[str, Circle]:
    """Circles with the radius that the points on them give, or, without any, the foot of a tangent's.

    Raises:
        CdlError: nothing gives the radius.
    """
    circles: dict[str, Circle] = {}
    for name, rim in construction.rims.items():
        x, y = points[name]
        on_it = [label for label in (*rim, *tangents.get(name, ())) if label in points and label != name]
        radii = [measure_distance((x, y), points[label]) for label in on_it]
        if not radii or median(radii) <= 0:
            raise CdlError(f"nothing gives the radius of circle {name}")
        circles[name] = (x, y, median(radii))
    return circles


def state_incidence(construction: Construction) -> list[Fact]:
    """What the construction itself states: collinear points and points on circles."""
    facts = [Fact("collinear", tuple(chain)) for chain in construction.chains if len(chain) > 2]
    facts += [
        Fact("on_circle", (label, name)) for name, rim in construction.rims.items() for label in rim if label != name
    ]
    return facts


def state_regions(construction: Construction) -> list[Fact]:
    """The triangles and quadrilaterals among the regions."""
    kinds = {3: "triangle", 4: "quadrilateral"}
    return [Fact(kinds[len(corners)], tuple(corners)) for corners in construction.regions]


def place_missing(construction: Construction, places: Mapping[str, Point]) -> dict[str, Point]:
    """All points of the construction, those without a position where the rest suggests them.

    A circle's centre goes where the points on it have it, a point of a chain between its neighbours, and the corners
    of a region that nobody placed on a polygon of their own beside the figure. Solving makes the guess true.
    """
    known = {label: places[label] for label in construction.labels if label in places}
    missing = [label for label in construction.labels if label not in known]
    for _ in range(2):
        for label in missing:
            guess = (
                _guess_centre(construction, known, label)
                or _guess_on_chain(construction, known, label)
                or _guess_corner(construction, known, label)
                or _guess_beyond(construction, known, label)
            )
            if guess is not None and label not in known:
                known[label] = guess
    lost = [label for label in missing if label not in known]
    if lost:
        _place_beside(construction, known, lost)
    for chain in construction.chains:
        _order_chain(chain, known)
    return {label: known[label] for label in construction.labels}


def _guess_centre(construction: Construction, known: Mapping[str, Point], label: str) -> Point | None:
    rim = [known[p] for p in construction.rims.get(label, ()) if p in known]
    if len(rim) < 2:
        return None
    if len(rim) == 2:
        return ((rim[0][0] + rim[1][0]) / 2, (rim[0][1] + rim[1][1]) / 2)
    rows = np.array([[2 * x, 2 * y, 1.0] for x, y in rim])
    solution = np.linalg.lstsq(rows, np.array([x * x + y * y for x, y in rim]), rcond=None)[0]
    return (float(solution[0]), float(solution[1]))


def _guess_on_chain(construction: Construction, known: Mapping[str, Point], label: str) -> Point | None:
    for chain in construction.chains:
        at = chain.find(label)
        before = [i for i in range(at) if chain[i] in known]
        after = [i for i in range(at + 1, len(chain)) if chain[i] in known]
        if at >= 0 and before and after:
            low, high = before[-1], after[0]
            share = (at - low) / (high - low)
            (x0, y0), (x1, y1) = known[chain[low]], known[chain[high]]
            return (x0 + share * (x1 - x0), y0 + share * (y1 - y0))
    return None


def _guess_corner(construction: Construction, known: Mapping[str, Point], label: str) -> Point | None:
    """The fourth corner of a quadrilateral, as if it were a parallelogram."""
    for ring in construction.regions:
        if len(ring) == 4 and label in ring:
            at = ring.index(label)
            before, across, after = (ring[(at + i) % 4] for i in (-1, 2, 1))
            if before in known and across in known and after in known:
                (x0, y0), (x1, y1), (x2, y2) = known[before], known[across], known[after]
                return (x0 + x2 - x1, y0 + y2 - y1)
    return None


def _guess_beyond(construction: Construction, known: Mapping[str, Point], label: str) -> Point | None:
    """An end of a chain, beyond two points of it."""
    for chain in construction.chains:
        at = chain.find(label)
        others = [p for p in chain if p in known]
        if at < 0 or len(others) < 2:
            continue
        near, far = (others[0], others[1]) if at < chain.index(others[0]) else (others[-1], others[-2])
        (x0, y0), (x1, y1) = known[near], known[far]
        return (x0 + 0.5 * (x0 - x1), y0 + 0.5 * (y0 - y1))
    return None


def _order_chain(chain: str, known: dict[str, Point]) -> None:
    """Let the points of a chain change places along it where their positions contradict its order."""
    points = [known[label] for label in chain]
    ends = max(((p, q) for p in points for q in points), key=lambda pair: measure_distance(*pair))
    dx, dy = ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]
    along = sorted(points, key=lambda p: p[0] * dx + p[1] * dy)
    if along == points or along[::-1] == points:
        return
    forward = sum(measure_distance(p, q) for p, q in zip(points, along, strict=True))
    backward = sum(measure_distance(p, q) for p, q in zip(points, along[::-1], strict=True))
    for label, place in zip(chain, along if forward <= backward else along[::-1], strict=True):
        known[label] = place


def _place_beside(construction: Construction, known: dict[str, Point], lost: list[str]) -> None:
    """Put the points on circles to the right of the figure, region by region, in their order."""
    xs, ys = [p[0] for p in known.values()] or [0.0, 100.0], [p[1] for p in known.values()] or [0.0, 100.0]
    size = max(max(xs) - min(xs), max(ys) - min(ys), 1.0)
    rings = [[label for label in corners if label in lost] for corners in construction.regions]
    x = max(xs) + 0.9 * size
    for ring in [ring for ring in rings if len(ring) > 2] + [lost]:
        fresh = [label for label in ring if label not in known]
        for i, label in enumerate(fresh):
            turn = 2 * math.pi * (i + 0.3) / len(fresh)
            known[label] = (x + 0.45 * size * math.cos(turn), (min(ys) + max(ys)) / 2 + 0.4 * size * math.sin(turn))
        x += 1.2 * size
