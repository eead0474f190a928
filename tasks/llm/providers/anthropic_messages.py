"""Anthropic's Messages API and Message Batches by the official SDK."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from typing import Any

import anthropic

from tasks.llm.answers import reduce_schema
from tasks.llm.errors import SendError
from tasks.llm.exchange import Completion, Finish, Request, Usage, sniff_media_type
from tasks.llm.providers.base import BatchItem, BatchState, Candidates, HandedIn, read_lines
from tasks.llm.providers.faults import STATUSES, FaultReader
from tasks.llm.providers.openai_chat import allow_connections, quieten_sdk_log
from tasks.llm.settings import AuthorSettings


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
        self._faults = FaultReader(anthropic, settings, (key,))

    async def send(self, request: Request) -> Completion:
        body = self.build_body(request)
        extra = body.pop("extra_body", None)
        with self._faults.classify():
            async with asyncio.timeout(self._settings.patience_s):
                answer = await self._client.messages.create(**body, extra_body=extra)
            return read_message(answer)

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
            return batch.id

    async def poll_batch(self, batch_id: str) -> BatchState:
        with self._faults.classify():
            batch = await self._client.messages.batches.retrieve(batch_id)
            if batch.processing_status != "ended":
                return BatchState(ended=False)
            # Not the SDK's own decoder: it fails the whole result at one line that is cut short.
            results = await self._client.messages.batches.with_raw_response.results(batch_id)
            data = await results.read()
        return BatchState(ended=True, items=tuple(read_lines(data, self._read_item)))

    async def find_batches(self, lost: HandedIn) -> Candidates:
        """The batches that we do not know, made since, with as many requests.

        Message Batches carry no name of ours: whose one is, its custom ids tell when it has ended.
        """
        found: list[str] = []
        with self._faults.classify():
            async for batch in self._client.messages.batches.list(limit=100):
                if batch.created_at.timestamp() < lost.made_at - 60:
                    break
                counts = batch.request_counts
                size = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                if batch.id not in lost.known and size == lost.requests:
                    found.append(batch.id)
        return Candidates(tuple(found))

    def _read_item(self, line: Any) -> BatchItem:
        item = anthropic.types.messages.MessageBatchIndividualResponse.construct(**line)
        result = item.result
        if result.type == "succeeded":
            return BatchItem(item.custom_id, read_message(result.message))
        if result.type == "errored":
            error = result.error.error
            status = STATUSES.get(error.type, 500)
            said = self._faults.read_status(status, error.type, f"{error.type}: {error.message}")
            return BatchItem(item.custom_id, error=said)
        return BatchItem(item.custom_id, error=SendError("transient", f"the batch's item is {result.type}"))

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


def read_message(answer: Any) -> Completion:
    """A message as our completion: its text blocks joined. A body of another shape raises."""
    text = "".join(block.text for block in answer.content if block.type == "text")
    finish: Finish = "stop"
    if answer.stop_reason == "refusal":
        finish = "refusal"
    elif answer.stop_reason in ("max_tokens", "model_context_window_exceeded"):
        finish = "length"
    details = answer.stop_reason if finish != "stop" else ""
    return Completion(text, finish, _read_usage(getattr(answer, "usage", None)), answer.model or "", details or "")


def _read_usage(usage: Any) -> Usage | None:
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = usage.cache_read_input_tokens or 0
    written = usage.cache_creation_input_tokens or 0
    reasoning = getattr(usage.output_tokens_details, "thinking_tokens", None)
    return Usage(usage.input_tokens + cached + written, usage.output_tokens, cached, written, reasoning)
