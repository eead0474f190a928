"""The gate: what a run says of its negatives before they are published, and how many rows it may look at for that.

The figures are those of an audit (`tasks.tells.measure`) of fewer anchors and without the pixel model, so that they are
the same wherever torch is installed or not. A family is over the limit where its whole interval is. What is shown is
the strongest of several judges, so its interval is one that holds for all of them together; and where few anchors are
told apart oftener than by chance, more of them are judged before anything is said.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from counterfoil.tasks.encoders.fluency import open_language_model
from counterfoil.tasks.tells.compare import FEWEST_BLOCKS
from counterfoil.tasks.tells.measure import MOST_ANCHORS, FamilyAudit, JudgeFigures, Rows, audit_family
from counterfoil.tasks.tells.settings import AuditSettings

VERSION = 3
"""Bump when the gate would measure other figures of the same rows."""
SHARE = 0.08
"""Of a run's CPU seconds, what the gate is planned to take: a tenth at most, as a plan may err."""
LEAST_S = 1.0
"""What it may take at least: a first try of a new family makes few rows, and starting a run takes CPU as well."""
_UNJUDGED_S = 0.1
"""CPU seconds to find that a family has too few source rows."""
_TEXT_S = (0.3, 0.0025)
"""CPU seconds to judge texts: beside anything, and for each text."""
_PICTURE_S = (0.3, 0.019)
_FEWEST = FEWEST_BLOCKS + 5
"""Anchors that are worth the judging: some may be of one source row."""
CONFIRMED = 100
"""Anchors by which a family is judged again of which fewer were told apart."""
_DIGITS = 6
_MOST_READ = 60
"""Anchors whose texts a language model reads."""


@dataclass(frozen=True)
class Blind:
    """How often a judge that sees one side alone is right, by chance in ``chance`` of all cases. The interval is of
    95 % for the strongest of all judges that were tried: of one judge it is narrower."""

    judge: str
    share: float
    low: float
    high: float
    chance: float

    def exceeds(self, limit: float) -> bool:
        """Whether the whole interval lies further over chance than ``limit`` over a half."""
        return round(self.low - self.chance - (limit - 0.5), _DIGITS) > 0

    def __str__(self) -> str:
        share, low, high, chance = (f"{100 * each:.0f}" for each in (self.share, self.low, self.high, self.chance))
        return f"{share} % (95 % interval {low} to {high}; chance {chance})"


@dataclass(frozen=True)
class Look:
    """What was found of a family's texts or pictures beside its anchors' own."""

    modality: str
    beside: str
    """What of the anchors they stand beside: picture, caption, captions or code."""
    anchors: int
    contrasts: int
    told: Blind | None
    """How often a contrast is told from its own anchor; None where there are too few source rows."""
    picked: Blind | None
    """How often the anchor is picked out of its set; None where no set has two contrasts, or there are too few."""
    fluent: Blind | None = None
    """How often a language model finds the anchor's text likelier; None where none was asked."""
    inverted: tuple[str, ...] = ()
    """Judges that are wrong more often than by chance: who turns their scores round is right."""


@dataclass(frozen=True)
class Gated:
    """What the gate found of one family of negatives."""

    family: str
    rows: str
    """Fingerprint of the rows that it is about."""
    looks: tuple[Look, ...] = ()
    unjudged: str = ""
    """Why there are no figures."""

    def list_over(self, limit: float) -> list[str]:
        """Each way in which it gives itself away, in words, the one that is furthest over chance first."""
        over = []
        for look in self.looks:
            ways = (
                (look.told, "a blind judge recognises the negative in"),
                (look.picked, "a judge that sees a whole set, without the question, identifies the anchor in"),
                (look.fluent, "a language model finds the anchor's text likelier than the negative's in"),
            )
            over += [
                (found, f"{way} {found}, compared with the anchors' {look.beside}")
                for found, way in ways
                if found is not None
            ]
        over = sorted(over, key=lambda each: each[0].chance - each[0].low)
        return [told for found, told in over if found.exceeds(limit)]

    def list_inverted(self) -> list[str]:
        """The judges that are wrong more often than by chance."""
        return sorted({judge for look in self.looks for judge in look.inverted})


