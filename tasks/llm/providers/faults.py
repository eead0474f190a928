"""What the official SDKs raise, and what batches hold in an answer's place, read as failures of a request."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from counterfoil.storage.plain import first_line
from counterfoil.tasks.llm.errors import SendError
from counterfoil.tasks.llm.masking import mask_secrets
from counterfoil.tasks.llm.providers.bodies import NotAnAnswer, describe_html, read_error
from counterfoil.tasks.llm.providers.credit import says_no_credit
from counterfoil.tasks.llm.settings import KEYS, AuthorSettings

MAX_RETRY_AFTER_S = 600.0
ODD = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""What reading a body raises that has another shape than the SDK expects."""
NEVER_SENT = frozenset(("ConnectError", "ConnectTimeout", "PoolTimeout"))
BUSY = frozenset((429, 503, 529))
"""Statuses of a server that is up and has no room: they get minutes of patience, not a few attempts."""
UNREAD = frozenset((502, 504, 520, 524))
"""Statuses by which a gateway says that it lost the answer of a server behind it, which may charge for it."""
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
            return self._read_refusal(error.response)
        if isinstance(error, TimeoutError | self.sdk.APITimeoutError):
            if type(error.__cause__).__name__ in NEVER_SENT:
                return SendError("unreachable", f"{where} takes no connection (timeout_s)")
            said = f"{where} did not answer within {self.settings.patience_s:g} s (timeout_s)"
            return SendError("transient", said, unread=True)
        if isinstance(error, self.sdk.APIConnectionError):
            cause = error.__cause__ or error
            kind = "unreachable" if type(cause).__name__ in NEVER_SENT else "transient"
            said = self.redact(f"{where}: {type(cause).__name__}: {cause}")
            return SendError(kind, said, unread=kind == "transient")
        if isinstance(error, NotAnAnswer):
            if error.told is not None:
                return replace(self.read_status(*error.told), unread=True)
            return SendError("transient", self.redact(f"{where} sent {error}"), unread=True)
        sdk_error = getattr(self.sdk, "OpenAIError", None) or self.sdk.AnthropicError
        if isinstance(error, (*ODD, sdk_error)):
            # A body that is no answer: truncated, not JSON, or of another shape. Worth another attempt.
            said = self.redact(f"{where} sent an answer that cannot be read: {first_line(error)[:300]}")
            return SendError("transient", said, unread=True)
        if type(error).__module__.partition(".")[0] in ("httpx2", "httpcore2", "h11"):
            said = self.redact(f"{where}: {type(error).__name__}: {first_line(error)[:300]}")
            return SendError("transient", said, unread=True)
        return None

    def _read_refusal(self, response: Any) -> SendError:
        """An answer with a status that is no success: an error of the API's own, or a page from what lies between."""
        status, retry_after_s = response.status_code, parse_retry_after(response.headers)
        page = describe_html(response.content, response.headers.get("content-type", ""))
        if page is None:
            code, message = read_error(response.content)
            return self.read_status(status, code, message or f"error {status}", retry_after_s)
        said = f"{page} in place of an answer: is base_url right, and does a proxy or a firewall stand between?"
        if status in (401, 403, 404):
            return SendError("unavailable", self.redact(f"{self._where} sent ({status}) {said}"), status=status)
        return self.read_status(status, "", said, retry_after_s)

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
        return " ".join(mask_secrets(text, self.secrets).split())[:1000]

    def read_status(self, status: int, code: str, message: str, retry_after_s: float | None = None) -> SendError:
        """What a status, the provider's own code and its words come to, of a request or of an item of a batch."""
        where, said = self._where, self.redact(message)
        model, variable = self.settings.model, KEYS[self.settings.kind]
        if says_no_credit(status, code, said):
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
            return SendError("transient", f"{where}: {status}: {said}", retry_after_s, status, status in UNREAD)
        return SendError("refused", f"{status}: {said}", status=status)

    @property
    def _where(self) -> str:
        return f"{self.settings.kind} at {self.settings.address}"


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
