"""The review's page, served to this machine alone."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from tasks.audit.review.errors import ReviewError
from tasks.audit.review.session import Place, Sitting

HOST = "127.0.0.1"
_MOST_BYTES = 64_000
_PAGES = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


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

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if not self._is_ours():
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"open the address that `counterfoil review` printed")
        elif path in _PAGES:
            name, kind = _PAGES[path]
            self._send(HTTPStatus.OK, kind, files("tasks.audit.review.web").joinpath(name).read_bytes())
        else:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"not found")

    def do_POST(self) -> None:
        body = self._read_body()
        given = self.headers.get("X-Counterfoil-Secret", "")
        if not self._is_ours() or not hmac.compare_digest(given.encode(), self.server.secret.encode()):
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"open the address that `counterfoil review` printed")
            return
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
        return {"judge": judge, **(_describe(self.server.sitting.find_place(judge)) if judge else {})}

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
        return _describe(place)

    def _is_ours(self) -> bool:
        """Whether the request was meant for this address: a page that another name leads here is turned away."""
        return self.headers.get("Host", "") in {f"{name}:{self.server.server_port}" for name in (HOST, "localhost")}

    def _read_body(self) -> Mapping[str, Any] | None:
        length = int(self.headers.get("Content-Length") or 0)
        if length > _MOST_BYTES:
            self.close_connection = True
            return None
        try:
            body = json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            return None
        return body if isinstance(body, dict) else None

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the terminal is the judge's."""


def _describe(place: Place) -> Mapping[str, Any]:
    return {"number": place.number, "judged": place.judged, "total": place.total}
