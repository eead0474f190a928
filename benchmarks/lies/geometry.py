"""Lies about geometry: pixels alone, records alone, and both agreeing."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

KINDS: Mapping[str, Callable[[dict[str, Any], random.Random], dict[str, Any] | None]] = {}
