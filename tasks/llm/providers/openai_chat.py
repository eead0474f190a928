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
from tasks.llm.models import limits_completion
from tasks.llm.providers.base import BatchItem, BatchState, Candidates, HandedIn, read_lines
from tasks.llm.providers.faults import FaultReader
from tasks.llm.settings import OFFICIAL, AuthorSettings

ENDED = ("completed", "expired", "cancelled", "failed")
UNSUPPORTED = re.compile(
    r"unsupported|not supported|not permitted|extra_forbidden|unrecogni[sz]ed|unknown", re.IGNORECASE
)
LIMITS = ("max_completion_tokens", "max_tokens")
QUEUE_FULL = re.compile(r"token_limit_exceeded|enqueued token limit", re.IGNORECASE)
"""How a batch is refused that would take the organisation over its limit of tokens in queued batches."""


class OpenAIChat:
    """Chat completions of OpenAI, of any server that speaks its API, and of vLLM's server."""

    def __init__(self, settings: AuthorSettings, key: str) -> None:
        quieten_sdk_log("openai")
        self._settings = settings
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=settings.address,
            organization=os.environ.get("OPENAI_ORG_ID"),
            timeout=settings.patience_s,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(limits=allow_connections(openai, settings.concurrency)),
        )
        self._faults = FaultReader(openai, settings, (key,))
        self._limit = LIMITS[0] if limits_completion(settings.model or "") else LIMITS[1]
        """By which name this model's answers are limited; a refusal that names both corrects it."""

    async def send(self, request: Request) -> Completion:
        try:
            return await self._send(request)
        except SendError as error:
            if not self._correct_limit(error):
                raise
            return await self._send(request)

    async def _send(self, request: Request) -> Completion:
        body = self.build_body(request)
        extra = body.pop("extra_body", None)
        with self._faults.classify():
            async with asyncio.timeout(self._settings.patience_s):
                answer = await self._client.chat.completions.create(**body, extra_body=extra)
            return read_completion(answer)

    def _correct_limit(self, error: SendError) -> bool:
        """Whether a refusal says that this server wants the limit of an answer by its other name, used from now on."""
        named = re.search("|".join(LIMITS), error.message)
        if error.kind != "refused" or named is None or not UNSUPPORTED.search(error.message):
            return False
        self._limit = next(name for name in LIMITS if name != named[0])
        return True

    def build_body(self, request: Request) -> dict[str, Any]:
        """The request as this API's JSON, with ``extra_body`` for what is not in OpenAI's own."""
        sampling, kind = request.sampling, self._settings.kind
        body: dict[str, Any] = {"model": request.model, "messages": build_messages(request)}
        body[self._limit] = sampling.max_tokens
        for name in ("temperature", "top_p", "reasoning_effort"):
            if getattr(sampling, name) is not None:
                body[name] = getattr(sampling, name)
        if sampling.seed is not None:
            body["seed"] = sampling.seed + request.draw
        if self._settings.flex:
            body["service_tier"] = "flex"
        if request.cache_key and self._settings.address == OFFICIAL["openai"]:
            body["prompt_cache_key"] = request.cache_key
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
        failure = self._faults.read_status(status, code, said)
        if self._correct_limit(failure):
            failure = SendError("transient", failure.message)
        return BatchItem(line["custom_id"], error=failure)

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
    tier = getattr(answer, "service_tier", None) or ""
    return Completion(message.content or "", finish, _read_usage(answer.usage), answer.model or "", details or "", tier)


def _read_usage(usage: Any) -> Usage | None:
    if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    details = usage.prompt_tokens_details
    cached = (details.cached_tokens or 0) if details else 0
    written = (getattr(details, "cache_write_tokens", None) or 0) if details else 0
    reasoning = getattr(usage.completion_tokens_details, "reasoning_tokens", None)
    return Usage(usage.prompt_tokens, usage.completion_tokens, cached, written, reasoning)


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
