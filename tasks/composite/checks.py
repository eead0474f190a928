"""What the verifiers of the composites' families share: how a text is the anchor's, and that it is false of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from counterfoil.storage.rows import Contrast
from counterfoil.tasks.composite.halves import Composite, Halves
from counterfoil.tasks.composite.settings import CompositeSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.verdict import Checks
from counterfoil.tasks.contract.wording import list_captions


def check_alone(checks: Checks, contrast: Contrast) -> str:
    """The row's text, which is all that it holds.

    Raises:
        CheckError: it holds more, or nothing.
    """
    alone = contrast.image is None and contrast.vector is None and contrast.code is None
    checks.require("text_alone", alone, "the row holds more than a text")
    checks.require("has_text", bool(contrast.text and contrast.text.strip()), "there is no text")
    return contrast.text or ""


def list_pairs(made: Composite) -> Iterator[tuple[str, str]]:
    """The captions of both halves, each with each, the anchor's own first."""
    first, second = (list_captions(half) for half in made.halves)
    return product(first, second)


def find_false(halves: Halves, parts: Sequence[str], made: Composite, context: Context[CompositeSettings]) -> str:
    """Why two texts are not both false of both halves; empty where they are. Of photographs nobody decides it: see
    `contradicts_both`."""
    for text in parts:
        for half in made.halves:
            false = halves.refutes(text, half, context)
            if false is not True:
                return f"{text!r} is {'true of' if false is False else 'not shown false of'} {half.source_id}"
    return ""


def contradicts_both(
    halves: Halves, parts: Sequence[str], made: Composite, context: Context[CompositeSettings]
) -> bool:
    """Whether each text contradicts the captions of its own half, of which nobody can decide more."""
    pairs = zip(parts, made.halves, strict=True)
    return all(halves.contradicts(text, half, context) for text, half in pairs)
