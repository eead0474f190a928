"""vLLM in this process: its offline engine, fed with batches of chats. Imported only when a recipe chooses it.

Its own environment is needed (the ``vllm`` extra): vLLM's fastapi excludes Prefect's.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from counterfoil.tasks.llm.answers import reduce_schema
from counterfoil.tasks.llm.errors import AuthorUnavailable, SendError
from counterfoil.tasks.llm.exchange import Completion, Request, Usage
from counterfoil.tasks.llm.providers.openai_chat import build_messages
from counterfoil.tasks.llm.settings import AuthorSettings

GATHER_S = 0.05
"""How long the first request of a batch waits for company."""


class VllmEngine:
    """Gathers the requests that are waiting into one call of ``LLM.chat``, which schedules them on the GPU."""

    def __init__(self, settings: AuthorSettings) -> None:
        try:
            import vllm
            from vllm.sampling_params import StructuredOutputsParams
        except ImportError as error:
            raise AuthorUnavailable(
                f"vLLM in-process needs the vllm package ({error}); install it in an environment of its own, "
                "or set base_url to a served vLLM"
            ) from None
        self._vllm, self._structured = vllm, StructuredOutputsParams
        try:
            self._engine = vllm.LLM(model=settings.model, **settings.engine)
        except Exception as error:
            said = (str(error).splitlines() or [type(error).__name__])[0]
            raise AuthorUnavailable(f"vLLM cannot load {settings.model}: {said}") from error
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="vllm")
        self._waiting: list[tuple[Request, asyncio.Future[Completion]]] = []
        self._runner: asyncio.Task[None] | None = None

    async def send(self, request: Request) -> Completion:
        future: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._runner is None or self._runner.done():
            self._runner = asyncio.create_task(self._run())
        return await future

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(GATHER_S)
        while self._waiting:
            batch, self._waiting = self._waiting, []
            outcomes = await loop.run_in_executor(self._thread, self._answer, [request for request, _ in batch])
            for (_, future), outcome in zip(batch, outcomes, strict=True):
                if future.done():
                    continue
                if isinstance(outcome, SendError):
                    future.set_exception(outcome)
                else:
                    future.set_result(outcome)

    def _answer(self, requests: list[Request]) -> list[Completion | SendError]:
        """Answer together what can be: the engine refuses a whole call for one request that it does not take, before
        it works on any, so the halves are tried by themselves."""
        try:
            return [*self._chat(requests)]
        except Exception as error:  # noqa: BLE001 - told to whoever asked
            said = f"vLLM: {type(error).__name__}: {error}"
            if type(error).__name__ == "EngineDeadError":
                return [SendError("unavailable", said)] * len(requests)
            if len(requests) == 1:
                return [SendError("refused", said)]
        half = len(requests) // 2
        return self._answer(requests[:half]) + self._answer(requests[half:])

    def _chat(self, requests: list[Request]) -> list[Completion]:
        outputs = self._engine.chat(
            [build_messages(request) for request in requests],
            sampling_params=[self._build_sampling(request) for request in requests],
            use_tqdm=False,
        )
        return [read_output(output) for output in outputs]

    def _build_sampling(self, request: Request) -> Any:
        sampling = request.sampling
        knobs: dict[str, Any] = {"max_tokens": sampling.max_tokens}
        for name in ("temperature", "top_p"):
            if getattr(sampling, name) is not None:
                knobs[name] = getattr(sampling, name)
        if sampling.seed is not None:
            knobs["seed"] = sampling.seed + request.draw
        if request.schema is not None and request.send_schema:
            knobs["structured_outputs"] = self._structured(json=reduce_schema(request.schema))
        return self._vllm.SamplingParams(**knobs)

    async def close(self) -> None:
        if self._runner is not None:
            self._runner.cancel()
        await asyncio.to_thread(self._thread.shutdown, wait=True, cancel_futures=True)
        # Its workers are processes of their own: while they live, this one does not end.
        core = getattr(getattr(self._engine, "llm_engine", None), "engine_core", None)
        if core is not None:
            await asyncio.to_thread(core.shutdown)


def read_output(output: Any) -> Completion:
    """A ``RequestOutput`` as our completion; tokens are counted by the engine."""
    first = output.outputs[0]
    usage = Usage(
        len(output.prompt_token_ids or ()), len(first.token_ids), getattr(output, "num_cached_tokens", 0) or 0
    )
    return Completion(first.text, "length" if first.finish_reason == "length" else "stop", usage)
