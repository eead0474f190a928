"""A recipe's models scored: the encoder on benchmarks, the language model by questions (`[evaluation]`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil.flows.learning.answering import answer_all, describe_scores
from counterfoil.flows.learning.evaluating import MARKDOWN, evaluate_all
from counterfoil.flows.learning.sft import read_sft
from counterfoil.flows.learning.training import read_training
from counterfoil.flows.planning.recipe import Recipe, RecipeError, load_recipe
from counterfoil.flows.process.steps import Progress, find_progress
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.settings import EvaluationSettings

MODEL, SCORES, ANSWERS = "model", "scores", "answers"


def evaluate_recipe(recipe: str, overrides: Sequence[str] = ()) -> dict[str, str]:
    """Score the models that a recipe has trained and tuned, by its [evaluation] section; score sheets lie beside them.

    Raises:
        RecipeError: there is nothing to evaluate.
        EvaluationError: a model or a benchmark cannot be read.
    """
    checked = load_recipe(recipe, overrides)
    settings = checked.evaluation or EvaluationSettings()
    if not has_scores(checked):
        raise RecipeError(
            f"{recipe}: nothing to evaluate: it has no [training] section, and no evaluation.questions for one of [sft]"
        )
    told: dict[str, str] = {}
    if checked.training is not None:
        told[SCORES] = str(_score_encoder(checked, recipe, settings, find_progress()))
    if checked.sft is not None and settings.questions:
        told[ANSWERS] = str(_score_answers(checked, recipe, settings, find_progress()))
    return told


def has_scores(recipe: Recipe) -> bool:
    """Whether a recipe has a model that there is something to score by."""
    asked = recipe.evaluation is not None and bool(recipe.evaluation.questions)
    return recipe.training is not None or (recipe.sft is not None and asked)


def _score_encoder(recipe: Recipe, where: str, settings: EvaluationSettings, progress: Progress) -> Path:
    """The folder of the score sheets of the encoder."""
    from counterfoil.tasks.evaluation.benchmark import Options

    folder = read_training(recipe, where)[1]
    evaluate_all(
        _find_model(folder / MODEL, "train"),
        settings.on or [recipe.dataset.path],
        settings.zero_shot,
        Options(Path(settings.images) if settings.images else None),
        folder / SCORES,
        None,
        progress,
        blind=settings.blind,
        pixels=settings.pixels,
    )
    return folder / SCORES


def _score_answers(recipe: Recipe, where: str, settings: EvaluationSettings, progress: Progress) -> Path:
    """The folder of the answers of the language model."""
    tuned, folder = read_sft(recipe, where)
    model = _find_model(folder / tuned.stages[-1] / MODEL, "sft")
    scores = answer_all(
        model,
        settings.questions,
        folder / ANSWERS,
        images=Path(settings.images) if settings.images else None,
        endpoint=None,
        device=None,
        blind=settings.blind,
        batch=settings.batch,
        most_tokens=settings.most_tokens,
        progress=progress,
    )
    page = write_answers(describe_scores(model, scores)["on"])
    (folder / ANSWERS / MARKDOWN).write_text(page, encoding="utf-8")
    return folder / ANSWERS


def _find_model(folder: Path, command: str) -> str:
    if not folder.exists():
        raise EvaluationError(f"{folder} is not there: run `counterfoil {command}` with this recipe first")
    return str(folder)


def write_answers(scores: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """The scores of questions in Markdown, percent with their 95 % intervals."""
    lines = ["| questions | part | condition | items | right |", "| --- | --- | --- | ---: | ---: |"]
    for named, rows in scores.items():
        for row in rows:
            right, low, high = (f"{100 * row[name]:.1f}" for name in ("accuracy", "low", "high"))
            cells = [named, row["part"] or "all", row["condition"], f"{row['items']:,}", f"{right} ({low} to {high})"]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
