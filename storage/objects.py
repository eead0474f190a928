"""Objects on S3 by object_store (obstore), for what is asked thousands of times: read, write, describe, copy.

s3fs does the rest, and all of it where obstore is not installed. Of CPU time a request takes botocore some 2.3 ms and
object_store 0.45, and it leaves the interpreter to others meanwhile. Credentials are those that botocore finds, so both
have the same: options, variables, profiles, roles of machines and pods.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from counterfoil.storage.plain import first_line

_PLAIN = re.compile(r"[A-Za-z0-9_./=-]+")
"""Other characters object_store writes into a key in a form of its own."""
_FRESH = timedelta(minutes=5)
"""How long credentials are used before botocore, which renews them, is asked again."""


@dataclass(frozen=True)
class Objects:
    """One bucket; paths begin with its name, as s3fs's do."""

    store: Any

    def read(self, path: str, span: slice | None = None) -> bytes:
        """An object's bytes, or a span of them, as far as there are any.

        Raises:
            FileNotFoundError: there is none.
        """
        from obstore.exceptions import BaseError

        with _explain():
            if span is None:
                return bytes(self.store.get(_key(path)).bytes())
            try:
                return bytes(self.store.get_range(_key(path), start=span.start, end=span.stop))
            except BaseError as error:
                if "416 Range Not Satisfiable" in str(error):
                    return b""
                raise

    def write(self, path: str, content: bytes | memoryview | Path) -> str | None:
        """Write an object whole or not at all, in parts where it is large; its tag."""
        with _explain():
            tag = self.store.put(_key(path), content if isinstance(content, Path) else bytes(content))["e_tag"]
        return str(tag) if tag else None

    def describe(self, path: str) -> tuple[int, str | None]:
        """An object's size in bytes and its tag.

        Raises:
            FileNotFoundError: there is none.
        """
        with _explain():
            told = self.store.head(_key(path))
        return int(told["size"]), told["e_tag"]

    def copy(self, source: str, target: str) -> None:
        """Copy an object on the store's side.

        Raises:
            FileNotFoundError: there is none.
        """
        with _explain():
            self.store.copy(_key(source), _key(target))


def open_objects(root: str, delta_options: Mapping[str, str], options: Mapping[str, Any]) -> Objects | None:
    """The bucket of ``root``, by delta-rs's storage options and fsspec's; None where s3fs has to do."""
    try:
        from obstore.store import S3Store
    except ImportError:
        return None
    if _PLAIN.fullmatch(root) is None:
        return None
    config: Any = {
        key: value for key, value in delta_options.items() if key not in ("aws_allow_http", "aws_conditional_put")
    }
    given: dict[str, Any] = {}
    if delta_options.get("aws_allow_http"):
        given["client_options"] = {"allow_http": True}
    if options.get("anon"):
        config["aws_skip_signature"] = "true"
    elif "aws_access_key_id" not in config:
        given["credential_provider"] = _follow_botocore(options.get("profile"))
    return Objects(S3Store(root.partition("/")[0], config=config, **given))


def _follow_botocore(profile: str | None) -> Callable[[], dict[str, Any]]:
    import botocore.session

    found = botocore.session.Session(profile=profile).get_credentials()

    def tell() -> dict[str, Any]:
        if found is None:
            raise OSError("no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile")
        frozen = found.get_frozen_credentials()
        return {
            "access_key_id": frozen.access_key,
            "secret_access_key": frozen.secret_key,
            "token": frozen.token,
            "expires_at": datetime.now(UTC) + _FRESH,
        }

    return tell


@contextlib.contextmanager
def _explain() -> Iterator[None]:
    """object_store's errors as those of the operating system, which a `Store` explains."""
    from obstore.exceptions import BaseError

    try:
        yield
    except BaseError as error:
        raise OSError(first_line(error)) from error


def _key(path: str) -> str:
    return path.partition("/")[2]
