"""Row by row: what a maker proposes is verified, and accepted or kept as a reject with its reasons."""

from __future__ import annotations

import logging
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pyarrow as pa

from counterfoil.storage.rows import Anchor, Contrast, Image, Reject, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain, SourceRow
from counterfoil.tasks.contract.family import Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast, reject_source
from counterfoil.tasks.contract.splits import name_split
from counterfoil.tasks.contract.verdict import Verdict
from counterfoil.tasks.engine.deadline import OvertimeError, limited_time
from counterfoil.tasks.engine.groups import name_group
from counterfoil.tasks.engine.offers import judge_contrast, judge_row, take_anchors, take_offers
from counterfoil.tasks.engine.splits import assign_split
from counterfoil.tasks.llm.errors import NOT_ASKED
from counterfoil.tasks.packages import explained

INTERNAL_ERROR = "internal_error"

log = logging.getLogger("counterfoil.rows")


def make_anchors(domain: Domain[Any], row: SourceRow, context: Context[Any]) -> list[Anchor | Reject]:
    """The verified anchors of one source row; what fails is a reject with its reasons."""
    made: list[Anchor | Reject] = []
    split = name_split(row.split)
    if split is None:
        reason = f"bad_row: the field split is {row.split!r}; write train, val or test, or leave it out"
        return [_stamp(reject_source(domain.name, row, reason), context)]
    row = replace(row, split=split)
    try:
        with limited_time(context.bounds.seconds):
            offered = domain.sources[row.source].make_anchors(row, context)
            for anchor in take_anchors(offered, domain.name, context.bounds):
                made.append(_stamp(_judge_anchor(anchor, domain, row, context), context))
    except OvertimeError as error:
        made.append(_stamp(reject_source(domain.name, row, _describe_overtime(error, context)), context))
    except ImportError:
        with explained():
            raise
    except (Exception, SystemExit) as error:
        # One row must not end the night's run: it is kept, counted and told. What is about the run goes on up.
        if _is_fatal(error):
            raise
        made.append(_stamp(reject_source(domain.name, row, _describe_bug(error, row.source_id)), context))
    return made


def _judge_anchor(
    anchor: Anchor | Reject | str, domain: Domain[Any], row: SourceRow, context: Context[Any]
) -> Anchor | Reject:
    """What becomes of one thing that was made of a row: a text says why it is no anchor."""
    if isinstance(anchor, str):
        return reject_source(domain.name, row, anchor)
    if isinstance(anchor, Reject):
        return anchor
    verdict = judge_row(domain.verify_anchor, anchor, context)
    return _place(anchor, context) if verdict.passed else _reject_anchor(domain, row, verdict, anchor)


def _place(anchor: Anchor, context: Context[Any]) -> Anchor:
    """The anchor in its group, and in a split where its source names none."""
    return assign_split(name_group(anchor), context.settings.test_share, context.seed)


def make_contrasts(group: Sequence[Family[Any]], anchor: Anchor, context: Context[Any]) -> list[Contrast | Reject]:
    """An anchor's verified contrasts for families that share a maker, ranked in the maker's order, spare ones too.

    Candidates that stand or fall together are accepted together. Where an anchor ends with fewer than the settings
    ask for, one reject per family says how many are missing and why; nothing else fills the gap.
    """
    families = {family.name: family for family in group}
    target = {name: family.count(context.settings) for name, family in families.items()}
    by_model = context.llm is not None and group[0].make_llm is not None
    enough = {
        name: None if count is None else count + (0 if by_model else families[name].spare(context.settings))
        for name, count in target.items()
    }
    accepted: dict[str, list[Contrast]] = {name: [] for name in families}
    rejects: list[Reject] = []
    make = group[0].make_llm if by_model and group[0].make_llm is not None else group[0].make
    try:
        with limited_time(context.bounds.seconds):
            for candidate in take_offers(make(anchor, context), [*families], context.bounds):
                if isinstance(candidate, Reject | str):
                    told = (
                        reject_contrast(group[0].name, anchor, candidate) if isinstance(candidate, str) else candidate
                    )
                    rejects.append(_stamp(told, context))
                    continue
                drafts = candidate if isinstance(candidate, tuple) else (candidate,)
                contrasts = [_form(draft, families[draft.family or group[0].name], anchor, context) for draft in drafts]
                verdicts = [_verify_new(families, accepted, contrast, anchor, context) for contrast in contrasts]
                if all(verdict.passed for verdict in verdicts):
                    for contrast, verdict in zip(contrasts, verdicts, strict=True):
                        done = accepted[contrast.family]
                        done.append(accept_contrast(contrast, len(done), verdict))
                else:
                    rejects.extend(_reject_together(anchor, contrasts, verdicts))
                if all(n is not None and len(accepted[name]) >= n for name, n in enough.items()):
                    break
    except OvertimeError as error:
        reason = _describe_overtime(error, context)
        rejects.append(_stamp(reject_contrast(group[0].name, anchor, reason), context))
    except ImportError:
        with explained():
            raise
    except (Exception, SystemExit) as error:
        if _is_fatal(error):
            raise
        rejects.append(_stamp(reject_contrast(group[0].name, anchor, _describe_bug(error, anchor.anchor_id)), context))
    for name, wanted in target.items():
        if wanted is not None and len(accepted[name]) < wanted:
            reason = _describe_shortfall(name, wanted, len(accepted[name]), rejects)
            rejects.append(_stamp(reject_contrast(name, anchor, reason), context))
    return [*(contrast for rows in accepted.values() for contrast in rows), *rejects]


