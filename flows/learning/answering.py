"""`counterfoil answer`: a model asked questions, its answers kept and scored."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterfoil.flows.process.steps import Progress
    from counterfoil.tasks.evaluation.answers.asking import Answerer, Score


def open_answerer(model: str, endpoint: str | None, device: str | None, most_tokens: int) -> Answerer:
    """A LLaVA of this machine, or a model behind an OpenAI-compatible endpoint.

    Raises:
        SftError: the model cannot be loaded.
    """
    from counterfoil.tasks.evaluation.answers.asking import Endpoint, LocalModel

    if endpoint is not None:
        from counterfoil.tasks.llm.settings import AuthorSettings

        return Endpoint(AuthorSettings(kind="vllm", model=model, base_url=endpoint), most_tokens)
    from counterfoil.tasks.sft.model import load_llava

    return LocalModel(model, load_llava(model, device=device), most_tokens)


def answer_all(
    model: str,
    on: list[str],
    to: Path,
    *,
    images: Path | None,
    endpoint: str | None,
    device: str | None,
    blind: bool,
    robust: bool = False,
    bertscore: str | None = None,
    batch: int,
    most_tokens: int,
    progress: Progress,
) -> dict[str, list[Score]]:
    """Ask the model all questions of every file and write answers and scores into ``to``.

    Raises:
        EvaluationError: a file cannot be read, or the endpoint does not answer.
        SftError: the model cannot be loaded.
        EncoderError: the model of BERTScore cannot be loaded.
    """
    from counterfoil.tasks.encoders.bertscore import open_bertscore
    from counterfoil.tasks.evaluation.answers.asking import BLIND, SEEN, SMALL, TURNED, ask_items, score_answers
    from counterfoil.tasks.evaluation.answers.reading import read_items
    from counterfoil.tasks.evaluation.errors import EvaluationError

    if not on:
        raise EvaluationError("nothing to ask: name questions by --on FORMAT:FILE")
    # Files are read before the model is loaded: what is wrong with them is told at once.
    questions = {named: read_items(named, images) for named in on}
    conditions = [SEEN, *([TURNED, SMALL] if robust else []), *([BLIND] if blind else [])]
    compare = open_bertscore(bertscore, device) if bertscore is not None else None
    answerer = open_answerer(model, endpoint, device, most_tokens)
    scores: dict[str, list[Score]] = {}
    for number, (named, items) in enumerate(questions.items()):
        name = f"{number + 1:02d}-{re.sub(r'[^A-Za-z0-9]+', '-', named.partition(':')[0])}"
        kept = to / f"{name}.answers.jsonl"
        given = ask_items(answerer, items, kept, conditions=conditions, batch=batch, progress=progress)
        lines = [json.dumps(asdict(each), ensure_ascii=False) + "\n" for each in given]
        (to / f"{name}.scored.jsonl").write_text("".join(lines), encoding="utf-8")
        scores[named] = score_answers(given, compare)
        (to / "scores.json").write_text(json.dumps(describe_scores(model, scores), indent=1) + "\n", encoding="utf-8")
    return scores


def describe_scores(model: str, scores: dict[str, list[Score]]) -> dict[str, Any]:
    """Scores as plain data."""
    return {"model": model, "on": {named: [asdict(each) for each in of] for named, of in scores.items()}}
