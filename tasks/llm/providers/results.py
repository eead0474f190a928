"""What a finished batch holds, read as far as it can be had, and compared with what the provider says that it holds.

A result that is cut, missing or replaced by a page is paid for all the same: it is downloaded again, never asked again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from counterfoil.tasks.llm.errors import SendError
from counterfoil.tasks.llm.exchange import Completion
from counterfoil.tasks.llm.providers.base import BatchItem
from counterfoil.tasks.llm.providers.bodies import NotAnAnswer, describe_html, describe_unreadable, read_json, take
from counterfoil.tasks.llm.providers.faults import ODD, FaultReader

log = logging.getLogger("counterfoil.llm")

Fetch = Callable[[], Awaitable[tuple[bytes, str]]]
"""Downloads a result: its bytes and their content type."""


@dataclass(frozen=True)
class Results:
    """The items of a result, and what kept others from being read."""

    items: tuple[BatchItem, ...] = ()
    trouble: str = ""


async def read_results(fetch: Fetch, read: Callable[[Any], BatchItem], faults: FaultReader) -> Results:
    """Download a result, one JSON object a line; what fails is told and not raised.

    Lines end at a line feed and nowhere else: JSON leaves other separators (U+2028) as they are in a text.

    Raises:
        SendError: the account or its key is refused.
    """
    try:
        with faults.classify():
            data, content_type = await fetch()
    except SendError as error:
        if error.kind == "unavailable" and error.status != 404:
            raise
        return Results(trouble=error.message)
    page = describe_html(data, content_type)
    if page is not None:
        return Results(trouble=f"{page} came in place of the results")
    items: dict[str, BatchItem] = {}
    broken = ""
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            item = read(read_json(line))
            if not isinstance(item.sha256, str):
                raise TypeError("its custom_id is no text")
        except (*ODD, NotAnAnswer) as error:
            broken = broken or faults.redact(f"a line cannot be read: {error}")
            log.warning("%s", broken)
        else:
            items.setdefault(item.sha256, item)
    return Results(tuple(items.values()), broken)


def read_item(body: Any, read: Callable[[Any], Completion]) -> Completion:
    """The answer in a line of a result that succeeded: whatever it is, it is that request's and is charged for."""
    try:
        return read(body)
    except NotAnAnswer as error:
        return describe_unreadable(body, str(error), None)


def describe_missing(succeeded: int | None, total: int | None, results: Results) -> str:
    """What is missing of the results of a batch, by the provider's own counts (None: it does not count), or nothing.

    Where every request of it has a line nothing is, whatever is counted as succeeded.
    """
    read = sum(item.completion is not None for item in results.items)
    if succeeded is None:
        return results.trouble
    if read >= succeeded or (total is not None and len(results.items) >= total):
        return ""
    why = f" ({results.trouble})" if results.trouble else ""
    return f"{succeeded} of its requests succeeded, and its results hold {read}{why}"


def read_batch_id(batch: Any) -> str:
    """The id of a batch that was handed in.

    Raises:
        NotAnAnswer: what came in its place has none.
    """
    found = take(batch.to_dict(), "id", str) if hasattr(batch, "to_dict") else None
    if not found:
        raise NotAnAnswer(f"no batch in answer to one: {json.dumps(str(batch))[:100]}")
    return str(found)
