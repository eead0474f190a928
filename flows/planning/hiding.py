"""Secrets in a recipe: passwords in addresses, tokens among an engine's options. They are used and never shown.

What leaves the process (a commit's metadata, and with it the report, the card and `regenerate`; messages; what Prefect
keeps of a run's parameters) has passed through `counterfoil.tasks.showing.secrets`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from counterfoil.tasks.showing.secrets import HIDDEN, SECRET_NAME, hide_in_text

_SECRET_NAME = re.compile(SECRET_NAME, re.IGNORECASE)

_real: dict[str, str] = {}


def hide_overrides(overrides: Sequence[str]) -> list[str]:
    """Overrides as Prefect may keep them; `reveal_override` gives the real ones back in this process."""
    hidden = []
    for override in overrides:
        name = override.partition("=")[0]
        secret = _SECRET_NAME.fullmatch(name.strip().rpartition(".")[2]) is not None
        shown = f"{name}={HIDDEN}" if secret else hide_in_text(override)
        if shown != override:
            _real[shown] = override
        hidden.append(shown)
    return hidden


def reveal_override(override: str) -> str:
    """What `hide_overrides` hid, or the override as it is."""
    return _real.get(override, override)
