"""Geometry with a language-model author: MMCLIP Fig. 6 to 11 on any problem text.

What the model writes is a proposal and never more. Scripts run in the sandbox, captions are parsed and measured on
what was drawn, negative captions are checked by rules and facts before any code is asked for, and every row then goes
through the same verifiers as the procedural ones. What fails is sent back with what was wrong, as often as the recipe
allows, and then rejected with its reasons, the raw answer and its cost. Nothing else fills the gap.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from renderers.results import Rendering
from storage.rows import Anchor, Contrast, Edit, Fact, Image, Provenance, Reject, content_id
from tasks.contract.context import Context
from tasks.contract.domain import SourceRow
from tasks.contract.family import Candidate
from tasks.geometry.captions.read import ClaimError, parse_claims
from tasks.geometry.captions.wordings import word_fact
from tasks.geometry.facts.judge import FactError, find_problem, write_fact
from tasks.geometry.facts.predicates import DRAWN, MARKS, PREDICATES
from tasks.geometry.families.perturb import CAPTION, IMAGE, name_image
from tasks.geometry.families.rule import RULE
from tasks.geometry.figure.claims import find_overdrawn, find_unknown, find_unshown, list_meanings
from tasks.geometry.figure.scene import Scene
from tasks.geometry.measuring.evidence import find_mismatch
from tasks.geometry.measuring.measure import MeasureError, measure
from tasks.geometry.measuring.rules import find_picture_problem
from tasks.geometry.verify import CheckError, check_negative_caption, look_at_anchor
from tasks.llm.errors import AnswerRejected
from tasks.llm.repair import NotWritten, Trial, Written, add_up, try_script, write_code

if TYPE_CHECKING:
    from tasks.llm.author import Author

ANCHOR = "geometry.anchor"
ANCHOR_PROMPTS = ("geometry.script", "geometry.repair", "geometry.caption")
PERTURB_PROMPTS = ("geometry.negative_captions", "geometry.edit_script", "geometry.repair")
RULE_PROMPTS = ("geometry.rule",)
LETTERS = "PQRSTUVW"


@dataclass(frozen=True)
class Figure:
    """What a script draws: its picture and the scene that is measured on it."""

    png: bytes
    scene: Scene


# --------------------------------------------------------------------------------------------- anchors


def make_anchors(row: SourceRow, context: Context) -> Iterator[Anchor | Reject]:
    """The one anchor of a problem in words: script, picture, caption with checked claims; or a `Reject`.

    Raises:
        AuthorError: the author cannot go on (key, address, budget).
    """
    question, answer = str(row.payload["question"]), str(row.payload["answer"])
    variables = {"question": question, "answer": answer, "markings": _has_markings(context)}
    written = write_code(
        context.llm, "geometry.script", variables, "geometry.repair", lambda code: _try(code, context), family=ANCHOR
    )
    if isinstance(written, NotWritten):
        yield _reject_row(row, written.reasons, written.raw, written.provenance, context)
        return
    caption = _write_caption(written, context)
    if isinstance(caption, NotWritten):
        yield _reject_row(row, caption.reasons, caption.raw, caption.provenance, context)
        return
    text, provenance = caption
    anchor_id = content_id("geometry", row.source, row.source_id, written.code, question, answer)
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
        provenance=replace(provenance, seed=context.seed),
    )


def _has_markings(context: Context) -> bool:
    return bool(getattr(context.settings, "markings", True))


def _state(scene: Scene, caption: str) -> tuple[Fact, ...]:
    """The measured scene with the caption's claims as its facts."""
    claims = tuple(claim for claim in parse_claims(caption) if claim.predicate not in DRAWN | MARKS)
    return scene.rounded().with_facts(claims).to_facts()


def _try(code: str, context: Context) -> Trial[Figure]:
    """Run a script and measure its drawing; what a viewer could not read is a failure, fit for a repair prompt."""
    trial = try_script(context.renderer, code)
    if trial.result is None:
        return Trial(None, trial.problem, trial.code, trial.line, trial.source_line, trial.log)
    figure = _look(trial.result)
    return Trial(figure) if isinstance(figure, Figure) else Trial(problem=figure, code="picture")


def _look(rendering: Rendering) -> Figure | str:
    assert rendering.drawing is not None and rendering.png is not None
    problem = find_picture_problem(rendering.drawing)
    if problem:
        return f"the picture breaks the drawing rules: {problem}"
    mismatch = find_mismatch(rendering.drawing, rendering.png)
    if mismatch:
        return f"what was drawn cannot be seen as it was drawn: {mismatch}"
    try:
        scene = measure(rendering.drawing).scene
    except MeasureError as error:
        return f"the drawing cannot be read as a labelled figure: {error}"
    if not scene.points:
        return "the drawing has no labelled point"
    overdrawn = find_overdrawn(scene)
    if overdrawn:
        return f"the picture states what its lines do not show: {_tell(overdrawn)}"
    return Figure(rendering.png, scene)


