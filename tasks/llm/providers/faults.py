"""What the official SDKs raise, and what batches hold in an answer's place, read as failures of a request."""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tasks.llm.errors import SendError
from tasks.llm.settings import KEYS, AuthorSettings

MAX_RETRY_AFTER_S = 600.0
BUSY = frozenset((429, 503, 529))
"""Statuses of a server that is up and has no room: they get minutes of patience, not a few attempts."""
REFUSABLE = frozenset((400, 402, 403, 429))
"""Statuses by which a provider may say that the account is out of credit: each says it differently."""
NO_CREDIT = re.compile(
    r"credit balance|purchase credits|insufficient[_ ](?:credits?|funds|quota|balance)|exceeded your current quota|"
    r"usage limits|billing|hard limit|payment required|"
    r"(?:organi[sz]ation|account|workspace) (?:is|has been) (?:not active|disabled|deactivated|suspended|on hold)",
    re.IGNORECASE,
)
STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The status that stands for each of Anthropic's types of error, which is all that a batch's result says."""


@dataclass(frozen=True)
class FaultReader:
    """Classifies the exceptions of an SDK. The official ones of OpenAI and Anthropic name theirs alike."""

    sdk: Any
    settings: AuthorSettings
    secrets: tuple[str, ...] = field(repr=False)

    def read(self, error: BaseException) -> SendError | None:
        """``error`` as a `SendError`; None if it is no failure of a request."""
        where = self._where
        if isinstance(error, self.sdk.APIStatusError):
            retry_after_s = parse_retry_after(error.response.headers)
            return self.read_status(error.status_code, _read_code(error), _read_message(error), retry_after_s)
        if isinstance(error, TimeoutError | self.sdk.APITimeoutError):
            return SendError("transient", f"{where} did not answer within {self.settings.patience_s:g} s (timeout_s)")
        if isinstance(error, self.sdk.APIConnectionError):
            cause = error.__cause__ or error
            kind = "unreachable" if type(cause).__name__ in ("ConnectError", "ConnectTimeout") else "transient"
            return SendError(kind, self.redact(f"{where}: {type(cause).__name__}: {cause}"))
        if isinstance(error, self.sdk.APIResponseValidationError | ValueError | TypeError | AttributeError | KeyError):
            # A body that is no answer: truncated, not JSON, or of another shape. Worth another attempt.
            return SendError(
                "transient", self.redact(f"{where} sent an answer that cannot be read: {_first_line(error)}")
            )
        if type(error).__module__.partition(".")[0] in ("httpx2", "httpcore2", "h11"):
            return SendError("transient", self.redact(f"{where}: {type(error).__name__}: {_first_line(error)}"))
        return None

    @contextmanager
    def classify(self) -> Iterator[None]:
        """Raise what the SDK raises in the ``with`` block as a `SendError` that holds no key and no SDK object."""
        try:
            yield
        except SendError:
            raise
        except Exception as error:
            classified = self.read(error)
            if classified is None:
                raise
            raise classified from None

    def redact(self, text: str) -> str:
        """``text`` without any key, on one line."""
        for secret in self.secrets:
            if len(secret) > 4:
                text = text.replace(secret, "[key]")
        return " ".join(text.split())[:1000]

    def read_status(self, status: int, code: str, message: str, retry_after_s: float | None = None) -> SendError:
        """What a status, the provider's own code and its words come to, of a request or of an item of a batch."""
        where, said = self._where, self.redact(message)
        model, variable = self.settings.model, KEYS[self.settings.kind]
        if status in REFUSABLE and (status == 402 or NO_CREDIT.search(f"{code} {said}")):
            return SendError("unavailable", f"{where}: no credit or quota left ({status}): {said}", status=status)
        if status in (401, 403):
            return SendError("unavailable", f"{where} refused the key in {variable} ({status}): {said}", status=status)
        if status == 404:
            return SendError(
                "unavailable", f"{where} does not know model {model!r} or the address (404): {said}", status=404
            )
        if status in BUSY:
            return SendError("busy", f"{where}: {status}: {said}", retry_after_s, status)
        if status in (408, 409) or status >= 500:
            return SendError("transient", f"{where}: {status}: {said}", retry_after_s, status)
        return SendError("refused", f"{status}: {said}", status=status)

    @property
    def _where(self) -> str:
        return f"{self.settings.kind} at {self.settings.address}"


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]


def _read_message(error: Any) -> str:
    body = error.body if isinstance(error.body, Mapping) else {}
    inner = body.get("error", body)
    message = inner.get("message") if isinstance(inner, Mapping) else inner
    return str(message or error.message)


def _read_code(error: Any) -> str:
    body = error.body if isinstance(error.body, Mapping) else {}
    inner = body.get("error", body)
    return f"{inner.get('code')} {inner.get('type')}" if isinstance(inner, Mapping) else ""


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by ``retry-after-ms`` or ``retry-after`` (seconds or an HTTP date); None if absent or unreadable.

    >>> parse_retry_after({"retry-after": "2.5"})
    2.5
    """
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) / scale
        except ValueError:
            date = email.utils.parsedate_to_datetime(value) if _is_date(value) else None
            if date is None:
                continue
            seconds = date.timestamp() - time.time()
        if seconds == seconds:
            return min(max(seconds, 0.0), MAX_RETRY_AFTER_S)
    return None


def _is_date(value: str) -> bool:
    return email.utils.parsedate_tz(value) is not None