_GATED = TypeAdapter(list[Gated])


def describe_gate(gated: Sequence[Gated], settings: AuditSettings) -> dict[str, Any]:
    """Plain data for a commit's metadata: the figures, and what they come to under these settings."""
    families = {}
    for each in sorted(gated, key=lambda one: one.family):
        over = each.list_over(settings.limit)
        accepted = bool(over) and each.family in settings.accept_tell
        verdict = "unjudged" if each.unjudged else "accepted" if accepted else "over" if over else "within"
        families[each.family] = {**asdict(each), "looks": [_describe_look(look) for look in each.looks]} | {
            "verdict": verdict,
            "over": over,
            "inverted": each.list_inverted(),
        }
    return {"limit": settings.limit, "families": families}


def _describe_look(look: Look) -> dict[str, Any]:
    return asdict(look) | {"inverted": list(look.inverted)}


def read_gate(described: Mapping[str, Any]) -> dict[str, Gated]:
    """Family to what was found of it, from a commit's metadata; nothing of what another version wrote."""
    try:
        found = _GATED.validate_python(list(described.get("families", {}).values()))
    except ValidationError:
        return {}
    return {each.family: each for each in found}


def keep_families(described: Mapping[str, Any], families: Collection[str]) -> dict[str, Any]:
    """What a commit says, of these families alone."""
    found = described.get("families", {})
    return {**described, "families": {name: each for name, each in found.items() if name in families}}


def tell_gate(described: Mapping[str, Any]) -> list[str]:
    """The gate in a few lines of plain English."""
    found = described.get("families", {})
    if not found:
        return []
    by_verdict: dict[str, list[str]] = {}
    for name, each in found.items():
        by_verdict.setdefault(each["verdict"], []).append(name)
    limit = f"{100 * described['limit']:g} %"
    judged = len(found) - len(by_verdict.get("unjudged", ()))
    over = [*by_verdict.get("over", ()), *by_verdict.get("accepted", ())]
    told = (
        f"{judged - len(over)} of {judged} judged families of negatives are within [audit] limit ({limit})"
        if judged
        else "no family has enough rows to be judged"
    )
    lines = [f"blind judges, which see one side alone: {told}"]
    inverted = [name for name, each in found.items() if each.get("inverted")]
    if inverted:
        lines[0] += (
            f". Some judges are wrong more often than by chance, which is as much of a cue: {', '.join(inverted)}"
        )
    for name in by_verdict.get("over", ()):
        lines.append(
            f"warning: {name} can be recognised blind: {found[name]['over'][0]}{_count_more(found[name]['over'])}"
        )
    for name in by_verdict.get("accepted", ()):
        lines.append(f"{name} can be recognised blind, which accept_tell accepts: {found[name]['over'][0]}")
    by_reason: dict[str, list[str]] = {}
    for name in by_verdict.get("unjudged", ()):
        by_reason.setdefault(found[name]["unjudged"], []).append(name)
    return lines + [f"{', '.join(names)}: {reason}" for reason, names in by_reason.items()]


def _count_more(over: Sequence[str]) -> str:
    return f", and in {len(over) - 1} other way{'s' if len(over) > 2 else ''}" if len(over) > 1 else ""


