"""Captions by the paper's template (SaCLIP Sec. 3.1), and back: "An arrow points from node A to node B."

Back means: a caption is parsed into arrows between labels without knowing the chart. Where a label holds words of the
template, so that the sentence can be read in two ways, the caption is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.flowchart.chart.labels import squeeze
from tasks.flowchart.chart.sight import Seen, Sight


@dataclass(frozen=True, slots=True)
class Claim:
    """What one sentence says. ``kind`` is arrow, both (heads at both ends) or line (no head)."""

    tail: str
    head: str
    kind: str = "arrow"
    label: str | None = None
    """The arrow's label; None where the caption does not speak of labels."""

    def key(self) -> tuple[str, str, str, str | None]:
        """Two claims with one key say the same."""
        tail, head = squeeze(self.tail), squeeze(self.head)
        if self.kind != "arrow" and head < tail:
            tail, head = head, tail
        return tail, head, self.kind, None if self.label is None else squeeze(self.label)


class CaptionError(ValueError):
    """The caption is not of the template, or can be read in two ways: ``"code: details"``."""


def state_claims(sight: Sight, arrow_labels: bool) -> tuple[Claim, ...]:
    """What a chart's caption says, arrow by arrow."""
    return tuple(_state(arrow, sight, arrow_labels) for arrow in sight.arrows)


def _state(arrow: Seen, sight: Sight, arrow_labels: bool) -> Claim:
    tail, head = arrow.tail, arrow.head
    if arrow.start and not arrow.end:
        tail, head = head, tail
    kind = "both" if arrow.start and arrow.end else "arrow" if arrow.start or arrow.end else "line"
    label = arrow.label if arrow_labels and arrow.label else None
    return Claim(sight.labels[tail], sight.labels[head], kind, label)


def write_caption(claims: tuple[Claim, ...]) -> str:
    """The claims as sentences.

    >>> write_caption((Claim("Start", "Wash"), Claim("Wash", "Dry", label="Yes")))
    'An arrow points from node Start to node Wash. An arrow labelled Yes points from node Wash to node Dry.'
    """
    return " ".join(_sentence(claim) for claim in claims)


def _sentence(claim: Claim) -> str:
    labelled = f" labelled {claim.label}" if claim.label else ""
    if claim.kind == "both":
        return f"An arrow{labelled} points both ways between node {claim.tail} and node {claim.head}."
    if claim.kind == "line":
        return f"A line{labelled} joins node {claim.tail} and node {claim.head}."
    return f"An arrow{labelled} points from node {claim.tail} to node {claim.head}."


_START = re.compile(r"(?:\A|(?<=\. ))(?=An arrow (?:labelled .*?)?points |A line (?:labelled .*?)?joins )", re.S)
_FORMS = (
    ("arrow", "An arrow", " points from node ", " to node "),
    ("both", "An arrow", " points both ways between node ", " and node "),
    ("line", "A line", " joins node ", " and node "),
)


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
    if not sentence.endswith("."):
        raise CaptionError(f"caption_form: a sentence without its full stop: {sentence[:80]!r}")
    body = sentence[:-1]
    readings = [claim for form in _FORMS for claim in _read_form(body, *form)]
    if not readings:
        raise CaptionError(f"caption_form: not the template: {sentence[:80]!r}")
    if len(readings) > 1:
        raise CaptionError(f"caption_ambiguous: {sentence[:120]!r} can be read in {len(readings)} ways")
    return readings[0]


def _read_form(body: str, kind: str, opening: str, verb: str, joint: str) -> list[Claim]:
    """Every way to cut ``body`` by one form."""
    claims = []
    for verb_at in _places(body, verb):
        before = body[:verb_at]
        if before == opening:
            label = None
        elif before.startswith(opening + " labelled ") and len(before) > len(opening) + 10:
            label = before[len(opening) + 10 :]
        else:
            continue
        rest = body[verb_at + len(verb) :]
        for joint_at in _places(rest, joint):
            tail, head = rest[:joint_at], rest[joint_at + len(joint) :]
            if tail.strip() and head.strip():
                claims.append(Claim(tail, head, kind, label))
    return claims


def _places(text: str, part: str) -> list[int]:
    return [m.start() for m in re.finditer(f"(?={re.escape(part)})", text)]


def find_false_claims(claims: tuple[Claim, ...], sight: Sight) -> list[Claim]:
    """The claims that are not true of the chart; a true sentence said twice is still true.

    A claim that does not speak of its arrow's label is judged without it.
    """
    named = {c.key() for c in state_claims(sight, True)}
    plain = {c.key() for c in state_claims(sight, False)}
    return [c for c in claims if c.key() not in (plain if c.label is None else named)]
