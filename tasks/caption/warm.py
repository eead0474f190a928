"""Imported by the process that workers are forked from: the parser of captions takes each two seconds to load."""

from __future__ import annotations

from contextlib import suppress

from counterfoil.tasks.caption.words.parse import ParserError, load_parser

with suppress(ParserError):  # who needs it is told
    load_parser()
