"""Anchors of problems in words: MMCLIP Fig. 6 and 7 by a language model.

What the model writes is a proposal and never more. Its script runs in the sandbox, its caption is parsed and measured
on what was drawn, and the anchor goes through the same verifier as any other. What fails is sent back with what was
wrong, as often as the recipe allows, and then rejected with its reasons, the raw answer and its cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from counterfoil.storage.rows import Anchor, Fact, Image, Provenance, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.contract.rejects import reject_source
from counterfoil.tasks.geometry.anchors import name_figure
from counterfoil.tasks.geometry.author.figures import try_figure
from counterfoil.tasks.geometry.author.vocabulary import list_wordings
from counterfoil.tasks.geometry.captions.read import ClaimError, parse_claims
from counterfoil.tasks.geometry.facts.judge import FactError
from counterfoil.tasks.geometry.facts.predicates import DRAWN, MARKS
from counterfoil.tasks.geometry.figure.claims import find_unknown, find_unshown
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figures import Figure
from counterfoil.tasks.geometry.settings import GeometrySettings
from counterfoil.tasks.geometry.sources.problems import NEEDS_LLM
from counterfoil.tasks.llm.errors import AnswerRejected
from counterfoil.tasks.llm.repair import NotWritten, Written, add_up, write_code

if TYPE_CHECKING:
    from counterfoil.tasks.llm.author import Author

ANCHOR = "geometry.anchor"
ANCHOR_PROMPTS = ("geometry.script", "geometry.repair", "geometry.caption")


def make_anchors(row: SourceRow, context: Context[GeometrySettings]) -> Iterator[Anchor | Reject]:
    """The one anchor of a problem in words: script, picture, caption with checked claims; or a `Reject`.

    Raises:
        AuthorError: the author cannot go on (key, address, budget).
    """
    if context.llm is None:
        yield reject_source("geometry", row, NEEDS_LLM)
        return
    question, answer = str(row.payload["question"]), str(row.payload["answer"])
    variables = {"question": question, "answer": answer, "markings": context.settings.markings}
    written = write_code(
        context.llm,
        "geometry.script",
        variables,
        "geometry.repair",
        lambda code: try_figure(code, context),
        family=ANCHOR,
    )
    if isinstance(written, NotWritten):
        yield reject_source("geometry", row, *written.reasons, raw=written.raw, provenance=written.provenance)
        return
    caption = _write_caption(written, context.llm)
    if isinstance(caption, NotWritten):
        yield reject_source("geometry", row, *caption.reasons, raw=caption.raw, provenance=caption.provenance)
        return
    text, provenance = caption
    anchor_id = name_figure(row.source, row.source_id, written.code, question, answer)
    yield Anchor(
        anchor_id=anchor_id,
        domain="geometry",
        source=row.source,
        source_id=row.source_id,
        split=row.split,
        image=Image(written.result.png, f"{anchor_id}.png"),
        caption=text,
        captions=(text,),
        code=written.code,
        code_language="python",
        question=question,
        answer=answer,
        solution=row.payload.get("solution"),
        facts=_state(written.result.scene, text),
        provenance=provenance,
    )


def _state(scene: Scene, caption: str) -> tuple[Fact, ...]:
    """The measured scene with the caption's claims as its facts."""
    claims = tuple(claim for claim in parse_claims(caption) if claim.predicate not in DRAWN | MARKS)
    return scene.rounded().with_facts(claims).to_facts()


def _write_caption(written: Written[Figure], author: Author) -> tuple[str, Provenance] | NotWritten:
    """A caption whose claims all hold in the drawing; one that fails is sent back with what failed."""
    spent, raw = written.provenance, ""
    failures: list[str] = []
    earlier = ""
    reasons: list[str] = []
    for _ in range(author.settings.repair_attempts + 1):
        variables = {
            "script": written.code,
            "wordings": list_wordings(),
            "failures": failures,
            "earlier": earlier,
        }
        try:
            answer = author.ask("geometry.caption", variables, family=ANCHOR)
        except AnswerRejected as rejected:
            return NotWritten((*reasons, rejected.reason), rejected.raw, add_up(spent, rejected.provenance))
        spent, raw = add_up(spent, answer.provenance()), answer.raw
        earlier = answer.data["caption"].strip()
        failures = check_caption(earlier, written.result.scene)
        if not failures:
            return earlier, spent
        reasons += [f"caption: {failure}" for failure in failures]
    return NotWritten(tuple(reasons), raw, spent)


def check_caption(text: str, scene: Scene) -> list[str]:
    """Everything about a caption that the figure does not show, in words for the author."""
    try:
        claims = dict.fromkeys(parse_claims(text))
        strange = find_unknown(claims, scene)
        unshown = find_unshown([claim for claim in claims if claim not in strange], scene)
    except (ClaimError, FactError) as error:
        return [str(error)]
    if not claims:
        return ["the caption claims nothing"]
    return [
        *(f"{claim} names what is not in the picture" for claim in strange),
        *(f"{claim} is not shown by the picture" for claim in unshown),
    ]
