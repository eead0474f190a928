"""The review's page, served to this machine alone."""

from __future__ import annotations

import hmac
import json
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from socket import SHUT_RDWR, SHUT_WR
from threading import Timer
from typing import Any
from urllib.parse import urlsplit

from counterfoil.storage.plain import parse_json
from counterfoil.tasks.audit.review.errors import ReviewError
from counterfoil.tasks.audit.review.session import Place, Sitting

HOST = "127.0.0.1"
_MOST_BYTES = 64_000
_READ_S = 20.0
"""How long a request may take to come whole; a connection on which nothing comes is closed then, too."""
_PAGES = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_DRAIN_S, _DRAINED = 0.2, 16
"""How long, and how many blocks, of a refused body are thrown away at most."""


class ReviewServer(ThreadingHTTPServer):
    """Serves one sitting on the loopback interface.

    Whoever knows the address may judge: it holds a secret, which every request for rows must bring along, so that
    neither another user's program nor another site's page in the judge's browser gets or gives answers.
    """

    daemon_threads = True

    def __init__(self, sitting: Sitting, port: int = 0, judge: str = "") -> None:
        """Listen on ``port`` (0: any that is free). ``judge`` is the name that the page proposes.

        Raises:
            ReviewError: the port is taken, or not ours to take.
        """
        self.sitting, self.judge = sitting, judge
        self.secret = secrets.token_urlsafe(18)
        try:
            super().__init__((HOST, port), Handler)
        except OSError as error:
            raise ReviewError(f"cannot listen on {HOST}:{port} ({error.strerror}): choose another --port") from error

    @property
    def address(self) -> str:
        """What a judge opens in a browser."""
        return f"http://{HOST}:{self.server_port}/#{self.secret}"


class Handler(BaseHTTPRequestHandler):
    """Answers the page's requests. Errors that a judge can act on come back as text with status 400."""

    server: ReviewServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "counterfoil", ""

    def handle_one_request(self) -> None:
        """One request; who sends it byte by byte is cut off."""
        self._clock = Timer(_READ_S, self._cut)
        self._clock.daemon = True
        self._clock.start()
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True  # the other side is gone, or was cut off
        finally:
            self._clock.cancel()

    def handle_expect_100(self) -> bool:
        """Nobody is told to go on before he is known."""
        return True

    def do_GET(self) -> None:
        self._clock.cancel()
        if "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # its body is not read
        path = urlsplit(self.path).path
        if not self._is_ours():
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"open the address that `counterfoil review` printed")
        elif path in _PAGES:
            name, kind = _PAGES[path]
            self._send(HTTPStatus.OK, kind, files("counterfoil.tasks.audit.review.web").joinpath(name).read_bytes())
        else:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"not found")

    def do_POST(self) -> None:
        given = self.headers.get("X-Counterfoil-Secret", "")
        if not self._is_ours() or not hmac.compare_digest(given.encode(), self.server.secret.encode()):
            self._refuse(HTTPStatus.FORBIDDEN, "open the address that `counterfoil review` printed")
            return
        length = self._find_length()
        if length is None:
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "one Content-Length in digits is needed, and no chunks")
            return
        if length > _MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {_MOST_BYTES} bytes")
            return
        body = self._read_body(length)
        self._clock.cancel()
        calls: dict[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
            "/start": self._start,
            "/row": self._show,
            "/answer": self._answer,
        }
        call = calls.get(urlsplit(self.path).path)
        if call is None or body is None:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"not found")
            return
        try:
            answer = json.dumps(call(body)).encode()
        except ReviewError as error:
            self._send(HTTPStatus.BAD_REQUEST, "text/plain", str(error).encode())
        except (KeyError, TypeError, ValueError) as error:
            self._send(HTTPStatus.BAD_REQUEST, "text/plain", f"not understood: {error!r}".encode())
        else:
            self._send(HTTPStatus.OK, "application/json", answer)

    def _start(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        judge = str(body.get("judge") or "") or self.server.judge
        return {"judge": judge, **(_describe_place(self.server.sitting.find_place(judge)) if judge else {})}

    def _show(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        return self.server.sitting.show(str(body["judge"]), int(body["number"]))

    def _answer(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        place = self.server.sitting.answer(
            str(body["judge"]),
            int(body["number"]),
            str(body["answer"]),
            str(body.get("why") or ""),
            float(body.get("seconds") or 0),
        )
        return _describe_place(place)

    def _is_ours(self) -> bool:
        """Whether the request was meant for this address: a page that another name leads here is turned away."""
        return self.headers.get("Host", "") in {f"{name}:{self.server.server_port}" for name in (HOST, "localhost")}

    def _find_length(self) -> int | None:
        """The bytes of the body; None where the request does not say it in the one way that we take."""
        lengths = self.headers.get_all("Content-Length") or ["0"]
        plain = len(lengths) == 1 and re.fullmatch(r"[0-9]{1,18}", lengths[0].strip()) is not None
        return int(lengths[0]) if plain and "Transfer-Encoding" not in self.headers else None

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        """Answer without having read the body, and close the connection on which it would come."""
        self.close_connection = True
        self._clock.cancel()
        self._send(status, "text/plain", why.encode())
        # Bytes that lie there unread as a connection closes take the answer with them.
        with suppress(OSError):
            self.connection.shutdown(SHUT_WR)
            self.connection.settimeout(_DRAIN_S)
            for _ in range(_DRAINED):
                if not self.connection.recv(1 << 16):
                    break

    def _cut(self) -> None:
        with suppress(OSError):
            self.connection.shutdown(SHUT_RDWR)

    def _read_body(self, length: int) -> Mapping[str, Any] | None:
        try:
            body = parse_json(self.rfile.read(length) or b"{}")
        except ValueError:
            return None
        return body if isinstance(body, dict) else None

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the terminal is the judge's."""


def _describe_place(place: Place) -> Mapping[str, Any]:
    return {"number": place.number, "judged": place.judged, "total": place.total}
