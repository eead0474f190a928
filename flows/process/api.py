"""Prefect's server, asked by its REST API and nothing else: importing Prefect's client takes longer than a small stage.

The settings are Prefect's own, from the environment or the active profile: ``PREFECT_API_URL``, ``PREFECT_API_KEY``,
``PREFECT_API_AUTH_STRING``, ``PREFECT_API_SSL_CERT_FILE``, ``PREFECT_API_TLS_INSECURE_SKIP_VERIFY``,
``PREFECT_CLIENT_CUSTOM_HEADERS``, ``PREFECT_API_REQUEST_TIMEOUT`` and ``PREFECT_CLIENT_MAX_RETRIES``.
"""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from counterfoil.flows.process.quiet import read_setting
from counterfoil.storage.plain import first_line

TIMEOUT_S = 60.0
RETRIES = 5
BUSY = (408, 429, 502, 503)
"""Answers of a server that will take the same request later."""
_CSRF: dict[str, str] = {}
"""The headers that a server wanted which guards against requests of other pages; they last for an hour."""
FLOW = "counterfoil"
"""A flow that the server knows or will know: to register it again writes and changes nothing."""
ADVICE = "correct PREFECT_API_URL (it ends in /api), start that server, or unset it: a run then has a server of its own"


class ServerError(Exception):
    """The Prefect server cannot be reached or started. The message says which, why, and what to do."""


class RefusedError(ServerError):
    """The server answered, and not with what was asked for."""

    def __init__(self, code: int, said: str) -> None:
        self.code = code
        self.said = said
        super().__init__(f"{code}: {said[:200]}")


def ask(method: str, path: str, body: object = None, retries: int | None = None) -> Any:
    """What the server answers, read from JSON; None where it says nothing. A server that restarts is waited for.

    Args:
        path: below the API's address, as ``/flow_runs/``.
        retries: after the first try, 2, 4, 8 ... seconds apart; left out: as many as Prefect's client would make.

    Raises:
        RefusedError: it answered with an error.
        ServerError: it did not answer.
    """
    left = int(read_setting("PREFECT_CLIENT_MAX_RETRIES") or RETRIES) if retries is None else retries
    renewed = False
    for attempt in range(1, left + 2):
        try:
            return _send(method, path, body, _CSRF)
        except RefusedError as error:
            if error.code == 403 and "CSRF" in error.said and not renewed:
                renewed = True
                _CSRF.update(_ask_csrf())
            elif error.code not in BUSY or attempt > left:
                raise
            else:
                time.sleep(2**attempt)
        except (OSError, http.client.HTTPException) as error:
            if attempt > left:
                raise lose_server(error) from error
            time.sleep(2**attempt)
    return _send(method, path, body, _CSRF)


def lose_server(error: Exception) -> ServerError:
    """What to raise where the server went away during a run."""
    return ServerError(
        f"Prefect's server at {read_setting('PREFECT_API_URL')} failed during the run ({_shorten(error)}): "
        "what is finished is kept; run the same command again to go on"
    )


def check_server() -> None:
    """Find out at once whether the configured server can be used: it answers, and its database takes a write.

    A busy server has as long as ``PREFECT_API_REQUEST_TIMEOUT`` says (60 s): a night that must wait for it is a night,
    one that is refused is none.

    Raises:
        ServerError: it cannot; says why and what to do.
    """
    url = read_setting("PREFECT_API_URL")
    try:
        _send("POST", "/flows/", {"name": FLOW}, {})
    except RefusedError as error:
        if error.code == 403 and "CSRF" in error.said:
            return
        if error.code in (401, 403):
            raise ServerError(
                f"Prefect's server at {url} refuses us ({error.code}): set PREFECT_API_KEY or PREFECT_API_AUTH_STRING"
            ) from None
        if error.code >= 500:
            raise ServerError(
                f"Prefect's server at {url} cannot write ({error.code}): its database is locked, full or gone; "
                "see its log"
            ) from None
        raise ServerError(f"there is no Prefect API at {url} ({error.code}): {ADVICE}") from None
    except TimeoutError:
        raise ServerError(
            f"Prefect's server at {url} did not write within {_read_timeout():.0f} s "
            f"(PREFECT_API_REQUEST_TIMEOUT): it is down or its database is locked; {ADVICE}"
        ) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise ServerError(f"no Prefect server answers at {url} ({_shorten(error)}): {ADVICE}") from None


def _send(method: str, path: str, body: object, more: Mapping[str, str]) -> Any:
    url = f"{read_setting('PREFECT_API_URL').rstrip('/')}{path}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={**_list_headers(), **more})
    try:
        with urllib.request.urlopen(request, timeout=_read_timeout(), context=_trust(url)) as answer:
            said = answer.read()
    except urllib.error.HTTPError as error:
        raise RefusedError(error.code, error.read().decode(errors="replace")) from None
    except urllib.error.URLError as error:
        raise error.reason if isinstance(error.reason, OSError) else OSError(str(error.reason)) from None
    return json.loads(said) if said else None


def _list_headers() -> dict[str, str]:
    headers = {"Content-Type": "application/json", **json.loads(read_setting("PREFECT_CLIENT_CUSTOM_HEADERS") or "{}")}
    key, secret = read_setting("PREFECT_API_KEY"), read_setting("PREFECT_API_AUTH_STRING")
    if secret:
        headers["Authorization"] = f"Basic {base64.b64encode(secret.encode()).decode()}"
    elif key:
        headers["Authorization"] = f"Bearer {key}"
    return headers


def _ask_csrf() -> dict[str, str]:
    """The headers that a server wants which guards against requests of other pages."""
    client = str(uuid4())
    return {
        "Prefect-Csrf-Token": str(_send("GET", f"/csrf-token?client={client}", None, {})["token"]),
        "Prefect-Csrf-Client": client,
    }


def _trust(url: str) -> ssl.SSLContext | None:
    if not url.startswith("https:"):
        return None
    if read_setting("PREFECT_API_TLS_INSECURE_SKIP_VERIFY").lower() in ("1", "true", "yes"):
        return ssl._create_unverified_context()
    return ssl.create_default_context(cafile=read_setting("PREFECT_API_SSL_CERT_FILE") or None)


def _read_timeout() -> float:
    return float(read_setting("PREFECT_API_REQUEST_TIMEOUT") or TIMEOUT_S)


def _shorten(error: Exception) -> str:
    name, said = type(error).__name__, first_line(error)
    return name if said == name else f"{name}: {said}"
