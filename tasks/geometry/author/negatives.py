"""Negatives by a language model: captions that are false of the anchor, and pictures that show them (Fig. 8 to 11).

A caption is checked by rules and facts before any code is asked for. What fails is told the model with its reason when
the missing ones are asked for, and is kept as a reject with the raw answer and its cost. Nothing else fills the gap.

All of an anchor's requests that do not need each other's answers are asked together: in a batch, where a round may take
a day, ten pictures take as many rounds as one.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.storage.rows import Anchor, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import CheckError
from counterfoil.tasks.geometry.author.figures import try_negative
from counterfoil.tasks.geometry.author.proposals import Proposals
from counterfoil.tasks.geometry.captions.read import parse_claims
from counterfoil.tasks.geometry.checks import look_at_anchor
from counterfoil.tasks.geometry.figures import Figure
from counterfoil.tasks.geometry.settings import GeometrySettings
from counterfoil.tasks.llm.asking import Ask
from counterfoil.tasks.llm.repair import NotWritten, Writing, add_up

PERTURB_PROMPTS = ("geometry.negative_captions", "geometry.edit_script", "geometry.repair")
RULE_PROMPTS = ("geometry.rule",)


def write_captions(anchor: Anchor, context: Context[GeometrySettings], family: str) -> Iterator[Draft | Reject]:
    """Negative captions with one to four edits each, and no pictures (Fig. 11).

    Raises:
        AuthorError: the author cannot go on.
    """
    author = context.llm
    assert author is not None
    try:
        proposals = Proposals(anchor, look_at_anchor(anchor, context), "geometry.rule", family, drastic=True)
    except CheckError as error:
        yield reject_contrast(family, anchor, str(error))
        return
    for _ in range(author.settings.repair_attempts + 1):
        missing = context.settings.negatives - len(proposals.taken)
        if proposals.ended or missing <= 0:
            return
        yield from proposals.take(author.ask_many([proposals.ask(missing)])[0])


def write_pairs(
    anchor: Anchor, context: Context[GeometrySettings], caption_family: str, image_family: str
) -> Iterator[tuple[Draft, Draft] | Reject]:
    """Pairs of a negative caption and the picture that shows it (Fig. 8 and 9).

    Every round asks for the captions that are missing and for each picture the next thing that it needs. There are two
    rounds more than ``repair_attempts``: one for captions, one for scripts, and one for each repair.

    Raises:
        AuthorError: the author cannot go on.
    """
    author = context.llm
    assert author is not None
    try:
        scene = look_at_anchor(anchor, context)
    except CheckError as error:
        yield reject_contrast(caption_family, anchor, str(error))
        return
    proposals = Proposals(anchor, scene, "geometry.negative_captions", caption_family, drastic=False)
    rounds = author.settings.repair_attempts + 2
    under_way: list[tuple[Draft, Writing[Figure]]] = []
    drawn = 0
    for turn in range(1, rounds + 1):
        missing = context.settings.negatives - drawn - len(under_way)
        wanted = [proposals.ask(missing)] if missing > 0 and turn < rounds and not proposals.ended else []
        asks = [writing.ask for _, writing in under_way if writing.ask is not None]
        if not wanted and not asks:
            return
        answers = author.ask_many([*wanted, *asks])
        proposed = proposals.take(answers.pop(0)) if wanted else ()
        for (_, writing), answer in zip(under_way, answers, strict=True):
            writing.take(answer)
        for caption, writing in under_way:
            if writing.outcome is None and turn == rounds:
                writing.give_up()
            if writing.outcome is not None:
                pair = _finish(anchor, caption, writing, caption_family, image_family)
                drawn += not isinstance(pair, Reject)
                yield pair
        under_way = [(caption, writing) for caption, writing in under_way if writing.outcome is None]
        for each in proposed:
            if isinstance(each, Reject):
                yield each
            else:
                under_way.append((each, _start(anchor, each, context, image_family)))


def _start(anchor: Anchor, caption: Draft, context: Context[GeometrySettings], family: str) -> Writing[Figure]:
    """Begin the picture of a negative caption: a changed script whose drawing shows what the caption says."""
    assert context.llm is not None
    text = caption.text or ""
    claims = parse_claims(text)
    variables = {"script": anchor.code or "", "caption": anchor.caption or "", "negative_caption": text}
    return Writing(
        Ask("geometry.edit_script", variables, family),
        "geometry.repair",
        lambda code: try_negative(code, text, claims, anchor, context),
        context.llm.settings.repair_attempts,
    )


def _finish(
    anchor: Anchor, caption: Draft, writing: Writing[Figure], caption_family: str, image_family: str
) -> tuple[Draft, Draft] | Reject:
    outcome = writing.outcome
    assert outcome is not None
    provenance = add_up(caption.provenance, outcome.provenance)
    if isinstance(outcome, NotWritten):
        return reject_contrast(image_family, anchor, *outcome.reasons, raw=outcome.raw, provenance=provenance)
    said = Draft(
        text=caption.text,
        code=outcome.code,
        edits=caption.edits,
        provenance=caption.provenance,
        family=caption_family,
    )
    shown = Draft(
        text=caption.text,
        image=outcome.result.png,
        code=outcome.code,
        edits=caption.edits,
        provenance=provenance,
        family=image_family,
    )
    return said, shown
