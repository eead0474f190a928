"""Captions by the paper's template (SaCLIP Sec. 3.1), and back: "An arrow points from node A to node B."

Back means: a caption is parsed into arrows between labels without knowing the chart. Where a label holds words of the
template, so that the sentence can be read in two ways, the caption is refused. A caption is a set of sentences: what
two arrows of a chart say alike is said once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from counterfoil.tasks.flowchart.chart.labels import squeeze
from counterfoil.tasks.flowchart.chart.sight import Seen, Sight


@dataclass(frozen=True, slots=True)
class Form:
    """How one kind of line is said, around its label and the labels of its ends."""

    opening: str
    verb: str
    joint: str
    symmetric: bool = False


FORMS = {
    "arrow": Form("An arrow", " points from node ", " to node "),
    "both": Form("An arrow", " points both ways between node ", " and node ", symmetric=True),
    "line": Form("A line", " joins node ", " and node ", symmetric=True),
    "circle": Form("A circle-tipped line", " leads from node ", " to node "),
    "circles": Form("A circle-tipped line", " leads both ways between node ", " and node ", symmetric=True),
    "cross": Form("A cross-tipped line", " leads from node ", " to node "),
    "crosses": Form("A cross-tipped line", " leads both ways between node ", " and node ", symmetric=True),
}
"""By kind: what a line has at its head alone, or at both ends. A plain line has nothing."""
_KINDS = {"point": ("arrow", "both"), "circle": ("circle", "circles"), "cross": ("cross", "crosses")}
_STOPS = ".?!\u2026\u3002\uff01\uff1f"
"""A label that ends in one of these ends its sentence, too."""


@lru_cache(maxsize=65536)
def name_node(label: str) -> str:
    """The key by which a caption's names count as one: white space and a full stop at the end tell nothing."""
    return squeeze(label).rstrip(".")


@dataclass(frozen=True, slots=True)
class Claim:
    """What one sentence says; ``kind`` is one of `FORMS`."""

    tail: str
    head: str
    kind: str = "arrow"
    label: str | None = None
    """The arrow's label; None where the caption does not speak of labels."""

    def key(self) -> tuple[str, str, str, str | None]:
        """Two claims with one key say the same."""
        tail, head = name_node(self.tail), name_node(self.head)
        if FORMS[self.kind].symmetric and head < tail:
            tail, head = head, tail
        return tail, head, self.kind, None if self.label is None else squeeze(self.label)


class CaptionError(ValueError):
    """The caption is not of the template, or can be read in two ways: ``"code: details"``."""


def list_claims(sight: Sight, arrow_labels: bool) -> tuple[Claim, ...]:
    """What each of a chart's lines says.

    Raises:
        CaptionError: ``mixed_heads``, for a line with different heads, which no sentence of ours says.
    """
    return tuple(_state(arrow, sight, arrow_labels) for arrow in sight.arrows)


def state_claims(sight: Sight, arrow_labels: bool) -> tuple[Claim, ...]:
    """What a chart's caption says.

    Raises:
        CaptionError: see `list_claims`.
    """
    return unite_claims(list_claims(sight, arrow_labels))


def unite_claims(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims in order, each said once."""
    united: dict[tuple[str, str, str, str | None], Claim] = {}
    for claim in claims:
        united.setdefault(claim.key(), claim)
    return tuple(united.values())


def _state(arrow: Seen, sight: Sight, arrow_labels: bool) -> Claim:
    tail, head = sight.labels[arrow.tail], sight.labels[arrow.head]
    label = arrow.label if arrow_labels and arrow.label else None
    if not arrow.start and not arrow.end:
        return Claim(tail, head, "line", label)
    if arrow.start and arrow.end and arrow.start != arrow.end:
        raise CaptionError(f"mixed_heads: the line from {tail!r} to {head!r} has a {arrow.start} and a {arrow.end}")
    one, both = _KINDS[arrow.end or arrow.start]
    if arrow.start and arrow.end:
        return Claim(tail, head, both, label)
    return Claim(tail, head, one, label) if arrow.end else Claim(head, tail, one, label)


def write_caption(claims: Iterable[Claim]) -> str:
    """The claims as sentences.

    >>> write_caption((Claim("Start", "Dry?"), Claim("Dry?", "Pack", label="Yes")))
    'An arrow points from node Start to node Dry? An arrow labelled Yes points from node Dry? to node Pack.'
    """
    return " ".join(map(_write_sentence, claims))


def _write_sentence(claim: Claim) -> str:
    form = FORMS[claim.kind]
    labelled = f" labelled {claim.label}" if claim.label else ""
    sentence = f"{form.opening}{labelled}{form.verb}{claim.tail}{form.joint}{claim.head}"
    return sentence if sentence[-1] in _STOPS and name_node(claim.head) else sentence + "."


_OPENINGS = "|".join(sorted({f"{form.opening} (?:labelled .*?)?{form.verb.split()[0]} " for form in FORMS.values()}))
_START = re.compile(rf"(?:\A|(?<=[{_STOPS}] ))(?={_OPENINGS})", re.S)


def read_caption(caption: str) -> tuple[Claim, ...]:
    """The claims of a caption.

    Raises:
        CaptionError: ``caption_form`` or ``caption_ambiguous``.
    """
    starts = [m.start() for m in _START.finditer(caption)]
    if not starts or starts[0] != 0:
        raise CaptionError(f"caption_form: not the template: {caption[:80]!r}")
    ends = [*(s - 1 for s in starts[1:]), len(caption)]
    return tuple(_read_sentence(caption[s:e]) for s, e in zip(starts, ends, strict=True))


def _read_sentence(sentence: str) -> Claim:
    if sentence[-1] not in _STOPS:
        raise CaptionError(f"caption_form: a sentence without its full stop: {sentence[:80]!r}")
    body = sentence.removesuffix(".")
    readings = [claim for kind in FORMS for claim in _read_form(body, kind)]
    if not readings:
        raise CaptionError(f"caption_form: not the template: {sentence[:80]!r}")
    if len(readings) > 1:
        raise CaptionError(f"caption_ambiguous: {sentence[:120]!r} can be read in {len(readings)} ways")
    return readings[0]


def _read_form(body: str, kind: str) -> list[Claim]:
    """Every way to cut ``body`` by one form."""
    form = FORMS[kind]
    claims = []
    for verb_at in _places(body, form.verb):
        before = body[:verb_at]
        if before == form.opening:
            label = None
        elif before.startswith(form.opening + " labelled ") and len(before) > len(form.opening) + 10:
            label = before[len(form.opening) + 10 :]
        else:
            continue
        rest = body[verb_at + len(form.verb) :]
        for joint_at in _places(rest, form.joint):
            tail, head = rest[:joint_at], rest[joint_at + len(form.joint) :]
            if tail.strip() and head.strip():
                claims.append(Claim(tail, head, kind, label))
    return claims


def _places(text: str, part: str) -> list[int]:
    return [m.start() for m in re.finditer(f"(?={re.escape(part)})", text)]


def find_false_claims(claims: tuple[Claim, ...], sight: Sight) -> list[Claim]:
    """The claims that are not just what the chart's lines say; a true sentence said twice is still true.

    A claim that does not speak of its arrow's label is judged without it.
    """
    named = {c.key() for c in state_claims(sight, True)}
    plain = {c.key() for c in state_claims(sight, False)}
    return [c for c in claims if c.key() not in (plain if c.label is None else named)]
