"""What a page's filters and search know of its anchors and contrasts, without their pictures and markup."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfoil.tasks.report.view import Card, Group, Ticket


def index_ticket(ticket: Ticket) -> dict[str, Any]:
    """An anchor's entry: its id, what filters choose by, and the words that a search finds it by."""
    return {
        "id": ticket.row_id,
        "domain": ticket.domain,
        "split": ticket.split,
        "words": _join(
            [ticket.caption, ticket.stored, *ticket.captions, *(text for _, text in ticket.texts)], ticket.source
        ),
        "groups": [_index_group(group) for group in ticket.groups],
    }


def _index_group(group: Group) -> dict[str, Any]:
    cards = [
        {
            "id": card.row_id,
            "edit": list(card.kinds),
            "change": list(card.changes),
            "grade": [card.grade],
            "words": _join(_list_words(card)),
        }
        for card in group.cards
    ]
    return {"family": group.family, "role": group.role, "modality": group.modality, "cards": cards}


def _list_words(card: Card) -> Iterator[str]:
    if card.text is not None:
        yield "".join(piece.text for piece in card.text.pieces if piece.change != "removed")
    yield card.stored
    for edit in card.edits:
        yield f"{edit.kind} {edit.target} {edit.replacement}".replace("_", " ")


def _join(texts: Any, *more: str) -> str:
    return " ".join(" ".join([*texts, *more]).lower().split())