def _write_caption(written: Written[Figure], context: Context) -> tuple[str, Provenance] | NotWritten:
    """A caption whose claims all hold in the drawing; one that fails is sent back with what failed."""
    author: Author = context.llm
    spent, raw = written.provenance, ""
    failures: list[str] = []
    reasons: list[str] = []
    for _ in range(author.settings.repair_attempts + 1):
        variables = {"script": written.code, "predicates": list_predicates(), "failures": failures}
        try:
            answer = author.ask("geometry.caption", variables, family=ANCHOR)
        except AnswerRejected as rejected:
            return NotWritten((*reasons, rejected.reason), rejected.raw, add_up(spent, rejected.provenance))
        spent, raw = add_up(spent, answer.provenance()), answer.raw
        failures = check_caption(answer.data["caption"], read_claims(answer.data["claims"]), written.result.scene)
        if not failures:
            return answer.data["caption"].strip(), spent
        reasons += [f"caption: {failure}" for failure in failures]
    return NotWritten(tuple(reasons), raw, spent)


def check_caption(text: str, claims: Sequence[Fact], scene: Scene) -> list[str]:
    """Everything about a caption and its listed claims that the figure does not show, in words for the author."""
    failures = [f"{problem} is no claim of the list" for claim in claims if (problem := find_problem(claim))]
    sound = [claim for claim in claims if not find_problem(claim)]
    try:
        read = parse_claims(text)
        told = list_meanings(read)
    except (ClaimError, FactError) as error:
        return [*failures, str(error)]
    if not read:
        return [*failures, "the caption claims nothing"]
    unsaid = [claim for claim in sound if not list_meanings([claim]) <= told and claim.predicate not in DRAWN]
    failures += [f"{write_fact(claim)} is listed but the caption does not say it" for claim in unsaid]
    known = dict.fromkeys((*read, *(claim for claim in sound if claim not in unsaid)))
    strange = set(find_unknown(known, scene))
    failures += [f"{write_fact(claim)} names what is not in the picture" for claim in strange]
    rest = [claim for claim in known if claim not in strange]
    return failures + [f"{write_fact(claim)} is not shown by the picture" for claim in find_unshown(rest, scene)]


def read_claims(listed: Sequence[Mapping[str, Any]]) -> list[Fact]:
    """The claims of an answer as facts."""
    return [Fact(each["predicate"], tuple(each["arguments"]), each["value"]) for each in listed]


def list_predicates() -> list[dict[str, str]]:
    """The predicates that a caption may claim, each with a signature such as ``length(P, Q) = value``."""
    usable = [each.name for each in PREDICATES.values() if each.group not in ("drawn", "mark")]
    return [{"name": name, "signature": _write_signature(name)} for name in ["segment", *usable]]


def _write_signature(name: str) -> str:
    """``midpoint(P, Q, R): P is the midpoint of QR``."""
    predicate = PREDICATES[name]
    points = iter(LETTERS)
    arguments = ["O" if role == "c" else next(points) for role in predicate.roles if role != "p*"]
    further = ", ..." if predicate.roles[-1] == "p*" else ""
    value = " = value" if predicate.value is not None else ""
    words = word_fact(Fact(name, tuple(arguments), "value" if value else None), 0)
    return f"{name}({', '.join(arguments)}{further}){value}" + (f": {words}" if words else "")


def _reject_row(row: SourceRow, reasons: tuple[str, ...], raw: str, provenance: Provenance, context: Context) -> Reject:
    payload = json.dumps(dict(row.payload), ensure_ascii=False, sort_keys=True)
    provenance = replace(provenance, seed=context.seed)
    return Reject(ANCHOR, reasons, row.source, row.source_id, source_row=payload, raw=raw, provenance=provenance)


# --------------------------------------------------------------------------------------------- contrasts


def make_perturbed(anchor: Anchor, context: Context) -> Iterator[Candidate | Reject]:
    """Pairs of negative caption and negative picture (Fig. 8 and 9).

    Raises:
        AuthorError: the author cannot go on.
    """
    for proposal in _propose(anchor, context, "geometry.negative_captions", CAPTION, drastic=False):
        yield proposal if isinstance(proposal, Reject) else _draw(anchor, proposal, context)


