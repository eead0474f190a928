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
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import openai

from counterfoil.tasks.llm.answers import reduce_schema
from counterfoil.tasks.llm.errors import SendError
from counterfoil.tasks.llm.exchange import Completion, Finish, Request, Usage, sniff_media_type
from counterfoil.tasks.llm.masking import list_secrets
from counterfoil.tasks.llm.models import limits_completion
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
from counterfoil.tasks.llm.providers.faults import FaultReader
from counterfoil.tasks.llm.providers.results import Results, describe_missing, read_batch_id, read_item, read_results
from counterfoil.tasks.llm.settings import OFFICIAL, AuthorSettings

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
        self._faults = FaultReader(openai, settings, list_secrets(settings.store))
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
                answer = await self._client.chat.completions.with_raw_response.create(**body, extra_body=extra)
            return read_completion(read_json(answer.content, answer.headers.get("content-type", "")))

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
                body["extra_body"] = {"structured_outputs": {"json": reduce_schema(request.schema)}}
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
        try:
            with self._faults.classify():
                data = "\n".join(lines).encode()
                upload = await self._client.files.create(file=(f"{job}.jsonl", data), purpose="batch")
                uploaded = take(upload.to_dict(), "id", str) or ""
        except SendError as error:
            # A file alone is asked nothing: it may be sent again.
            raise replace(error, kind="busy" if error.kind == "transient" else error.kind, unread=False) from None
        with self._faults.classify():
            batch = await self._client.batches.create(
                input_file_id=uploaded,
                endpoint="/v1/chat/completions",
                completion_window="24h",
                metadata={"counterfoil_job": job},
            )
            return read_batch_id(batch)

    async def poll_batch(self, batch_id: str) -> BatchState:
        with self._faults.classify():
            batch = await self._client.batches.retrieve(batch_id)
            if batch.status not in ENDED:
                return BatchState(ended=False)
            counts = batch.request_counts.to_dict() if batch.request_counts else {}
            succeeded, total = take(counts, "completed", int), take(counts, "total", int)
            failure = self._read_failure(batch.errors) if batch.status == "failed" else None
        answered = await self._download(batch.output_file_id)
        failed = await self._download(batch.error_file_id)
        items = (*answered.items, *failed.items)
        missing = describe_missing(succeeded, total, Results(items, answered.trouble))
        return BatchState(ended=True, items=items, failure=failure, missing=missing)

    async def _download(self, file_id: str | None) -> Results:
        """What a file of results holds, as far as it can be had."""

        async def fetch() -> tuple[bytes, str]:
            assert file_id is not None
            content = await self._client.files.content(file_id)
            return content.content, content.response.headers.get("content-type", "")

        return await read_results(fetch, self._read_line, self._faults) if file_id else Results()

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
                if batch.created_at < lost.made_at - WIDEST_SKEW_S:
                    break
        return Candidates()

    def _read_line(self, line: Any) -> BatchItem:
        custom_id, response, error = line["custom_id"], line.get("response") or {}, line.get("error") or {}
        status, body = response.get("status_code"), response.get("body")
        if status == 200:
            return BatchItem(custom_id, read_item(body, read_completion))
        code, said = find_error(body or error) or ("", "no reason given")
        if status is None:
            return BatchItem(custom_id, error=SendError("transient", self._faults.redact(said or code)))
        failure = self._faults.read_status(status, code, said)
        if self._correct_limit(failure):
            failure = SendError("transient", failure.message)
        return BatchItem(custom_id, error=failure)

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


def read_completion(body: Any) -> Completion:
    """A chat completion as ours; one with a field of another kind than the API's is unreadable.

    Raises:
        NotAnAnswer: the body holds no completion at all.
    """
    if not isinstance(body, Mapping) or "choices" not in body or (body.get("error") and not body["choices"]):
        raise_error(body)
        raise NotAnAnswer(f"something else than a chat completion: {shorten(body)}")
    wrong, usage = "", None
    try:
        usage = _read_usage(body)
    except Unreadable as error:
        wrong = str(error)
    try:
        choices = take(body, "choices", list, [])
        choice = choices[0] if choices else None
        if not isinstance(choice, Mapping):
            raise Unreadable("it holds no choices" if choice is None else f"its choice is {shorten(choice)}")
        raise_error(choice)
        message = take(choice, "message", Mapping)
        if message is None:
            raise Unreadable("its choice holds no message")
        text, refusal = take(message, "content", str, ""), take(message, "refusal", str, "")
        stopped = take(choice, "finish_reason", str, "")
    except Unreadable as error:
        wrong = wrong or str(error)
    if wrong:
        return describe_unreadable(body, wrong, usage, body.get("model"))
    finish: Finish = "stop"
    if refusal or stopped == "content_filter":
        finish = "refusal"
    elif stopped == "length":
        finish = "length"
    details = refusal or (stopped if finish != "stop" else "")
    model, tier = (each if isinstance(each, str) else "" for each in (body.get("model"), body.get("service_tier")))
    return Completion(text, finish, usage, model, details, tier)


def _read_usage(body: Mapping[str, Any]) -> Usage | None:
    usage = take(body, "usage", Mapping)
    if usage is None:
        return None
    prompt, output = take_tokens(usage, "prompt_tokens"), take_tokens(usage, "completion_tokens")
    asked = take(usage, "prompt_tokens_details", Mapping, {})
    cached, written = take_tokens(asked, "cached_tokens") or 0, take_tokens(asked, "cache_write_tokens") or 0
    reasoning = take_tokens(take(usage, "completion_tokens_details", Mapping, {}), "reasoning_tokens")
    if prompt is None or output is None:
        return None
    if cached + written > prompt:
        raise Unreadable(f"its usage counts {cached + written} cached tokens of {prompt}")
    return Usage(prompt, output, cached, written, reasoning)


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
