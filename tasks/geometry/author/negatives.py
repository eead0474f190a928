"""Negatives by a language model: captions that are false of the anchor, and pictures that show them (Fig. 8 to 11).

A caption is checked by rules and facts before any code is asked for. What fails is sent back with what was wrong, as
often as the recipe allows, and is kept as a reject with the raw answer and its cost. Nothing else fills the gap.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from storage.rows import Anchor, Edit, Fact, Provenance, Reject
from tasks.contract.context import Context
from tasks.contract.family import Draft
from tasks.contract.rejects import reject_contrast
from tasks.contract.verdict import CheckError, Checks, checked
from tasks.geometry.author.figures import try_claims
from tasks.geometry.author.vocabulary import list_predicates, read_claims
from tasks.geometry.captions.read import parse_claims
from tasks.geometry.checks import check_negative_text, look_at_anchor, tell
from tasks.geometry.facts.judge import find_problem
from tasks.geometry.facts.predicates import DRAWN
from tasks.geometry.figure.claims import list_meanings
from tasks.geometry.figure.scene import Scene
from tasks.geometry.settings import GeometrySettings
from tasks.llm.errors import AnswerRejected
from tasks.llm.repair import NotWritten, add_up, write_code

PERTURB_PROMPTS = ("geometry.negative_captions", "geometry.edit_script", "geometry.repair")
RULE_PROMPTS = ("geometry.rule",)


def propose(
    anchor: Anchor, context: Context[GeometrySettings], prompt_id: str, family: str, drastic: bool
) -> Iterator[Draft | Reject]:
    """Negative captions that pass the rules and are false of the anchor's drawing; the others as rejects.

    Asks again, with what failed and what is taken, while the caller still wants more.
    """
    author = context.llm
    assert author is not None
    try:
        scene = look_at_anchor(anchor, context)
    except CheckError as error:
        yield reject_contrast(family, anchor, str(error))
        return
    taken: dict[frozenset[Fact], str] = {}
    failures: list[str] = []
    for _ in range(author.settings.repair_attempts + 1):
        variables = _fill(anchor, scene, context, [*failures, *map(_tell_taken, taken.values())], prompt_id)
        try:
            answer = author.ask(prompt_id, variables, family=family)
        except AnswerRejected as rejected:
            yield reject_contrast(family, anchor, rejected.reason, raw=rejected.raw, provenance=rejected.provenance)
            return
        listed = answer.data["negatives"]
        provenance = share_out(answer.provenance(context.seed), len(listed))
        failures = []
        for each in listed:
            text = each["caption"].strip()
            reasons = _check_proposal(text, each, anchor, context, drastic, taken)
            if reasons:
                failures.append(f"{text} ({'; '.join(reasons)})")
                raw = json.dumps(each, ensure_ascii=False)
                yield reject_contrast(family, anchor, *reasons, raw=raw, provenance=provenance)
                continue
            taken[list_meanings(parse_claims(text))] = text
            edits = tuple(Edit(edit["kind"], edit["target"], edit["replacement"]) for edit in each["edits"])
            yield Draft(text=text, edits=edits, provenance=provenance)


def _tell_taken(text: str) -> str:
    return f"{text} (already taken)"


def _fill(
    anchor: Anchor, scene: Scene, context: Context[GeometrySettings], failures: list[str], prompt_id: str
) -> dict[str, Any]:
    variables: dict[str, Any] = {
        "caption": anchor.caption or "",
        "count": context.settings.negatives,
        "letters": sorted(set(scene.points) | {name for name in scene.circles if name.isupper()}),
        "failures": failures,
    }
    if prompt_id == "geometry.negative_captions":
        variables |= {"script": anchor.code or "", "predicates": list_predicates()}
    return variables


def _check_proposal(
    text: str,
    proposal: Mapping[str, Any],
    anchor: Anchor,
    context: Context[GeometrySettings],
    drastic: bool,
    taken: Mapping[frozenset[Fact], str],
) -> tuple[str, ...]:
    """Why a proposed caption is no negative, before any code is asked for."""
    verdict = _check_caption(text, anchor, context, drastic)
    if not verdict.passed:
        return verdict.reasons
    said = list_meanings(parse_claims(text))
    if said in taken:
        return (f"repeated: says what {taken[said]!r} says",)
    for edit in proposal["edits"]:
        target, replacement = edit["target"], edit["replacement"]
        if target.casefold() not in (anchor.caption or "").casefold() or replacement not in text:
            return (f"edits_true: {target!r} -> {replacement!r} did not happen",)
    # The list of claims is the author's own account of its caption. What it claims and the text does not, it meant to
    # draw: such a caption would be judged by less than it says.
    listed = read_claims(proposal.get("claims", ()))
    malformed = [problem for claim in listed if (problem := find_problem(claim))]
    if malformed:
        return (f"claims_listed: {malformed[0]}",)
    unsaid = [claim for claim in listed if claim.predicate not in DRAWN and not list_meanings([claim]) <= said]
    return (f"claims_listed: {tell(unsaid)} is listed but not said",) if unsaid else ()


@checked
def _check_caption(
    checks: Checks, text: str, anchor: Anchor, context: Context[GeometrySettings], drastic: bool
) -> None:
    check_negative_text(checks, text, anchor, look_at_anchor(anchor, context), drastic)


def draw(anchor: Anchor, caption: Draft, context: Context[GeometrySettings], family: str) -> Draft | Reject:
    """The picture of a negative caption, by a changed script whose drawing shows what the caption says.

    Raises:
        AuthorError: the author cannot go on.
    """
    assert context.llm is not None
    text = caption.text or ""
    claims = parse_claims(text)
    variables = {"script": anchor.code or "", "caption": anchor.caption or "", "negative_caption": text}
    written = write_code(
        context.llm,
        "geometry.edit_script",
        variables,
        "geometry.repair",
        lambda code: try_claims(code, text, claims, context),
        family=family,
    )
    provenance = add_up(caption.provenance, written.provenance)
    if isinstance(written, NotWritten):
        return reject_contrast(family, anchor, *written.reasons, raw=written.raw, provenance=provenance)
    return Draft(
        text=text,
        image=written.result.png,
        code=written.code,
        edits=caption.edits,
        provenance=provenance,
        family=family,
    )


def share_out(provenance: Provenance, rows: int) -> Provenance:
    """The part of a request's tokens and cost that falls to each of the rows it gave."""
    rows = max(1, rows)
    cost = provenance.cost_usd
    return replace(
        provenance,
        input_tokens=provenance.input_tokens // rows,
        output_tokens=provenance.output_tokens // rows,
        cost_usd=None if cost is None else round(cost / rows, 9),
    )