def gate_family(rows: Rows, family: str, most: int, name: str, language_model: str | None = None) -> Gated:
    """Judge a family of negatives by ``most`` of its anchors; ``name`` is the fingerprint of its rows.

    Raises:
        EncoderError, MissingPackageError: there is no such language model.
    """
    read = open_language_model(language_model).measure if language_model else None
    audits = audit_family(rows, family, most=most, name=name, read=read, most_read=_MOST_READ)
    looks = _shorten_all(audits)
    if any(each.having > most for each in audits) and most < CONFIRMED and any(map(_is_told, looks)):
        audits = audit_family(rows, family, most=CONFIRMED, name=name, read=read, most_read=_MOST_READ)
        looks = _shorten_all(audits)
    if any(look.told is not None for look in looks):
        return Gated(family, name, looks)
    sources = max((each.sources for each in audits), default=0)
    few = f"too few to judge: {sources} source row{'' if sources == 1 else 's'}, and {FEWEST_BLOCKS} are needed"
    return Gated(family, name, looks, few if audits else "no row to judge")


def _shorten_all(audits: Sequence[FamilyAudit]) -> tuple[Look, ...]:
    return tuple(_shorten(each, len(audits)) for each in audits)


def _shorten(audit: FamilyAudit, looks: int) -> Look:
    pairwise = (*audit.judges, *audit.halves)
    told = max(pairwise, key=lambda each: each.figures.pairwise.value, default=None)
    picked = audit.sets[0] if audit.sets else None
    fluent = audit.fluent[0] if audit.fluent else None
    return Look(
        audit.modality,
        audit.beside,
        audit.anchors,
        audit.contrasts,
        _tell(told, looks * len(pairwise)),
        _tell(picked, looks * len(audit.sets), picked=True),
        _tell(fluent, looks * len(audit.fluent)),
        tuple(audit.list_inverted()),
    )


def _tell(found: JudgeFigures | None, tried: int, picked: bool = False) -> Blind | None:
    """The strongest of so many judges, with its interval widened for their number."""
    if found is None:
        return None
    share = (found.figures.picked if picked else found.figures.pairwise).widen(tried)
    figures = (share.value, share.low, share.high, found.figures.chance if picked else 0.5)
    return Blind(found.judge, *(round(each, _DIGITS) for each in figures))


def _is_told(look: Look) -> bool:
    """Whether a judge is right oftener than by chance."""
    return any(each is not None and each.low > each.chance for each in (look.told, look.picked, look.fluent))


@dataclass(frozen=True)
class Size:
    """How many rows a family of negatives has."""

    anchors: int
    contrasts: int
    pictures: bool
    sources: int | None = None
    """Source rows that its anchors came of at most; None where that is not known."""

    def estimate_s(self, anchors: int) -> float:
        """CPU seconds to judge it by so many of its anchors, as measured of our own families."""
        if self.sources is not None and self.sources < FEWEST_BLOCKS:
            return _UNJUDGED_S
        items = min(anchors, self.anchors) * (1 + self.contrasts / max(self.anchors, 1))
        first, each = _PICTURE_S if self.pictures else _TEXT_S
        return first + each * items * (1 if self.pictures else 2)  # texts often stand beside one caption and beside all


def plan_gate(sizes: Mapping[str, Size], cpu_s: float, fewest: int = 0) -> dict[str, int]:
    """Anchors by which each family is judged: as many of each as a part of the run's ``cpu_s`` CPU seconds allows.

    Where not even the fewest can be judged of all, those of the least cost are, ``fewest`` families at least; the
    others are left out.
    """
    left = max(LEAST_S, SHARE * cpu_s)

    def sum_up(anchors: int) -> float:
        return math.fsum(size.estimate_s(anchors) for size in sizes.values())

    if sum_up(_FEWEST) <= left:
        low, high = _FEWEST, MOST_ANCHORS + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if sum_up(middle) <= left else (low, middle)
        return dict.fromkeys(sizes, low)
    planned: dict[str, int] = {}
    for name in sorted(sizes, key=lambda name: (sizes[name].estimate_s(_FEWEST), name)):
        left -= sizes[name].estimate_s(_FEWEST)
        if left < 0 and len(planned) >= fewest:
            break
        planned[name] = _FEWEST
    return planned
