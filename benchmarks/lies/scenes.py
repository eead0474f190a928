"""Lies about captioned pictures that our own scenes draw."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

KINDS: Mapping[str, Callable[[dict[str, Any], random.Random], dict[str, Any] | None]] = {}
