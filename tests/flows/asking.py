"""Questions to a Prefect server over its HTTP API."""

from __future__ import annotations

import base64
import json
import time
import urllib.error
import urllib.request
from typing import Any

BUSY = 503
PATIENCE_S = 120
"""How long a server may be busy: beside other tests it answers late, as Prefect's own client knows."""


def ask_server(url: str, body: object = None, auth: str | None = None) -> Any:
    """The answer to a POST with a body, or to a GET without one; asked again while the server is busy or away.

    Raises:
        urllib.error.HTTPError: the server refused, or was busy all the time.
        OSError: there was no server all the time.
    """
    request = urllib.request.Request(
        url,
        data=json.dumps(body).encode() if body is not None else None,
        headers={"content-type": "application/json"}
        | ({"authorization": f"Basic {base64.b64encode(auth.encode()).decode()}"} if auth is not None else {}),
    )
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read() or "null")
        except OSError as error:
            refused = isinstance(error, urllib.error.HTTPError) and error.code != BUSY
            if refused or time.monotonic() > deadline:
                raise
        time.sleep(1)
