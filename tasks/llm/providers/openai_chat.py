"""OpenAI's API by the official SDK: chat completions and the Batch API.

Chat completions, not responses, because every OpenAI-compatible server speaks it, vLLM's among them.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
from collections.abc import Sequence
from typing import Any

import openai

from tasks.llm.answers import reduce_schema
from tasks.llm.errors import SendError
from tasks.llm.exchange import Completion, Finish, Request, Usage, sniff_media_type
from tasks.llm.providers.base import BatchItem, BatchState, HandedIn
from tasks.llm.providers.faults import FaultReader
from tasks.llm.settings import AuthorSettings

ENDED = ("completed", "expired", "cancelled", "failed")


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
                    items += [self._read_line(line) for line in content.text.splitlines() if line.strip()]
        failure = ""
        if batch.status == "failed":
            said = "; ".join(each.message or "" for each in (batch.errors.data or [])) if batch.errors else ""
            failure = self._faults.redact(said or "no reason given")
        return BatchState(ended=True, items=tuple(items), failure=failure)

    async def find_batch(self, lost: HandedIn) -> str | None:
        with self._faults.classify():
            async for batch in self._client.batches.list(limit=100):
                if (batch.metadata or {}).get("counterfoil_job") == lost.job:
                    return batch.id
                if batch.created_at < lost.made_at - 3600:
                    return None
        return None

    def _read_line(self, line: str) -> BatchItem:
        item = json.loads(line)
        response, error = item.get("response") or {}, item.get("error") or {}
        status, body = response.get("status_code"), response.get("body") or {}
        if status == 200:
            completion = read_completion(openai.types.chat.ChatCompletion.model_validate(body))
            return BatchItem(item["custom_id"], completion)
        said = str((body.get("error") or error).get("message", error.get("code", "no reason given")))
        kind = "refused" if status in (400, 413, 422) else "transient"
        return BatchItem(
            item["custom_id"], error=SendError(kind, self._faults.redact(f"{status or ''} {said}"), status=status)
        )

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
