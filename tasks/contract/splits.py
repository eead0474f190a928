"""The names of splits: what sources call them, and the three that rows have."""

from __future__ import annotations

TRAIN, VAL, TEST = "train", "val", "test"
_OTHERS = {"training": TRAIN, "valid": VAL, "validation": VAL, "dev": VAL, "testing": TEST}


def name_split(text: str) -> str | None:
    """The split that a source means, "" where it names none; None for what is no split's name.

    >>> name_split("Validation"), name_split(" test"), name_split(""), name_split("nonsense")
    ('val', 'test', '', None)
    """
    name = text.strip().lower()
    return name if name in ("", TRAIN, VAL, TEST) else _OTHERS.get(name)