def form_contrast(draft: Draft, family: Family[Any], anchor: Anchor) -> Contrast:
    """The contrast that a draft describes, with all that the family and the anchor say of it; not yet verified."""
    return Contrast(
        anchor.anchor_id,
        family.name,
        family.role,
        draft.modality or family.modality,
        text=draft.text,
        image=None if draft.image is None else Image(draft.image, f"{fingerprint(draft.image)[:16]}.png"),
        vector=draft.vector,
        code=draft.code,
        edits=draft.edits,
        concreteness=draft.concreteness,
        similarity=draft.similarity,
        provenance=draft.provenance,
    )


def accept_contrast(contrast: Contrast, rank: int, verdict: Verdict) -> Contrast:
    """The row as it enters the table, with all that its verdict says."""
    return contrast.accept(rank, verdict.checks, verdict.grade, verdict.witness, verdict.changes)


def _form(draft: Draft, family: Family[Any], anchor: Anchor, context: Context[Any]) -> Contrast:
    return _stamp(form_contrast(draft, family, anchor), context)


Row = TypeVar("Row", Anchor, Contrast, Reject, Anchor | Reject)


def _stamp(row: Row, context: Context[Any]) -> Row:
    """The row with the run's seed and the version of the code in its provenance."""
    provenance = replace(row.provenance, seed=context.seed, code_version=context.code_version)
    return replace(row, provenance=provenance)


def _verify_new(
    families: Mapping[str, Family[Any]],
    accepted: Mapping[str, list[Contrast]],
    contrast: Contrast,
    anchor: Anchor,
    context: Context[Any],
) -> Verdict:
    shown = (contrast.text, contrast.image and contrast.image.bytes)
    if any(shown == (other.text, other.image and other.image.bytes) for other in accepted[contrast.family]):
        return Verdict(reasons=("duplicate: the anchor already has this contrast",))
    verdict = judge_contrast(families[contrast.family], contrast, anchor, context)
    if verdict.passed and not verdict.checks:
        return Verdict(reasons=("unchecked: the verifier named no check that it passed",))
    return verdict


def _reject_anchor(domain: Domain[Any], row: SourceRow, verdict: Verdict, anchor: Anchor) -> Reject:
    return reject_source(
        domain.name,
        row,
        *verdict.reasons,
        raw=anchor.code,
        anchor_id=anchor.anchor_id,
        provenance=anchor.provenance,
    )


def _reject_together(anchor: Anchor, candidate: Sequence[Contrast], verdicts: Sequence[Verdict]) -> Iterator[Reject]:
    """All of a candidate, each with the checks that it passed."""
    for contrast, verdict in zip(candidate, verdicts, strict=True):
        reasons = verdict.reasons or ("partner: the contrast that it belongs with failed",)
        kept = replace(contrast, checks=verdict.checks)
        yield reject_contrast(contrast.family, anchor, *reasons, contrast=kept, provenance=contrast.provenance)


def _describe_shortfall(name: str, wanted: int, got: int, rejects: Sequence[Reject]) -> str:
    why = Counter(reason_code(reason) for each in rejects if each.family == name for reason in each.reasons)
    after = ", ".join(f"{count} {code}" for code, count in why.most_common()) or "no more candidates"
    return f"shortfall: {wanted - got} of {wanted} missing after {after}"


def _is_fatal(error: BaseException) -> bool:
    """Whether an error is about the run (disk, sandbox, author, budget) and not about the row."""
    return bool(getattr(error, "fatal", False)) or isinstance(error, OSError)


def _describe_bug(error: BaseException, row_id: str) -> str:
    log.error("unexpected error on row %s", row_id, exc_info=error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{INTERNAL_ERROR}: {type(error).__name__}: {error} ({frame.filename.rpartition('/')[2]}:{frame.lineno})"


def _describe_overtime(error: OvertimeError, context: Context[Any]) -> str:
    # It may have come in the middle of a picture: the next one gets a sandbox of its own.
    context.renderer.close()
    return f"too_long: making and checking it takes more than {error}"


def reason_code(reason: str) -> str:
    """The code of a reason: what stands before its first colon.

    >>> reason_code("not_visible: the drawn angle differs by 2.1 degrees")
    'not_visible'
    """
    return reason.partition(":")[0]


def count_rejects(rejects: Sequence[Reject]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for each in rejects:
        # A script that failed three times is one reject with one code, not three.
        counts.setdefault(each.family, Counter()).update({reason_code(reason) for reason in each.reasons})
    return {family: dict(sorted(codes.items())) for family, codes in sorted(counts.items())}


def list_unasked(rejects: Sequence[Reject]) -> list[str]:
    """The requests that the author's provider never answered, for which rows were rejected: they are asked again."""
    unasked = (each for each in rejects if any(reason_code(reason) == NOT_ASKED for reason in each.reasons))
    return sorted({each.provenance.request_sha256 or "" for each in unasked})


def tabulate_rejects(rejects: Sequence[Reject]) -> dict[str, pa.Table]:
    families = sorted({each.family for each in rejects})
    return {
        f"rejects/family={family}": to_table([each for each in rejects if each.family == family], "rejects")
        for family in families
    }
