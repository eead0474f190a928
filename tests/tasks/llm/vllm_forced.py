"""vLLM's engine by the product's author, made to say what a test wants; run by the Python of vLLM's environment.

    python -m tests.tasks.llm.vllm_forced MODEL QUESTIONS.json ANSWERS.json

Of each question the engine is pushed, token by token, to the answer that stands beside it, or where none does, towards
the characters that a grammar of JSON is worst at. The push is added behind the mask of the grammar that the engine
builds of our schema: what the grammar forbids is not said, however hard it is pushed. Answers are written as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

try:
    from vllm.v1.sample.logits_processor import LogitsProcessor as Base
except ImportError:  # in our own environment, where this is read and not run
    Base = object

PUSH = 1e4
WORST = ("\\", '"', "\n", "🙂")
LEANING = 4.0
SETTINGS = {"enforce_eager": True, "dtype": "float32", "max_model_len": 8192}


class Forced(Base):
    """A processor of logits, which the engine's own process loads by its name."""

    def __init__(self, *_: Any) -> None:
        self.wanted: dict[int, tuple[list[int], list[int]]] = {}

    @classmethod
    def validate_params(cls, _: Any) -> None:
        """All that the test sends is right."""

    def is_argmax_invariant(self) -> bool:
        return False

    def update_state(self, update: Any) -> None:
        from vllm.v1.sample.logits_processor.builtin import process_dict_updates

        def find(params: Any, _: object, said: list[int]) -> tuple[list[int], list[int]] | None:
            wanted = (params.extra_args or {}).get("wanted")
            return (wanted, said) if wanted else None

        process_dict_updates(self.wanted, update, find)

    def apply(self, logits: Any) -> Any:
        for row, (wanted, said) in self.wanted.items():
            if len(said) < len(wanted):
                logits[row, wanted[len(said)]] += PUSH
        return logits


def main() -> None:
    from counterfoil.tasks.llm.asking import Answer, Ask
    from counterfoil.tasks.llm.author import open_author
    from counterfoil.tasks.llm.providers.vllm_engine import VllmEngine

    model, questions, answers = sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
    plain = VllmEngine._build_sampling

    def build(self: VllmEngine, request: Any) -> Any:
        sampling, tokenizer = plain(self, request), self._engine.get_tokenizer()
        wanted = questions[request.draw].get("wanted")
        if wanted is not None:
            said = tokenizer.encode(wanted, add_special_tokens=False)
            sampling.extra_args = {"wanted": [*said, tokenizer.eos_token_id]}
        else:
            sampling.logit_bias = {tokenizer.encode(each, add_special_tokens=False)[0]: LEANING for each in WORST}
        return sampling

    VllmEngine._build_sampling = build  # type: ignore[method-assign]
    engine = SETTINGS | {"logits_processors": [f"{__spec__.name}:Forced"]}
    section = {"kind": "vllm", "model": model, "max_tokens": 1500, "schema_attempts": 0, "engine": engine}
    with tempfile.TemporaryDirectory() as work:
        author = open_author(section, work=work)
        assert author is not None
        asks = [Ask(each["prompt"], each["variables"], "f", draw=i) for i, each in enumerate(questions)]
        told = [
            {"text": each.raw, "tokens": each.usage.output_tokens, "why": ""}
            if isinstance(each, Answer)
            else {"text": each.raw, "tokens": each.provenance.output_tokens, "why": each.reason}
            for each in author.ask_many(asks)
        ]
        answers.write_text(json.dumps(told))
        author.close()


if __name__ == "__main__":
    main()
