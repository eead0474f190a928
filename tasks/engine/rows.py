"""Row by row: what a maker proposes is verified, and accepted or kept as a reject with its reasons."""

from __future__ import annotations

import json
import logging
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from storage.rows import Anchor, Contrast, Provenance, Reject
from storage.schemas import to_table
from tasks.contract.context import Context
from tasks.contract.domain import Domain, SourceRow
from tasks.contract.family import Family
from tasks.contract.verdict import Verdict
from tasks.engine.groups import name_group

INTERNAL_ERROR = "internal_error"

log = logging.getLogger("counterfoil.rows")


def make_anchors(domain: Domain, row: SourceRow, context: Context) -> list[Anchor | Reject]:
    """The verified anchors of one source row; what fails is a reject with its reasons."""
    made: list[Anchor | Reject] = []
    try:
        for anchor in domain.make_anchors(row, context):
            if isinstance(anchor, Reject):
                made.append(anchor)
                continue
            verdict = domain.verify_anchor(anchor, context)
            passed = verdict.passed
            made.append(name_group(anchor) if passed else _reject_row(domain, row, verdict.reasons, anchor))
    except Exception as error:
        # One row must not end the night's run: it is kept, counted and told. What is about the run goes on up.
        if _is_fatal(error):
            raise
        made.append(_reject_row(domain, row, (_describe_bug(error, row.source_id),)))
    return made


def make_contrasts(group: Sequence[Family], anchor: Anchor, context: Context) -> list[Contrast | Reject]:
    """The verified contrasts of one anchor for families that share a maker, ranked in the maker's order.

    Candidates that stand or fall together are accepted together. Where an anchor ends with fewer than the settings
    ask for, one reject per family says how many are missing and why; nothing else fills the gap.
    """
    families = {family.name: family for family in group}
    target = {name: family.count(context.settings) for name, family in families.items()}
    accepted: dict[str, list[Contrast]] = {name: [] for name in families}
    rejects: list[Reject] = []
    make = group[0].make_llm if context.llm is not None and group[0].make_llm is not None else group[0].make
    try:
        for candidate in make(anchor, context):
            if isinstance(candidate, Reject):
                rejects.append(candidate)
                continue
            verdicts = [_verify_new(families, accepted, contrast, anchor, context) for contrast in candidate]
            if all(verdict.passed for verdict in verdicts):
                for contrast, verdict in zip(candidate, verdicts, strict=True):
                    done = accepted[contrast.family]
                    done.append(contrast.accept(len(done), verdict.checks))
            else:
                rejects.extend(_reject_together(anchor, candidate, verdicts))
            if all(n is not None and len(accepted[name]) >= n for name, n in target.items()):
                break
    except Exception as error:
        if _is_fatal(error):
            raise
        rejects.append(_reject_bug(group[0].name, anchor, error))
    for name, wanted in target.items():
        if wanted is not None and len(accepted[name]) < wanted:
            rejects.append(_describe_shortfall(name, anchor, wanted, len(accepted[name]), rejects))
    return [*(contrast for rows in accepted.values() for contrast in rows), *rejects]


def _verify_new(
    families: Mapping[str, Family],
    accepted: Mapping[str, list[Contrast]],
    contrast: Contrast,
    anchor: Anchor,
    context: Context,
) -> Verdict:
    shown = (contrast.text, contrast.image and contrast.image.bytes)
    if any(shown == (other.text, other.image and other.image.bytes) for other in accepted[contrast.family]):
        return Verdict(reasons=("duplicate: the anchor already has this contrast",))
    verdict = families[contrast.family].verify(contrast, anchor, context)
    if verdict.passed and not verdict.checks:
        return Verdict(reasons=("unchecked: the verifier named no check that it passed",))
    return verdict


def _reject_row(domain: Domain, row: SourceRow, reasons: tuple[str, ...], anchor: Anchor | None = None) -> Reject:
    return Reject(
        f"{domain.name}.anchor",
        reasons,
        source=row.source,
        source_id=row.source_id,
        anchor_id=anchor.anchor_id if anchor else None,
        source_row=json.dumps(row.payload, sort_keys=True, ensure_ascii=False),
        raw=anchor.code if anchor else None,
        provenance=anchor.provenance if anchor else Provenance(),
    )


def _reject_together(anchor: Anchor, candidate: Sequence[Contrast], verdicts: Sequence[Verdict]) -> Iterator[Reject]:
    for contrast, verdict in zip(candidate, verdicts, strict=True):
        reasons = verdict.reasons or ("partner: the contrast that it belongs with failed",)
        yield Reject(
            contrast.family,
            reasons,
            source=anchor.source,
            source_id=anchor.source_id,
            anchor_id=anchor.anchor_id,
            contrast=contrast,
            provenance=contrast.provenance,
        )


def _describe_shortfall(name: str, anchor: Anchor, wanted: int, got: int, rejects: Sequence[Reject]) -> Reject:
    why = Counter(reason_code(reason) for each in rejects if each.family == name for reason in each.reasons)
    after = ", ".join(f"{count} {code}" for code, count in why.most_common()) or "no more candidates"
    reason = f"shortfall: {wanted - got} of {wanted} missing after {after}"
    return Reject(name, (reason,), source=anchor.source, source_id=anchor.source_id, anchor_id=anchor.anchor_id)


def _reject_bug(family: str, anchor: Anchor, error: Exception) -> Reject:
    return Reject(
        family,
        (_describe_bug(error, anchor.anchor_id),),
        source=anchor.source,
        source_id=anchor.source_id,
        anchor_id=anchor.anchor_id,
    )


def _is_fatal(error: Exception) -> bool:
    """Whether an error is about the run (disk, sandbox, author, budget) and not about the row."""
    return bool(getattr(error, "fatal", False)) or isinstance(error, OSError)


def _describe_bug(error: Exception, row_id: str) -> str:
    log.error("unexpected error on row %s", row_id, exc_info=error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{INTERNAL_ERROR}: {type(error).__name__}: {error} ({frame.filename.rpartition('/')[2]}:{frame.lineno})"


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


def tabulate_rejects(rejects: Sequence[Reject]) -> dict[str, pa.Table]:
    families = sorted({each.family for each in rejects})
    return {
        f"rejects/family={family}": to_table([each for each in rejects if each.family == family], "rejects")
        for family in families
    }
