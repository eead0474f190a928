"""What this package's loggers write: lines for people, or one JSON object a line for a cluster's log collector.

The format is in the environment (`counterfoil --log-format json`, or COUNTERFOIL_LOG_FORMAT), so that workers have it
too. A JSON line says when, how grave and what, of which run, stage and shard; texts of prompts and rows are in none.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from counterfoil.tasks.showing.secrets import hide_known
from counterfoil.tasks.showing.terminal import EscapingFormatter

LOGGER = "counterfoil"
FORMAT = "COUNTERFOIL_LOG_FORMAT"
FIELDS = "fields"
"""The key of ``extra`` whose mapping becomes fields of the line."""

_about: dict[str, Any] = {}


class JsonFormatter(logging.Formatter):
    """Log records as JSON in ASCII, without known secrets."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_about,
            **getattr(record, FIELDS, {}),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return hide_known(json.dumps(line, default=str))


def is_json() -> bool:
    """Whether lines are to be JSON."""
    return os.environ.get(FORMAT) == "json"


def show_logs() -> None:
    """Let this process write what our own loggers say to the standard error, in the format of the environment."""
    ours = logging.getLogger(LOGGER)
    for old in [*ours.handlers]:
        ours.removeHandler(old)
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if is_json() else EscapingFormatter("%(name)s: %(message)s"))
    ours.addHandler(handler)
    ours.propagate = False
    ours.setLevel(logging.INFO if is_json() else logging.WARNING)


def log_event(message: str, fields: Mapping[str, Any], level: int = logging.INFO) -> None:
    """Say what happened, with fields beside it."""
    logging.getLogger(f"{LOGGER}.run").log(level, "%s", message, extra={FIELDS: dict(fields)})


@contextmanager
def logging_of(**fields: Any) -> Iterator[None]:
    """Let every JSON line of this process say what it is of while the block runs: run, stage, shard."""
    before = dict(_about)
    _about.update(fields)
    try:
        yield
    finally:
        _about.clear()
        _about.update(before)
