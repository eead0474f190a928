"""Anthropic's Messages API and Message Batches by the official SDK."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping, Sequence
from typing import Any

import anthropic

from counterfoil.tasks.llm.answers import reduce_schema
from counterfoil.tasks.llm.errors import SendError
from counterfoil.tasks.llm.exchange import Completion, Finish, Request, Usage, sniff_media_type
from counterfoil.tasks.llm.masking import list_secrets
from counterfoil.tasks.llm.providers.base import (
    WIDEST_SKEW_S,
    BatchItem,
    BatchState,
    Candidates,
    HandedIn,
)
from counterfoil.tasks.llm.providers.bodies import (
    NotAnAnswer,
    Unreadable,
    describe_unreadable,
    find_error,
    raise_error,
    read_json,
    shorten,
    take,
    take_tokens,
)
from counterfoil.tasks.llm.providers.faults import STATUSES, FaultReader
from counterfoil.tasks.llm.providers.openai_chat import allow_connections, quieten_sdk_log
from counterfoil.tasks.llm.providers.results import describe_missing, read_batch_id, read_item, read_results
from counterfoil.tasks.llm.settings import AuthorSettings

COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")


class AnthropicMessages:
    """Messages, streaming off.

    The SDK has no parameter for temperature and top_p any more. A recipe that sets them has them sent in the body all
    the same, for the models and servers that take them; the others refuse the request in one clear line. There is no
    seed in this API: a recipe's seed only tells our own requests apart.
    """

    def __init__(self, settings: AuthorSettings, key: str) -> None:
        quieten_sdk_log("anthropic")
        self._settings = settings
        self._client = anthropic.AsyncAnthropic(
            api_key=key,
            base_url=settings.address,
            timeout=settings.patience_s,
            max_retries=0,
            http_client=anthropic.DefaultAsyncHttpxClient(limits=allow_connections(anthropic, settings.concurrency)),
        )
        self._faults = FaultReader(anthropic, settings, list_secrets(settings.store))

    async def send(self, request: Request) -> Completion:
        body = self.build_body(request)
        extra = body.pop("extra_body", None)
        with self._faults.classify():
            async with asyncio.timeout(self._settings.patience_s):
                answer = await self._client.messages.with_raw_response.create(**body, extra_body=extra)
                data = await answer.read()
            return read_message(read_json(data, answer.headers.get("content-type", "")))

    def build_body(self, request: Request) -> dict[str, Any]:
        """The request as this API's JSON, with ``extra_body`` for what the SDK has no parameter for."""
        sampling = request.sampling
        body: dict[str, Any] = {
            "model": request.model,
            "max_tokens": sampling.max_tokens,
            "messages": _build_messages(request),
        }
        if request.system and request.cache_key:
            block = {"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}
            body["system"] = [block]
        elif request.system:
            body["system"] = request.system
        output: dict[str, Any] = {}
        if sampling.reasoning_effort is not None:
            output["effort"] = sampling.reasoning_effort
        if request.schema is not None and request.send_schema:
            output["format"] = {"type": "json_schema", "schema": reduce_schema(request.schema)}
        if output:
            body["output_config"] = output
        extra = {name: getattr(sampling, name) for name in ("temperature", "top_p")}
        extra = {name: value for name, value in extra.items() if value is not None}
        if extra:
            body["extra_body"] = extra
        return body

    async def submit_batch(self, job: str, requests: Sequence[Request]) -> str:  # noqa: ARG002 - a Message Batch has no name
        items: list[Any] = []
        for each in requests:
            body = self.build_body(each)
            items.append({"custom_id": each.sha256, "params": body | body.pop("extra_body", {})})
        with self._faults.classify():
            batch = await self._client.messages.batches.create(requests=items)
            return read_batch_id(batch)

    async def poll_batch(self, batch_id: str) -> BatchState:
        with self._faults.classify():
            batch = await self._client.messages.batches.retrieve(batch_id)
            if batch.processing_status != "ended":
                return BatchState(ended=False)
            counts = batch.request_counts.to_dict() if batch.request_counts else {}
            succeeded = take(counts, "succeeded", int)
            total = sum(take(counts, name, int, 0) for name in COUNTS)

        async def fetch() -> tuple[bytes, str]:
            # Not the SDK's own decoder: it fails the whole result at one line that is cut short.
            answer = await self._client.messages.batches.with_raw_response.results(batch_id)
            return await answer.read(), answer.headers.get("content-type", "")

        results = await read_results(fetch, self._read_item, self._faults)
        return BatchState(ended=True, items=results.items, missing=describe_missing(succeeded, total or None, results))

    async def find_batches(self, lost: HandedIn) -> Candidates:
        """The batches that we do not know, made since, with as many requests.

        Message Batches carry no name of ours: whose one is, its custom ids tell when it has ended.
        """
        found: list[str] = []
        with self._faults.classify():
            async for batch in self._client.messages.batches.list(limit=100):
                if batch.created_at.timestamp() < lost.made_at - WIDEST_SKEW_S:
                    break
                counts = batch.request_counts
                size = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                if batch.id not in lost.known and size in (0, lost.requests):
                    found.append(batch.id)
        return Candidates(tuple(found))

    def _read_item(self, line: Any) -> BatchItem:
        custom_id, result = line["custom_id"], line["result"]
        if result["type"] == "succeeded":
            return BatchItem(custom_id, read_item(result.get("message"), read_message))
        if result["type"] == "errored":
            code, said = find_error(result.get("error")) or ("", "no reason given")
            status = next((STATUSES[each] for each in code.split() if each in STATUSES), 500)
            return BatchItem(custom_id, error=self._faults.read_status(status, code, f"{code}: {said}"))
        return BatchItem(custom_id, error=SendError("transient", f"the batch's item is {shorten(result['type'])}"))

    async def close(self) -> None:
        await self._client.close()


def _build_messages(request: Request) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for index, message in enumerate(request.messages):
        content: Any = message.text
        if index == 0 and request.images:
            content = [*map(_to_block, request.images), {"type": "text", "text": message.text}]
        messages.append({"role": message.role, "content": content})
    return messages


def _to_block(image: bytes) -> dict[str, Any]:
    data = base64.b64encode(image).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": sniff_media_type(image), "data": data}}


def read_message(body: Any) -> Completion:
    """A message as our completion: its text blocks joined; one with a field of another kind is unreadable.

    Raises:
        NotAnAnswer: the body holds no message at all.
    """
    if not isinstance(body, Mapping) or "content" not in body:
        raise_error(body)
        raise NotAnAnswer(f"something else than a message: {shorten(body)}")
    wrong, usage = "", None
    try:
        usage = _read_usage(body)
    except Unreadable as error:
        wrong = str(error)
    try:
        text = "".join(map(_read_block, take(body, "content", list, [])))
        stopped = take(body, "stop_reason", str, "")
        if body["content"] is None:
            raise Unreadable("its content is null")
    except Unreadable as error:
        wrong = wrong or str(error)
    if wrong:
        return describe_unreadable(body, wrong, usage, body.get("model"))
    finish: Finish = "stop"
    if stopped == "refusal":
        finish = "refusal"
    elif stopped in ("max_tokens", "model_context_window_exceeded"):
        finish = "length"
    model = body.get("model")
    return Completion(text, finish, usage, model if isinstance(model, str) else "", stopped if finish != "stop" else "")


def _read_block(block: Any) -> str:
    """The text of a block; of thinking and other blocks nothing."""
    if not isinstance(block, Mapping) or not isinstance(block.get("type"), str):
        raise Unreadable(f"its content holds {shorten(block)}")
    if block["type"] != "text":
        return ""
    if not isinstance(block.get("text"), str):
        raise Unreadable(f"the text of its content is {shorten(block.get('text'))}")
    return str(block["text"])


def _read_usage(body: Mapping[str, Any]) -> Usage | None:
    usage = take(body, "usage", Mapping)
    if usage is None:
        return None
    sent, output = take_tokens(usage, "input_tokens"), take_tokens(usage, "output_tokens")
    cached = take_tokens(usage, "cache_read_input_tokens") or 0
    written = take_tokens(usage, "cache_creation_input_tokens") or 0
    reasoning = take_tokens(take(usage, "output_tokens_details", Mapping, {}), "thinking_tokens")
    if sent is None or output is None:
        return None
    return Usage(sent + cached + written, output, cached, written, reasoning)
