"""What makers yield, taken one by one and within bounds: what is no candidate, too large or without end is a reject."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from counterfoil.renderers.raster import SIGNATURE, find_odd_form
from counterfoil.storage.changes import UnknownKindError, order_changes
from counterfoil.storage.rows import UNVOUCHED, Anchor, Contrast, Reject
from counterfoil.tasks.contract.bounds import Bounds
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain, SourceError, SourceRow
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.verdict import CheckError, Verdict
from counterfoil.tasks.engine.shapes import count_bytes, find_fault

PICTURE_FORM = "picture_form"
"""The reason of a picture that has another form than stored ones."""


def take_offers(made: Any, names: Sequence[str], bounds: Bounds) -> Iterator[Candidate | Reject | str]:
    """The candidates and rejects of one anchor that a maker of the families ``names`` yields; a reason, as rejects have
    it, in the place of each that is none."""
    for offer in _take(made, "candidates", bounds):
        yield (_refuse_offer(offer, names) or offer) if not isinstance(offer, str) else offer


def take_anchors(made: Any, domain: str, bounds: Bounds) -> Iterator[Anchor | Reject | str]:
    """`take_offers` for the anchors of one source row."""
    for offer in _take(made, "anchors", bounds):
        yield (_refuse_anchor(offer, domain) or offer) if not isinstance(offer, str) else offer


def take_rows(
    domain: Domain[Any], settings: Any, seed: int, limit: int | None, tell: Callable[[str], None] | None = None
) -> Iterator[SourceRow | Reject]:
    """The rows of a domain's source, no more than ``limit`` or than it was asked for; what is none is a reject.
    ``tell`` hears what its reader remarks.

    Raises:
        SourceError: the source cannot be read, or gives something else than rows.
    """
    source, target = domain.find_source(settings)
    most = min(each for each in (limit, int(target) if source.target == "N" else None, sys.maxsize) if each is not None)
    found: Any = domain.read(settings, seed, limit, tell)
    if not isinstance(found, Iterable):
        raise SourceError(f"{domain.name}.source = {settings.source}: its reader returned {found!r:.80}, not rows")
    count = 0
    for row in found:
        fault = _refuse_row(row, source.kind, domain)
        if fault:
            yield Reject(f"{domain.name}.anchor", (fault,), source=source.kind)
            continue
        yield row
        count += isinstance(row, SourceRow)
        if count >= most:
            return


def _refuse_row(row: Any, kind: str, domain: Domain[Any]) -> str:
    if not isinstance(row, SourceRow | Reject):
        return f"wrong_type: the source gave a {type(row).__name__}, neither a SourceRow nor a Reject"
    size = count_bytes(row)
    if size > domain.bounds.row_bytes:
        return f"too_large: {size:,} bytes in one row of the source, at most {domain.bounds.row_bytes:,}"
    if isinstance(row, Reject):
        return _refuse_reject(row, [f"{domain.name}.anchor"])
    fault = find_fault(row)
    if fault:
        return f"wrong_type: of a SourceRow, {fault}"
    if row.source != kind:
        return f"wrong_type: a SourceRow of the source {row.source!r:.80}, not {kind}"
    try:
        json.dumps(row.payload)
    except (TypeError, ValueError, RecursionError) as error:
        return f"wrong_type: of a SourceRow, payload is no plain JSON data: {error}"
    return ""


def judge_row(verify: Callable[..., Verdict], row: Anchor | Contrast, *given: Any) -> Verdict:
    """The verdict of a domain's verifier on a row whose picture, where it is a PNG, has the form of stored ones: what
    decoders show of other bytes (alpha, gamma, frames) differs, and more than a picture could be in them."""
    picture = row.image.bytes if row.image is not None else b""
    odd = find_odd_form(picture) if picture.startswith(SIGNATURE) else None
    if odd:
        return Verdict(reasons=(f"{PICTURE_FORM}: {odd}",))
    return judge_verdict(verify(row, *given))


def judge_contrast(family: Family[Any], contrast: Contrast, anchor: Anchor, context: Context[Any]) -> Verdict:
    """`judge_row` for a contrast of a family, with what it changes where it passed and its family measures that."""
    verdict = judge_row(family.verify, contrast, anchor, context)
    if family.changes is None or not verdict.passed:
        return verdict
    try:
        changes = order_changes(anchor.domain, [*family.changes(contrast, anchor, context)])
    except UnknownKindError as error:
        return replace(verdict, reasons=(f"wrong_type: of what it changes, {error}",))
    except CheckError:
        if verdict.grade not in ("undecided", *UNVOUCHED):
            raise
        return verdict  # nobody read it: what it changes is not measured
    return replace(verdict, changes=changes)


def judge_verdict(found: Any) -> Verdict:
    """What a verifier returned, if it is a verdict; else one that fails the row."""
    if not isinstance(found, Verdict):
        return Verdict(reasons=(f"wrong_type: the verifier returned {found!r:.80}, not a Verdict",))
    fault = find_fault(found)
    return Verdict(reasons=(f"wrong_type: of the verdict, {fault}",)) if fault else found


def _take(made: Any, what: str, bounds: Bounds) -> Iterator[Any]:
    if not isinstance(made, Iterable) or isinstance(made, str | bytes):
        yield f"wrong_type: the maker returned {made!r:.80}, not {what}"
        return
    kept = 0
    for count, offer in enumerate(made, 1):
        if count > bounds.offers:
            yield f"endless: the maker offers more than {bounds.offers:,} {what}"
            return
        size = count_bytes(offer)
        if size > bounds.row_bytes:
            yield f"too_large: {size:,} bytes of texts and pictures in one row, at most {bounds.row_bytes:,}"
            continue
        kept += size
        if kept > bounds.kept_bytes:
            yield f"too_much: over {bounds.kept_bytes:,} bytes of {what} after {count:,} of them"
            return
        yield "wrong_type: a row is no text" if isinstance(offer, str) else offer


def _refuse_offer(offer: Any, names: Sequence[str]) -> str:
    """Why an offer is neither a candidate nor a reject of these families; "" where it is one."""
    if isinstance(offer, Reject):
        return _refuse_reject(offer, names)
    drafts = offer if isinstance(offer, tuple) else (offer,)
    if not drafts or not all(isinstance(draft, Draft) for draft in drafts):
        return f"wrong_type: the maker yielded {_name_types(offer)}, neither a Draft nor a Reject"
    for draft in drafts:
        fault = find_fault(draft)
        if fault:
            return f"wrong_type: of a Draft, {fault}"
        if draft.family not in ("", *names):
            return f"wrong_type: a Draft of {draft.family!r:.80}, which this maker does not serve: {', '.join(names)}"
    return ""


def _refuse_anchor(offer: Any, domain: str) -> str:
    if isinstance(offer, Reject):
        return _refuse_reject(offer, [f"{domain}.anchor"])
    if not isinstance(offer, Anchor):
        return f"wrong_type: the maker yielded {_name_types(offer)}, neither an Anchor nor a Reject"
    fault = find_fault(offer)
    if fault:
        return f"wrong_type: of an Anchor, {fault}"
    return "" if offer.domain == domain else f"wrong_type: an Anchor of the domain {offer.domain!r:.80}, not {domain}"


def _refuse_reject(offer: Reject, names: Sequence[str]) -> str:
    # What is thrown away may hold letters that nothing can store: they are escaped when it is written.
    fault = find_fault(offer, storable=False)
    if fault:
        return f"wrong_type: of a Reject, {fault}"
    if offer.family not in names:
        return f"wrong_type: a Reject of {offer.family!r:.80}, not of {', '.join(names)}"
    return "" if offer.reasons else "wrong_type: a Reject without a reason"


def _name_types(offer: Any) -> str:
    if isinstance(offer, tuple):
        return f"a tuple of {', '.join(sorted({type(each).__name__ for each in offer})) or 'nothing'}"
    return f"a {type(offer).__name__}"
