"""Token counts for estimates: by a tokenizer of the user's choice, or by a rule that needs no vocabulary.

Estimates pace tokens-per-minute and fill `counterfoil plan`; what was really used is always the provider's own count.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from counterfoil.tasks.llm.errors import AuthorUnavailable

IMAGE_TOKENS = 800
"""About what a picture of 640 x 480 costs with the large providers."""
PIECES = re.compile(r"\s?[^\W\d_]+|\d{1,3}|\s?[^\s\w]+|_+|\s+")


def estimate_tokens(text: str) -> int:
    """Tokens of ``text`` by the pieces that byte-pair tokenizers split it into before merging.

    Common words are one token; longer ones break about every six letters, and a script other than Latin about every
    one and a half.
    """
    return sum(_weigh(piece) for piece in PIECES.findall(text))


def _weigh(piece: str) -> int:
    core = piece.strip() or piece
    if core.isalpha():
        return max(1, round(len(core.encode()) / 3)) if not core.isascii() else 1 + (len(core) - 1) // 8
    if core.isspace() or core.isdigit():
        return 1
    return (len(core) + 1) // 2


def open_counter(path: str | None) -> Callable[[str], int]:
    """A function that counts tokens: by the ``tokenizer.json`` in ``path``, or `estimate_tokens`.

    Raises:
        AuthorUnavailable: the file cannot be read, or the tokenizers package is absent.
    """
    return _load(path) if path else estimate_tokens


@cache
def _load(path: str) -> Callable[[str], int]:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise AuthorUnavailable("[author] tokenizer needs the tokenizers package: pip install tokenizers") from None
    if not Path(path).is_file():
        raise AuthorUnavailable(f"[author] tokenizer: {path} is not a file")
    try:
        tokenizer = Tokenizer.from_file(path)
    except Exception as error:  # noqa: BLE001 - the package raises bare Exception
        raise AuthorUnavailable(f"[author] tokenizer: {path}: {error}") from None
    return lambda text: len(tokenizer.encode(text).ids)
