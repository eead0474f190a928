"""`counterfoil prompts keep`: verified answers of a finished dataset, as examples for the next."""

from __future__ import annotations

import json
from pathlib import Path

from counterfoil.flows.planning.recipe import load_recipe
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Provenance
from counterfoil.tasks.engine.process import find_answers_folder
from counterfoil.tasks.llm.examples import Example, name_source, write_pool
from counterfoil.tasks.llm.store.spending import read_asked


def keep_examples(recipe: Path, to: Path) -> dict[str, int]:
    """Write every answer to a first asking of which all rows were accepted; how many of each prompt.

    Raises:
        RecipeError, StorageError, AuthorError: recipe, dataset or response store cannot be read.
    """
    checked = load_recipe(recipe, ())
    dataset = Dataset(checked.dataset.path)
    sources: dict[str, str] = {}
    anchors: dict[str, str] = {}

    def note(provenance: Provenance, source: str) -> None:
        if provenance.request_sha256 is not None:
            sources[provenance.request_sha256] = source

    for anchor in dataset.anchors():
        anchors[anchor.anchor_id] = name_source(anchor.source, anchor.source_id)
        note(anchor.provenance, anchors[anchor.anchor_id])
    for contrast in dataset.contrasts():
        note(contrast.provenance, anchors.get(contrast.anchor_id, ""))
    for reject in dataset.rejects():
        sources.pop(reject.provenance.request_sha256 or "", None)
    found = []
    for sha256, prompt_id, request, answer in read_asked(
        checked.author, find_answers_folder(checked.dataset.path), list(sources)
    ):
        turns = json.loads(request)["messages"]
        if len(turns) == 1 and sources[sha256]:
            found.append(Example(prompt_id, sources[sha256], turns[0][1], answer))
    write_pool(to, found)
    return {name: sum(each.prompt_id == name for each in found) for name in sorted({each.prompt_id for each in found})}
