"""A loopback server that speaks OpenAI's chat completions and batches and Anthropic's messages and message batches.

Faults are scripted (`Server.script`) or drawn at random (`Server.chance`). Every request that arrives is logged before
anything is answered, so that a test can count what reached the server. Raw asyncio, because a truncated body, a reset
and a slow drip are below what a web framework offers. Also runs by itself:
``python -m tests.tasks.llm.server --delay 0.2``.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.patience import PATIENCE_S

Reply = Callable[[dict[str, Any]], str]


@dataclass
class Fault:
    """What goes wrong with one request: a status, or one of the kinds below.

    ``reset``, ``hang`` (a reset after ``seconds``), ``truncate``, ``drip``, ``garbage`` (a body that is not JSON),
    ``refusal``, ``empty``, ``length``,
    ``no_usage``, ``text`` (answer with ``text`` instead), ``raw`` (send ``text`` as the body).
    """

    kind: str = "status"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    text: str = ""
    seconds: float = 0.0
    code: str = "fault"
    until: Callable[[], bool] | None = None
    """Of ``slow``: it is answered once this holds, whatever the clock says."""


class Refused(Exception):  # noqa: N818 - raised by a reply, to have a request refused
    """What a reply raises to have its request refused: by 400 with a message, or by a fault."""

    def __init__(self, message: str, fault: Fault | None = None) -> None:
        super().__init__(message)
        self.fault = fault or Fault(status=400, text=message, code="invalid_request_error")


@dataclass
class Arrived:
    """One request for a completion: its API, its body, a digest of that, when it came, and when it was answered in
    full (on the monotonic clock; None if it was not)."""

    api: str
    body: dict[str, Any]
    digest: str
    headers: dict[str, str]
    via_batch: bool = False
    came_at: float = field(default_factory=time.monotonic)
    answered_at: float | None = None

    @property
    def answered(self) -> bool:
        return self.answered_at is not None


@dataclass
class Batch:
    """A batch: its items, and how long it stays in progress (polls)."""

    id: str
    api: str
    items: list[dict[str, Any]]
    metadata: dict[str, str]
    made_at: float
    polls: int = 0
    results: dict[str, Any] | None = None
    full: bool = False
    """Refused because the queue of batches was full."""


class Server:
    """Runs in a thread of its own, on a free port of 127.0.0.1."""

    def __init__(self, reply: Reply = lambda _: "fine", delay_s: float = 0.0, seed: int = 0) -> None:
        self.reply = reply
        self.delay_s = delay_s
        self.script: deque[Fault | None] = deque()
        self.chance: list[tuple[float, Fault]] = []
        self.limit_per_second: float | None = None
        self.log: list[Arrived] = []
        self.keep_log = True
        self.reasoning_tokens = 0
        """Of each answer's output."""
        self.arrived = 0
        self.polls_until_done = 1
        self.item_faults: dict[int, str] = {}
        """Index of an item in a batch to 'expired', 'errored', 'invalid', 'credit', 'missing' or 'cut' (its line in
        the result ends in its middle); used up by the next batch."""
        self.item_message = "scripted invalid"
        self.expire_batch = False
        self.fail_batch = ""
        self.queue_limit: int | None = None
        """Requests that OpenAI's queue of batches takes at once; a batch that goes over it fails."""
        self.break_results: tuple[str, int] | None = None
        """What comes in place of a batch's results, and how often: 'cut', 'html', 'gone', 'empty' or 'short'."""
        self.hide_batches = False
        """Whether no batch is found that was handed in."""
        self.page: tuple[int, str] | None = None
        """Status and text of a page that comes in place of every answer."""
        self.clock_skew_s = 0.0
        """By how much the clock of this provider is ahead."""
        self.lose_confirmation = 0
        """How many confirmations of a batch are lost: the batch is taken and the connection reset."""
        self.batches: dict[str, Batch] = {}
        self.files: dict[str, str] = {}
        self.random = random.Random(seed)
        self._recent: deque[float] = deque()
        self._started = threading.Event()
        self.port = 0
        """Set before it starts, it is listened at."""

    def __enter__(self) -> Server:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._started.wait(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)

    @property
    def openai_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def count_answered(self) -> Counter[str]:
        """How often each distinct request was answered in full."""
        return Counter(each.digest for each in self.log if each.answered)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(self.listen(self.port))
        self._started.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def listen(self, port: int = 0) -> asyncio.Server:
        server = await asyncio.start_server(self._serve, "127.0.0.1", port, backlog=4096)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = head.decode("latin-1").split("\r\n")
                method, path, _ = lines[0].split(" ", 2)
                headers = dict(_split_header(line) for line in lines[1:] if line)
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                await self._route(method, path.partition("?")[0], headers, body, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _route(
        self, method: str, path: str, headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter
    ) -> None:
        if method == "POST" and path in ("/v1/chat/completions", "/v1/messages"):
            await self._complete("openai" if "chat" in path else "anthropic", headers, json.loads(body), writer)
        elif path.startswith(("/v1/files", "/v1/batches")):
            self._route_openai_batches(method, path, headers, body, writer)
        elif path.startswith("/v1/messages/batches"):
            self._route_anthropic_batches(method, path, body, writer)
        else:
            _send(writer, 404, {"error": {"message": f"no such path: {path}", "type": "not_found_error"}})

    async def _complete(
        self, api: str, headers: dict[str, str], body: dict[str, Any], writer: asyncio.StreamWriter
    ) -> None:
        self.arrived += 1
        arrived = Arrived(api, body, digest(body), headers)
        if self.keep_log:
            self.log.append(arrived)
        if self.page is not None:
            data = self.page[1].encode()
            writer.write(_head(self.page[0], len(data), kind="text/html") + data)
            return
        fault = self._draw_fault()
        delay_s = self.delay_s + (fault.seconds if fault and fault.kind != "drip" else 0.0)
        if delay_s:
            await asyncio.sleep(delay_s)
        while fault and fault.until and not fault.until():
            await asyncio.sleep(0.01)
        answer: dict[str, Any] = {}
        try:
            answer = self._answer(api, body, fault) if fault is None or fault.kind != "status" else {}
        except Refused as refused:
            fault = refused.fault
        if fault and fault.kind == "status":
            error = {"type": fault.code, "code": fault.code, "message": fault.text or f"scripted {fault.status}"}
            _send(writer, fault.status, {"type": "error", "error": error}, fault.headers)
            return
        if fault and fault.kind == "hang":
            await asyncio.sleep(fault.seconds)
        if fault and fault.kind in ("reset", "hang"):
            writer.transport.abort()
            raise ConnectionResetError
        data = json.dumps(answer).encode()
        if fault and fault.kind == "garbage":
            data = b"<html>bad gateway</html>"
        if fault and fault.kind == "raw":
            data = fault.text.encode()
        if fault and fault.kind == "truncate":
            writer.write(_head(200, len(data)) + data[: len(data) // 2])
            await writer.drain()
            writer.transport.abort()
            raise ConnectionResetError
        if fault and fault.kind == "drip":
            writer.write(_head(200, len(data)))
            for byte in data:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(fault.seconds)
            return
        writer.write(_head(200, len(data)) + data)
        await writer.drain()
        if fault is None or fault.kind != "garbage":
            arrived.answered_at = time.monotonic()

    def _draw_fault(self) -> Fault | None:
        if self.script:
            return self.script.popleft()
        if self.limit_per_second is not None:
            now = time.monotonic()
            while self._recent and self._recent[0] < now - 1.0:
                self._recent.popleft()
            if len(self._recent) >= self.limit_per_second:
                return Fault(status=429)
            self._recent.append(now)
        drawn = self.random.random()
        for share, fault in self.chance:
            if drawn < share:
                return fault
            drawn -= share
        return None

    def _answer(self, api: str, body: dict[str, Any], fault: Fault | None) -> dict[str, Any]:
        kind = fault.kind if fault else ""
        text = fault.text if fault and kind == "text" else "" if kind == "empty" else self.reply(body)
        if kind == "length":
            text = text[: len(text) // 2]
        prompt = len(json.dumps([body.get("system", ""), body["messages"]])) // 4
        output = max(1, len(text) // 4) + self.reasoning_tokens
        if api == "openai":
            finish = {"length": "length", "refusal": "stop"}.get(kind, "stop")
            message = {"role": "assistant", "content": text, "refusal": None}
            if kind == "refusal":
                message |= {"content": None, "refusal": "I cannot help with that."}
            answer: dict[str, Any] = {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1,
                "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
                "usage": {
                    "prompt_tokens": prompt,
                    "completion_tokens": output,
                    "total_tokens": prompt + output,
                    "prompt_tokens_details": {"cached_tokens": prompt // 2},
                    "completion_tokens_details": {"reasoning_tokens": self.reasoning_tokens},
                },
                "service_tier": body.get("service_tier", "default"),
            }
        else:
            stop = {"length": "max_tokens", "refusal": "refusal"}.get(kind, "end_turn")
            content = [] if kind in ("empty", "refusal") else [{"type": "text", "text": text}]
            answer = {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": body["model"],
                "content": content,
                "stop_reason": stop,
                "stop_sequence": None,
                "usage": {
                    "input_tokens": prompt,
                    "output_tokens": output,
                    "cache_read_input_tokens": 10,
                    "output_tokens_details": {"thinking_tokens": self.reasoning_tokens},
                },
            }
        if kind == "no_usage":
            del answer["usage"]
        return answer

    def _route_openai_batches(
        self, method: str, path: str, headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter
    ) -> None:
        parts = path.split("/")[2:]
        if method == "POST" and parts == ["files"]:
            file_id = f"file-{len(self.files)}"
            self.files[file_id] = _read_upload(headers, body)
            _send(writer, 200, _describe_file(file_id))
        elif method == "POST" and parts == ["batches"]:
            order = json.loads(body)
            lines = self.files[order["input_file_id"]].splitlines()
            items = [{"custom_id": item["custom_id"], "body": item["body"]} for item in map(json.loads, lines)]
            batch = self._take(items, "openai", order.get("metadata") or {})
            self._confirm(writer, self._describe_openai(batch))
        elif parts == ["batches"]:
            data = [self._describe_openai(each) for each in reversed(self.batches.values())]
            _send(writer, 200, {"object": "list", "data": data, "has_more": False})
        elif parts[0] == "batches" and parts[1] in self.batches and not self.hide_batches:
            batch = self.batches[parts[1]]
            batch.polls += 1
            self._finish_if_due(batch)
            _send(writer, 200, self._describe_openai(batch))
        elif parts[0] == "files" and len(parts) == 3 and parts[1] in self.files:
            self._send_results(writer, self.files[parts[1]])
        else:
            _send(writer, 404, {"error": {"message": f"not found: {path}"}})

    def _route_anthropic_batches(self, method: str, path: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        parts = path.split("/")[4:]
        if method == "POST" and not parts:
            items = [{"custom_id": item["custom_id"], "body": item["params"]} for item in json.loads(body)["requests"]]
            self._confirm(writer, self._describe_anthropic(self._take(items, "anthropic", {})))
        elif not parts:
            data = [self._describe_anthropic(each) for each in reversed(self.batches.values())]
            _send(writer, 200, {"data": data, "has_more": False, "first_id": None, "last_id": None})
        elif parts[0] not in self.batches or self.hide_batches:
            _send(writer, 404, {"type": "error", "error": {"type": "not_found_error", "message": "no such batch"}})
        elif len(parts) == 2:
            results = self.batches[parts[0]].results or {}
            lines = [_write_line({"custom_id": key, "result": value}) for key, value in results.items()]
            self._send_results(writer, "\n".join(lines))
        else:
            batch = self.batches[parts[0]]
            batch.polls += 1
            self._finish_if_due(batch)
            _send(writer, 200, self._describe_anthropic(batch))

    def _send_results(self, writer: asyncio.StreamWriter, text: str) -> None:
        trouble, times = self.break_results or ("", 0)
        self.break_results = (trouble, times - 1) if times > 1 else None
        if trouble == "gone":
            _send(writer, 404, {"type": "error", "error": {"type": "not_found_error", "message": "no such file"}})
        elif trouble == "html":
            _send_bytes(writer, b"<!DOCTYPE html><html><title>Just a moment</title></html>", "text/html")
        elif trouble == "cut":
            _send_bytes(writer, text.encode()[: len(text) // 2], "application/x-jsonl")
        elif trouble == "short":
            _send_bytes(writer, "\n".join(text.splitlines()[:-2]).encode(), "application/x-jsonl")
        else:
            _send_bytes(writer, b"" if trouble == "empty" else text.encode(), "application/x-jsonl")

    def _take(self, items: list[dict[str, Any]], api: str, metadata: dict[str, str]) -> Batch:
        batch = Batch(f"batch_{len(self.batches)}", api, items, metadata, time.time())
        if api == "openai" and self.queue_limit is not None:
            queued = sum(len(each.items) for each in self.batches.values() if each.results is None and not each.full)
            batch.full = queued + len(items) > self.queue_limit
        self.batches[batch.id] = batch
        return batch

    def _confirm(self, writer: asyncio.StreamWriter, answer: dict[str, Any]) -> None:
        if self.lose_confirmation:
            self.lose_confirmation -= 1
            writer.transport.abort()
            raise ConnectionResetError
        _send(writer, 200, answer)

    def _finish_if_due(self, batch: Batch) -> None:
        if batch.results is not None or batch.polls < self.polls_until_done or self.fail_batch or batch.full:
            return
        faults, self.item_faults = self.item_faults, {}
        results: dict[str, Any] = {}
        order = list(enumerate(batch.items))
        self.random.shuffle(order)
        for index, item in order:
            fault = faults.get(index)
            if fault == "missing":
                continue
            arrived = Arrived(batch.api, item["body"], digest(item["body"]), {}, via_batch=True)
            self.log.append(arrived)
            if fault in (None, "cut"):
                arrived.answered_at = time.monotonic()
            write = self._write_openai_result if batch.api == "openai" else self._write_anthropic_result
            results[item["custom_id"]] = write(item, fault) | ({"cut": True} if fault == "cut" else {})
        batch.results = results

    def _write_openai_result(self, item: dict[str, Any], fault: str | None) -> Any:
        line: dict[str, Any] = {"id": "b", "custom_id": item["custom_id"], "response": None, "error": None}
        if fault == "expired":
            line["error"] = {"code": "batch_expired", "message": "the request was not executed in time"}
        elif fault in ("errored", "invalid"):
            body = {"error": {"message": self.item_message if fault == "invalid" else "scripted errored"}}
            line["response"] = {"status_code": 500 if fault == "errored" else 400, "body": body}
        elif fault == "credit":
            body = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
            line["response"] = {"status_code": 429, "body": body}
        else:
            line["response"] = {"status_code": 200, "body": self._answer("openai", item["body"], None)}
        return line

    def _write_anthropic_result(self, item: dict[str, Any], fault: str | None) -> Any:
        if fault == "expired":
            return {"type": "expired"}
        if fault in ("errored", "invalid"):
            kind = "api_error" if fault == "errored" else "invalid_request_error"
            error = {"type": kind, "message": f"scripted {fault}"}
            return {"type": "errored", "error": {"type": "error", "error": error}}
        if fault == "credit":
            error = {"type": "invalid_request_error", "message": "Your credit balance is too low"}
            return {"type": "errored", "error": {"type": "error", "error": error}}
        return {"type": "succeeded", "message": self._answer("anthropic", item["body"], None)}

    def _describe_openai(self, batch: Batch) -> dict[str, Any]:
        status, output, errors, succeeded = "in_progress", None, None, 0
        failure: dict[str, Any] = {"message": self.fail_batch}
        if batch.full:
            failure = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached for gpt-4o."}
        if self.fail_batch or batch.full:
            status = "failed"
        elif batch.results is not None:
            status = "expired" if self.expire_batch else "completed"
            good = [line for line in batch.results.values() if line["response"] and not line["error"]]
            bad = [line for line in batch.results.values() if line not in good]
            output = f"{batch.id}-out" if good else None
            errors = f"{batch.id}-err" if bad else None
            succeeded = sum(line["response"]["status_code"] == 200 for line in good)
            self.files[f"{batch.id}-out"] = "\n".join(map(_write_line, good))
            self.files[f"{batch.id}-err"] = "\n".join(map(_write_line, bad))
        return {
            "id": batch.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": "file-0",
            "completion_window": "24h",
            "created_at": int(batch.made_at + self.clock_skew_s),
            "status": status,
            "output_file_id": output,
            "error_file_id": errors,
            "request_counts": {
                "total": len(batch.items),
                "completed": succeeded,
                "failed": len(batch.items) - succeeded if batch.results is not None else 0,
            },
            "errors": {"object": "list", "data": [failure]} if status == "failed" else None,
            "metadata": batch.metadata,
        }

    def _describe_anthropic(self, batch: Batch) -> dict[str, Any]:
        ended = batch.results is not None
        kinds = Counter(result["type"] for result in (batch.results or {}).values())
        counts = {"processing": 0 if ended else len(batch.items), "succeeded": kinds["succeeded"]}
        counts |= {"errored": kinds["errored"], "canceled": 0, "expired": kinds["expired"]}
        made_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(batch.made_at + self.clock_skew_s))
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": made_at,
            "expires_at": made_at,
            "ended_at": made_at if ended else None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"{self.anthropic_url}/v1/messages/batches/{batch.id}/results" if ended else None,
        }


def _write_line(line: dict[str, Any]) -> str:
    """A line of a batch's result; like the providers' own, with line separators (U+2028) as they are."""
    whole = {name: value for name, value in line.items() if name != "cut"}
    cut = line.get("cut") or (line.get("result") or {}).get("cut")
    text = json.dumps(whole, ensure_ascii=False)
    return text[: len(text) // 2] if cut else text


def digest(body: dict[str, Any]) -> str:
    """A digest of a request's body."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def last_text(body: dict[str, Any]) -> str:
    """The text of the last message of a request."""
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else next(part["text"] for part in content if part["type"] == "text")


def _split_header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip().lower(), value.strip()


def _head(status: int, length: int, headers: dict[str, str] | None = None, kind: str = "application/json") -> bytes:
    extra = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    return f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n{extra}\r\n".encode()


def _send(writer: asyncio.StreamWriter, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
    data = json.dumps(body).encode()
    writer.write(_head(status, len(data), headers) + data)


def _send_bytes(writer: asyncio.StreamWriter, data: bytes, kind: str = "application/octet-stream") -> None:
    writer.write(_head(200, len(data), kind=kind) + data)


def _describe_file(file_id: str) -> dict[str, Any]:
    return {
        "id": file_id,
        "object": "file",
        "bytes": 1,
        "created_at": 1,
        "filename": "x.jsonl",
        "purpose": "batch",
        "status": "processed",
    }


def _read_upload(headers: dict[str, str], body: bytes) -> str:
    """The file part of a multipart upload."""
    match = re.search(r"boundary=\"?([^\";]+)", headers["content-type"])
    assert match
    for part in body.split(b"--" + match[1].encode()):
        head, _, content = part.partition(b"\r\n\r\n")
        if b"filename=" in head:
            return content.removesuffix(b"\r\n").decode()
    raise AssertionError("no file in the upload")


async def _serve_alone(delay_s: float) -> None:
    server = Server(delay_s=delay_s)
    server.keep_log = False
    listening = await server.listen()
    print(server.port, flush=True)
    await listening.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=0.2)
    asyncio.run(_serve_alone(parser.parse_args().delay))
