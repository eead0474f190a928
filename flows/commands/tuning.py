"""Commands that tune a multimodal language model, and ask one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from counterfoil.flows.commands.making import Sets
from counterfoil.flows.process.choosing import ByPrefect, choose_server
from counterfoil.flows.showing.terminal import AsJson, err, out, print_json, reported_errors


def sft(
    recipe: Annotated[Path, typer.Argument(help="Recipe file (TOML) with an [sft] section.")],
    sets: Sets = None,
    prefect: ByPrefect = False,
    json: AsJson = False,
) -> None:
    """Train a LLaVA's adapter on a dataset's captions and tune it on instruction rows; one that was killed goes on.

    Example: `counterfoil sft recipes/demo.toml --set sft.vision=models/demo/model --set sft.language=org/model`
    """
    with reported_errors():
        from counterfoil.flows.planning.recipe import load_recipe
        from counterfoil.flows.process.signals import run_watched

        checked = load_recipe(recipe, sets or ())
        with choose_server(prefect) as by_prefect:
            told = run_watched(lambda: _run_tuning(checked, str(recipe), sets or [], by_prefect))
        if json:
            print_json(told)
            return
        for stage in told:
            line = (
                f"{stage['stage']}: {stage['rows']:,} rows ({stage['rejected']:,} too long), {stage['steps']:,} steps, "
                f"loss {stage['first_loss']:.3f} to {stage['last_loss']:.3f}, about {stage['memory']}: {stage['model']}"
            )
            out.print(line, markup=False, highlight=False, soft_wrap=True)
            for said in stage.get("overlap", ()):
                out.print(said, markup=False, highlight=False, soft_wrap=True)


def _run_tuning(checked: Any, recipe: str, sets: list[str], by_prefect: bool) -> list[dict[str, Any]]:
    from counterfoil.flows.learning.sft import foresee, tune_recipe
    from counterfoil.flows.showing.progress import call_with_bars

    for line in foresee(checked, recipe):
        err.print(f"memory, estimated: {line}", markup=False, highlight=False, soft_wrap=True)
    if not by_prefect:
        return call_with_bars(err, lambda: tune_recipe(recipe, sets))
    from counterfoil.flows.learning.flows import tune_model
    from counterfoil.flows.planning.hiding import hide_overrides

    told: list[dict[str, Any]] = call_with_bars(err, lambda: tune_model(recipe, hide_overrides(sets)))
    return told


def ablate(
    recipe: Annotated[Path, typer.Argument(help="Recipe file (TOML) with [training], [sft] and [ablation] sections.")],
    sets: Sets = None,
    prefect: ByPrefect = False,
    json: AsJson = False,
) -> None:
    """Compare towers: train each on other negatives, put it into the same LLaVA, ask all the same; resumes, too.

    Example: `counterfoil ablate recipes/mmgeolm.toml --set ablation.only='["none", "image"]'`
    """
    with reported_errors():
        from counterfoil.flows.planning.recipe import load_recipe
        from counterfoil.flows.process.signals import run_watched

        checked = load_recipe(recipe, sets or ())
        with choose_server(prefect) as by_prefect:
            told = run_watched(lambda: _run_ablation(checked, str(recipe), sets or [], by_prefect))
        if json:
            print_json(told)
            return
        from counterfoil.flows.learning.ablation import render_table

        out.print(render_table(told), markup=False, highlight=False, soft_wrap=True)


def _run_ablation(checked: Any, recipe: str, sets: list[str], by_prefect: bool) -> list[dict[str, Any]]:
    from counterfoil.flows.learning.ablation import ablate_recipe, read_ablation
    from counterfoil.flows.showing.progress import call_with_bars

    read_ablation(checked, recipe)
    if not by_prefect:
        return call_with_bars(err, lambda: ablate_recipe(recipe, sets))
    from counterfoil.flows.learning.flows import ablate_towers
    from counterfoil.flows.planning.hiding import hide_overrides

    told: list[dict[str, Any]] = call_with_bars(err, lambda: ablate_towers(recipe, hide_overrides(sets)))
    return told


def answer(
    model: Annotated[str, typer.Argument(help="Hub id or folder of a LLaVA, or a model's name at --endpoint.")],
    to: Annotated[Path, typer.Option(help="Folder for answers and scores; answers that it holds are not asked again.")],
    on: Annotated[
        list[str] | None,
        typer.Option(metavar="FORMAT:FILE", help="Questions: llava, mmmath, mathvista, geoqa, wemath or flowvqa."),
    ] = None,
    images: Annotated[Path | None, typer.Option(help="Folder of the pictures, if not next to the questions.")] = None,
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="Server that speaks OpenAI's API; its key is VLLM_API_KEY.")
    ] = None,
    blind: Annotated[bool, typer.Option(help="Ask everything once more without pictures.")] = True,
    robust: Annotated[
        bool, typer.Option("--robust", help="Ask with pictures turned by 30 degrees, and at half size, too.")
    ] = False,
    bertscore: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Compare free texts by BERTScore with this encoder.")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, help="Questions asked at once.")] = 8,
    most_tokens: Annotated[int, typer.Option(min=1, help="Tokens of an answer, at most.")] = 512,
    device: Annotated[str | None, typer.Option(help="Device of torch; default: the GPU where there is one.")] = None,
    json: AsJson = False,
) -> None:
    """Ask a multimodal language model questions, with and without their pictures, and score what it answers.

    Example: `counterfoil answer models/demo-lmm/tuning/model --on llava:data/demo-llava/test.json --to answers/demo`
    """
    with reported_errors():
        from counterfoil.flows.learning.answering import answer_all, describe_scores
        from counterfoil.flows.showing.progress import show_bars

        with show_bars(err) as progress:
            scores = answer_all(
                model,
                on or [],
                to,
                images=images,
                endpoint=endpoint,
                device=device,
                blind=blind,
                robust=robust,
                bertscore=bertscore,
                batch=batch,
                most_tokens=most_tokens,
                progress=progress,
            )
        if json:
            print_json(describe_scores(model, scores))
            return
        _print_scores(scores)


def _print_scores(scores: dict[str, list[Any]]) -> None:
    from rich.table import Table

    for named, of in scores.items():
        table = Table(named, box=None, pad_edge=False)
        bert = ("BERTScore P, R, F1",) if any(each.bert for each in of) else ()
        for heading in ("asked", "questions", "right %", "95 % interval", "same text %", *bert):
            table.add_column(heading, justify="right", no_wrap=True)
        for each in of:
            shares = f"{100 * each.low:.1f} to {100 * each.high:.1f}"
            cells = (each.condition, f"{each.items:,}", f"{100 * each.accuracy:.1f}", shares)
            compared = ", ".join(f"{value:.3f}" for value in each.bert or ()) or "–"
            table.add_row(each.part or "all", *cells, f"{100 * each.same_text:.1f}", *(compared for _ in bert))
        out.print(table)
        if slow := sum(each.slow for each in of if not each.part):
            out.print(f"{slow:,} answers could not be compared as formulas in time, and count as wrong")
