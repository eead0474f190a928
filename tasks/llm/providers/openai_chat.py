"""OpenAI's API by the official SDK: chat completions and the Batch API.

Chat completions, not responses, because every OpenAI-compatible server speaks it, vLLM's among them.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import re
from collections.abc import Sequence
from typing import Any

import openai

from tasks.llm.answers import reduce_schema
from tasks.llm.errors import SendError
from tasks.llm.exchange import Completion, Finish, Request, Usage, sniff_media_type
from tasks.llm.providers.base import BatchItem, BatchState, Candidates, HandedIn, read_lines
from tasks.llm.providers.faults import FaultReader
from tasks.llm.settings import AuthorSettings

ENDED = ("completed", "expired", "cancelled", "failed")
QUEUE_FULL = re.compile(r"token_limit_exceeded|enqueued token limit", re.IGNORECASE)
"""How a batch is refused that would take the organisation over its limit of tokens in queued batches."""


class OpenAIChat:
    """Chat completions of OpenAI, of any server that speaks its API, and of vLLM's server."""

    def __init__(self, settings: AuthorSettings, key: str) -> None:
        quieten_sdk_log("openai")
        self._settings = settings
        self._timeout_s = settings.timeout_s
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=settings.address,
            organization=os.environ.get("OPENAI_ORG_ID"),
            timeout=settings.timeout_s,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(limits=allow_connections(openai, settings.concurrency)),
        )
        self._faults = FaultReader(openai, settings, (key,))

    async def send(self, request: Request) -> Completion:
        body = self.build_body(request)
        extra = body.pop("extra_body", None)
        with self._faults.classify():
            async with asyncio.timeout(self._timeout_s):
                answer = await self._client.chat.completions.create(**body, extra_body=extra)
            return read_completion(answer)

    def build_body(self, request: Request) -> dict[str, Any]:
        """The request as this API's JSON, with ``extra_body`` for what is not in OpenAI's own."""
        sampling, kind = request.sampling, self._settings.kind
        body: dict[str, Any] = {"model": request.model, "messages": build_messages(request)}
        # Servers that only speak the API often ignore the newer name, which would leave an answer without a limit.
        modern = self._settings.base_url is None or sampling.reasoning_effort is not None
        body["max_completion_tokens" if modern else "max_tokens"] = sampling.max_tokens
        for name in ("temperature", "top_p", "reasoning_effort"):
            if getattr(sampling, name) is not None:
                body[name] = getattr(sampling, name)
        if sampling.seed is not None:
            body["seed"] = sampling.seed + request.draw
        if request.schema is not None and request.send_schema:
            if kind == "vllm":
                body["extra_body"] = {"structured_outputs": {"json": dict(request.schema)}}
            else:
                schema = {"name": "answer", "strict": True, "schema": reduce_schema(request.schema)}
                body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    async def submit_batch(self, job: str, requests: Sequence[Request]) -> str:
        lines = [
            json.dumps(
                {
                    "custom_id": each.sha256,
                    "method": "POST",
                    "url": "/v1/chat/completions",
                    "body": self.build_body(each),
                }
            )
            for each in requests
        ]
        with self._faults.classify():
            data = "\n".join(lines).encode()
            upload = await self._client.files.create(file=(f"{job}.jsonl", data), purpose="batch")
            batch = await self._client.batches.create(
                input_file_id=upload.id,
                endpoint="/v1/chat/completions",
                completion_window="24h",
                metadata={"counterfoil_job": job},
            )
            return batch.id

    async def poll_batch(self, batch_id: str) -> BatchState:
        with self._faults.classify():
            batch = await self._client.batches.retrieve(batch_id)
            if batch.status not in ENDED:
                return BatchState(ended=False)
            items: list[BatchItem] = []
            for file_id in (batch.output_file_id, batch.error_file_id):
                if file_id:
                    content = await self._client.files.content(file_id)
                    items += read_lines(content.content, self._read_line)
        failure = self._read_failure(batch.errors) if batch.status == "failed" else None
        return BatchState(ended=True, items=tuple(items), failure=failure)

    def _read_failure(self, errors: Any) -> SendError:
        """Why a batch was refused as a whole."""
        listed = (errors.data or []) if errors else []
        said = "; ".join(each.message or each.code or "" for each in listed) or "no reason given"
        codes = " ".join(each.code or "" for each in listed)
        if QUEUE_FULL.search(f"{codes} {said}"):
            return SendError("busy", self._faults.redact(said))
        read = self._faults.read_status(400, codes, said)
        return read if read.kind == "unavailable" else SendError("refused", self._faults.redact(said))

    async def find_batches(self, lost: HandedIn) -> Candidates:
        with self._faults.classify():
            async for batch in self._client.batches.list(limit=100):
                if (batch.metadata or {}).get("counterfoil_job") == lost.job:
                    return Candidates((batch.id,), certain=True)
                if batch.created_at < lost.made_at - 3600:
                    break
        return Candidates()

    def _read_line(self, line: Any) -> BatchItem:
        response, error = line.get("response") or {}, line.get("error") or {}
        status, body = response.get("status_code"), response.get("body") or {}
        if status == 200:
            completion = read_completion(openai.types.chat.ChatCompletion.construct(**body))
            return BatchItem(line["custom_id"], completion)
        told = body.get("error") or error
        code = f"{told.get('code')} {told.get('type')}"
        said = str(told.get("message") or told.get("code") or "no reason given")
        if status is None:
            return BatchItem(line["custom_id"], error=SendError("transient", self._faults.redact(said)))
        return BatchItem(line["custom_id"], error=self._faults.read_status(status, code, said))

    async def close(self) -> None:
        await self._client.close()


