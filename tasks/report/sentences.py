"""What a contrast changes, in a sentence, and what a dataset comes to, in the figures of the first screen."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from counterfoil.storage.rows import BESIDE, DENIED, STATED, Edit

_MOST = 60
_MOST_EDITS = 3
_RETRIEVED = "retrieved"
_NAMES: Mapping[str, str] = {"holder": "who has or does it", "stroke": "a line", "mark": "a mark", "edge": "an arrow"}


def describe_change(role: str, edits: Sequence[Edit], changes: Collection[str] | None) -> str:
    """What was done to the anchor, and what differs for it.

    >>> describe_change("negative", [Edit("relation", "=", "<")], ("conclusion",))
    '“=” becomes “<”. What differs: conclusion.'
    >>> describe_change("negative", [Edit("omission", "$x > 4$", "")], None)
    '“$x > 4$” is left out.'
    >>> describe_change("negative", [Edit("noun", "dog", "cat"), Edit("stated", "A dog.", "A cat.")], ())
    '“dog” becomes “cat”.'
    """
    edits = [edit for edit in edits if edit.kind not in (STATED, DENIED)]
    if role == "positive" and not edits:
        return "It says or shows the same as the anchor."
    told = [_describe_edit(edit) for edit in _pair_swaps(edits)]
    if len(told) > _MOST_EDITS:
        told = [*told[:_MOST_EDITS], f"{len(told) - _MOST_EDITS} more edits follow"]
    sentences = [f"{'; '.join(told)}."] if told else []
    if changes:
        sentences.append(f"What differs: {', '.join(_NAMES.get(kind, kind) for kind in changes)}.")
    elif role == "positive":
        sentences.append("It still says or shows the same as the anchor.")
    text = " ".join(sentences) or "What was changed is not recorded."
    return text[:1].upper() + text[1:]


@dataclass(frozen=True)
class _Swap:
    one: str
    other: str


def _pair_swaps(edits: Sequence[Edit]) -> Iterator[Edit | _Swap]:
    """Edits with two that exchange the same things as one."""
    left = list(edits)
    while left:
        edit = left.pop(0)
        back = next((each for each in left if (each.target, each.replacement) == (edit.replacement, edit.target)), None)
        if back is None or not edit.target or edit.target == edit.replacement:
            yield edit
        else:
            left.remove(back)
            yield _Swap(edit.target, edit.replacement)


def _describe_edit(edit: Edit | _Swap) -> str:
    if isinstance(edit, _Swap):
        return f"{_quote(edit.one)} and {_quote(edit.other)} change places"
    if edit.kind == BESIDE:
        return f"the true text is {_quote(edit.target)}"
    if edit.kind == _RETRIEVED:
        return f"it was found at {edit.target}, and belongs to anchor {edit.replacement[:8]}"
    if edit.target == edit.replacement:
        return edit.kind.replace("_", " ")
    if not edit.replacement:
        return f"{_quote(edit.target)} is left out"
    if not edit.target:
        return f"{_quote(edit.replacement)} is added"
    return f"{_quote(edit.target)} becomes {_quote(edit.replacement)}"


def _quote(text: str) -> str:
    return f"“{text}”" if len(text) <= _MOST else f"“{text[:_MOST].rstrip()} …”"


def find_blind(audits: Collection[Any], gate: Mapping[str, Any]) -> dict[str, tuple[float | None, Any, Any]]:
    """Family to its highest blind accuracy, how often its anchors are identified in their sets, and chance there.

    The last audit of these rows says it, else the gate of the last run.
    """
    found: dict[str, list[tuple[float | None, float | None, float | None]]] = {}
    for each in audits:
        if each.role == "negative" and each.strongest is not None:
            first = each.sets[0].figures if each.sets else None
            share = max(judge.figures.pairwise.value for judge in (each.strongest, *each.halves[:1]))
            in_set = (first.picked.value, first.chance) if first else (None, None)
            found.setdefault(each.family, []).append((share, *in_set))
    for family, each in gate.get("families", {}).items():
        if family in found or each["unjudged"]:
            continue
        for look in each["looks"]:
            told, picked = look.get("told"), look.get("picked")
            in_set = (picked["share"], picked["chance"]) if picked else (None, None)
            found.setdefault(family, []).append((told["share"] if told else None, *in_set))
    merged = {}
    for family, looks in found.items():
        shares = [share for share, _, _ in looks if share is not None]
        sets = [(picked, chance) for _, picked, chance in looks if picked is not None]
        merged[family] = (max(shares, default=None), *max(sets, default=(None, None)))
    return merged
