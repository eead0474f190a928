"""Keys of ours in what others say: found in the forms in which servers give them back, and masked.

A provider may quote the key that it refuses, a proxy may echo the headers that it got, and what they say lands in
messages, rejects and the response store. A key is masked whole, percent-encoded, as base64 (alone or inside what was
encoded with it, as in a Basic header), as hexadecimal digits, broken over lines, cut short, and half hidden already
(``sk-pr****4711``), as long as what is left of it is telling.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

from counterfoil.tasks.llm.settings import KEYS

MASK = "[key]"
SHORTEST = 8
"""A shorter key is no secret (vLLM's servers take ``EMPTY``): masking it would change answers that hold the word."""
PREFIX, SUFFIX = 6, 4
"""Characters of a key before and after the dots that hide the rest, from which they are taken to be of that key."""
HIDDEN = re.compile(r"[*•·…xX#]{3,}|\.{3,}|…")


def list_secrets(store: str | None = None) -> tuple[str, ...]:
    """The keys and passwords that this process may use: the providers' keys, and the response store's password."""
    found = [os.environ.get(name, "").strip() for name in KEYS.values()]
    found.append(os.environ.get("PGPASSWORD", ""))
    for url in (store, os.environ.get("COUNTERFOIL_STORE")):
        found.append(_read_password(url or ""))
    return tuple(sorted({each for each in found if len(each) >= SHORTEST}, key=len, reverse=True))


def _read_password(url: str) -> str:
    try:
        return unquote(urlsplit(url).password or "")
    except ValueError:
        return ""


def mask_secrets(text: str, secrets: Iterable[str]) -> str:
    """``text`` with every key in ``secrets`` masked, in whatever form it is there.

    >>> mask_secrets("you sent sk-proj-12345678 (sk-proj**678)", ["sk-proj-12345678"])
    'you sent [key] (sk-proj**678)'
    >>> mask_secrets("Incorrect API key provided: sk-proj-****5678.", ["sk-proj-12345678"])
    'Incorrect API key provided: [key].'
    """
    for secret in secrets:
        if len(secret) >= SHORTEST:
            text = _forms(secret).sub(MASK, text)
            text = _mask_hidden(text, secret)
    return text


@lru_cache(maxsize=64)
def _forms(secret: str) -> re.Pattern[str]:
    data = secret.encode()
    forms = [secret, secret.lower(), secret.upper(), quote(secret, safe=""), quote(quote(secret, safe=""), safe="")]
    forms += [data.hex(), data.hex().upper()]
    telling = max(SHORTEST + 2, len(secret) * 6 // 10)
    forms += [secret[:telling], secret[-telling:]]
    for before in range(3):
        # What stands before a key decides how its bytes fall into groups of three; the edges belong to the neighbours.
        encoded = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        core = encoded[-(-before * 8 // 6) : len(encoded) - (1 if (before + len(data)) % 3 else 0)]
        forms += [core, core.replace("+", "-").replace("/", "_")]
    distinct = sorted(dict.fromkeys(forms), key=len, reverse=True)
    # Between any two characters the text may be wrapped.
    return re.compile("|".join(r"(?:\\?[\r\n]+\s*|\\n|\\r)?".join(map(re.escape, form)) for form in distinct))


def _mask_hidden(text: str, secret: str) -> str:
    """Mask what is left of a key on both sides of the dots that hide its middle."""
    kept: list[str] = []
    done = 0
    for hidden in HIDDEN.finditer(text):
        before = _common_suffix(text[max(done, hidden.start() - len(secret)) : hidden.start()], secret)
        after = _common_prefix(text[hidden.end() : hidden.end() + len(secret)], secret)
        if before >= PREFIX or after >= SUFFIX:
            kept += [text[done : hidden.start() - before], MASK]
            done = hidden.end() + after
    return "".join([*kept, text[done:]])


def _common_suffix(text: str, secret: str) -> int:
    """Characters at the end of ``text`` with which ``secret`` begins."""
    return next((n for n in range(len(text), 0, -1) if text.endswith(secret[:n])), 0)


def _common_prefix(text: str, secret: str) -> int:
    """Characters at the beginning of ``text`` with which ``secret`` ends."""
    return next((n for n in range(len(text), 0, -1) if text.startswith(secret[-n:])), 0)