def make_rule(anchor: Anchor, context: Context) -> Iterator[Candidate | Reject]:
    """Negative captions with one to four edits each (Fig. 11).

    Raises:
        AuthorError: the author cannot go on.
    """
    for proposal in _propose(anchor, context, "geometry.rule", RULE, drastic=True):
        yield proposal if isinstance(proposal, Reject) else (proposal,)


def _propose(
    anchor: Anchor, context: Context, prompt_id: str, family: str, drastic: bool
) -> Iterator[Contrast | Reject]:
    """Negative captions that pass the rules and are false of the anchor's drawing; the others as rejects.

    Asks again, with what failed and what is taken, while the caller still wants more.
    """
    author: Author = context.llm
    try:
        scene = look_at_anchor(anchor, context)
    except CheckError as error:
        yield _reject(anchor, family, (str(error),), context)
        return
    taken: dict[frozenset[Fact], str] = {}
    failures: list[str] = []
    for _ in range(author.settings.repair_attempts + 1):
        variables = _fill(anchor, scene, context, [*failures, *map(_tell_taken, taken.values())], prompt_id)
        try:
            answer = author.ask(prompt_id, variables, family=family)
        except AnswerRejected as rejected:
            yield _reject(anchor, family, (rejected.reason,), context, rejected.raw, rejected.provenance)
            return
        listed = answer.data["negatives"]
        provenance = share_out(answer.provenance(context.seed), len(listed))
        failures = []
        for each in listed:
            text = each["caption"].strip()
            reasons = _check_proposal(text, each, anchor, context, drastic, taken)
            if reasons:
                failures.append(f"{text} ({'; '.join(reasons)})")
                yield _reject(anchor, family, reasons, context, json.dumps(each, ensure_ascii=False), provenance)
                continue
            taken[list_meanings(parse_claims(text))] = text
            edits = tuple(Edit(edit["kind"], edit["target"], edit["replacement"]) for edit in each["edits"])
            yield Contrast(
                anchor.anchor_id, family, "negative", "text", text=text, edits=edits, provenance=provenance
            )  # fmt: skip


def _tell_taken(text: str) -> str:
    return f"{text} (already taken)"


def _fill(anchor: Anchor, scene: Scene, context: Context, failures: list[str], prompt_id: str) -> dict[str, Any]:
    variables: dict[str, Any] = {
        "caption": anchor.caption or "",
        "count": getattr(context.settings, "negatives", 10),
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
    context: Context,
    drastic: bool,
    taken: Mapping[frozenset[Fact], str],
) -> tuple[str, ...]:
    """Why a proposed caption is no negative, before any code is asked for."""
    verdict = check_negative_caption(text, anchor, context, drastic=drastic)
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
    return (f"claims_listed: {_tell(unsaid)} is listed but not said",) if unsaid else ()


def _draw(anchor: Anchor, caption: Contrast, context: Context) -> Candidate | Reject:
    """The picture of a negative caption, by a changed script whose drawing shows what the caption says."""
    text = caption.text or ""
    claims = parse_claims(text)

    def try_out(code: str) -> Trial[Figure]:
        trial = _try(code, context)
        if trial.result is None:
            return trial
        unshown = find_unshown(claims, trial.result.scene)
        if unshown:
            said = f"the drawing does not show what the caption {text!r} says: {_tell(unshown)}"
            return Trial(problem=said, code="own_claims_shown")
        return trial

    variables = {"script": anchor.code or "", "caption": anchor.caption or "", "negative_caption": text}
    written = write_code(context.llm, "geometry.edit_script", variables, "geometry.repair", try_out, family=IMAGE)
    provenance = replace(add_up(caption.provenance, written.provenance), seed=context.seed)
    if isinstance(written, NotWritten):
        return _reject(anchor, IMAGE, written.reasons, context, written.raw, provenance)
    image = Contrast(
        anchor.anchor_id,
        IMAGE,
        "negative",
        "image",
        text=text,
        image=name_image(written.result.png),
        code=written.code,
        edits=caption.edits,
        provenance=provenance,
    )
    return (replace(caption, code=written.code), image)


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


def _reject(
    anchor: Anchor,
    family: str,
    reasons: tuple[str, ...],
    context: Context,
    raw: str | None = None,
    provenance: Provenance | None = None,
) -> Reject:
    return Reject(
        family,
        reasons,
        source=anchor.source,
        source_id=anchor.source_id,
        anchor_id=anchor.anchor_id,
        raw=raw,
        provenance=replace(provenance or Provenance(), seed=context.seed),
    )


def _tell(facts: Sequence[Fact]) -> str:
    return "; ".join(write_fact(fact) for fact in facts[:3])