def build_messages(request: Request) -> list[dict[str, Any]]:
    """System, pictures and turns in the form that OpenAI's and vLLM's chat take."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": request.system}] if request.system else []
    for index, message in enumerate(request.messages):
        content: Any = message.text
        if index == 0 and request.images:
            pictures = [{"type": "image_url", "image_url": {"url": _to_data_uri(image)}} for image in request.images]
            content = [*pictures, {"type": "text", "text": message.text}]
        messages.append({"role": message.role, "content": content})
    return messages


def _to_data_uri(image: bytes) -> str:
    return f"data:{sniff_media_type(image)};base64,{base64.b64encode(image).decode()}"


def read_completion(answer: Any) -> Completion:
    """A chat completion as ours. A body without choices or message raises, and counts as an unreadable answer."""
    choice = answer.choices[0]
    message = choice.message
    refusal = getattr(message, "refusal", None)
    finish: Finish = "stop"
    if refusal or choice.finish_reason == "content_filter":
        finish = "refusal"
    elif choice.finish_reason == "length":
        finish = "length"
    details = refusal or (choice.finish_reason if finish != "stop" else "")
    return Completion(message.content or "", finish, _read_usage(answer.usage), answer.model or "", details or "")


def _read_usage(usage: Any) -> Usage | None:
    if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    details = usage.prompt_tokens_details
    cached = (details.cached_tokens or 0) if details else 0
    written = (getattr(details, "cache_write_tokens", None) or 0) if details else 0
    return Usage(usage.prompt_tokens, usage.completion_tokens, cached, written)


def allow_connections(sdk: Any, concurrency: int) -> Any:
    """Connection limits under which ``concurrency`` requests never wait for one another."""
    limits = sdk.DEFAULT_CONNECTION_LIMITS
    return type(limits)(
        max_connections=concurrency + 16, max_keepalive_connections=concurrency + 16, keepalive_expiry=30.0
    )


def quieten_sdk_log(name: str) -> None:
    """Keep an SDK's request log (bodies, headers) out of ours, whatever level the root logger has."""
    for each in (name, "httpx2", "httpcore2"):
        logging.getLogger(each).setLevel(logging.WARNING)
