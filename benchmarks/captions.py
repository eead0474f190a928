"""Captions of photographs: how many have a near miss, of which kinds, how long it takes, what language models prefer.

    python -m benchmarks.captions COCO.jsonl WORK --rows 300                        # chosen by counts alone
    python -m benchmarks.captions COCO.jsonl WORK --rows 300 --fluency smollm2      # a language model has its say

COCO.jsonl has a picture a line (`captions`). Half of its pictures are made into a dataset by `counterfoil run`. A
5-gram model learns the captions of the other half and is asked, with SmolLM2 where it is installed, how often it finds
a caption likelier than its near miss, by the kind of edit. Of the two nobody should prefer either.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import resource
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from deltalake import DeltaTable

from benchmarks.ngrams import Ngrams
from counterfoil.tasks.encoders.fluency import SMOLLM2, has_smollm2, open_language_model

FAMILIES = ("concrete", "mask", "swap", "add", "near")


def make(
    rows: Sequence[Mapping[str, Any]],
    folder: Path,
    families: Sequence[str],
    negatives: int,
    each: int,
    fluency: Sequence[str],
) -> tuple[Path, float]:
    """The dataset of these pictures' captions, and the CPU seconds that it took."""
    folder.mkdir(parents=True)
    source = folder / "captions.jsonl"
    source.write_text("".join(json.dumps({"captions": row["captions"]}) + "\n" for row in rows), encoding="utf-8")
    lines = [
        "[dataset]",
        f"path = {json.dumps(str(folder / 'dataset'))}",
        "seed = 7",
        "[author]",
        'kind = "procedural"',
    ]
    lines += ["[caption]", f"source = {json.dumps(f'pairs:{source}')}", f"families = {json.dumps(families)}"]
    lines += [f"negatives = {negatives}", f"each = {each}", *([f"fluency = {json.dumps(fluency)}"] if fluency else [])]
    recipe = folder / "recipe.toml"
    recipe.write_text("\n".join(lines) + "\n", encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "counterfoil.flows", "run", str(recipe), "--yes"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"counterfoil run failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return folder / "dataset", cpu


def read_pairs(dataset: Path) -> tuple[list[tuple[str, str, str, str]], dict[str, list[str]]]:
    """Each near miss with its kind, its anchor and the caption that it is of; and all captions by anchor."""
    anchors = DeltaTable(str(dataset / "anchors")).to_pyarrow_table(columns=["anchor_id", "captions"]).to_pylist()
    captions = {row["anchor_id"]: list(dict.fromkeys(row["captions"])) for row in anchors}
    table = DeltaTable(str(dataset / "contrasts")).to_pyarrow_table(columns=["anchor_id", "text", "edits", "changes"])
    pairs = []
    for row in table.to_pylist():
        edit = row["edits"][0]
        own = max(captions[row["anchor_id"]], key=_compare(row["text"], edit["target"], edit["replacement"]))
        kind = "replace_num" if row["changes"] == ["count"] else edit["kind"]
        pairs.append((kind, row["anchor_id"], own, row["text"]))
    return pairs, captions


def _compare(text: str, gone: str, come: str) -> Callable[[str], float]:
    """How alike a caption is to the text once its edit is made."""
    return lambda caption: SequenceMatcher(None, caption.replace(gone, come, 1), text).ratio()


def tell_preferences(pairs: Sequence[tuple[str, str, str, str]], read: Any) -> Iterator[str]:
    """By kind, how often the caption is the likelier of the two, ties a half, with a standard error."""
    leads = defaultdict(list)
    for (kind, *_), mine, theirs in zip(
        pairs, read([own for *_, own, _ in pairs]), read([text for *_, text in pairs]), strict=True
    ):
        leads[kind].append(1.0 if mine > theirs else 0.5 if mine == theirs else 0.0)
    leads["all"] = [each for values in leads.values() for each in values]
    for kind, values in sorted(leads.items()):
        share = sum(values) / len(values)
        yield f"{kind} {100 * share:.0f} % ± {100 * math.sqrt(share * (1 - share) / len(values)):.0f} of {len(values)}"


def tell_yield(pairs: Sequence[tuple[str, str, str, str]], captions: Mapping[str, Sequence[str]]) -> Iterator[str]:
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for kind, anchor, own, _ in pairs:
        found[anchor, own][kind] += 1
    total = sum(map(len, captions.values()))
    kinds: dict[str, set[str]] = defaultdict(set)
    for (anchor, _), each in found.items():
        kinds[anchor] |= set(each)
    yield f"captions with a near miss {len(found) / total:.1%}"
    yield f"with three {sum(each.total() > 2 for each in found.values()) / total:.1%}"
    yield f"of two kinds {sum(len(each) > 1 for each in found.values()) / total:.1%}"
    yield f"of three kinds {sum(len(each) > 2 for each in found.values()) / total:.1%}"
    yield f"pictures with one {len(kinds) / len(captions):.1%}"
    yield f"of three kinds {sum(len(each) > 2 for each in kinds.values()) / len(captions):.1%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--families", nargs="+", default=FAMILIES)
    parser.add_argument("--negatives", type=int, default=1)
    parser.add_argument("--each", type=int, default=3, help="near misses of a caption that caption.near makes")
    parser.add_argument("--fluency", nargs="*", default=())
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.source.read_text(encoding="utf-8").splitlines()]
    random.Random(11).shuffle(rows)
    half = len(rows) // 2
    dataset, cpu = make(
        rows[:half][: given.rows], given.work, given.families, given.negatives, given.each, given.fluency
    )
    pairs, captions = read_pairs(dataset)
    read = sum(map(len, captions.values()))
    speed = f"{read / cpu:.0f} captions, {len(pairs) / cpu:.0f} rows a second"
    print(f"{len(pairs)} near misses of {read} captions in {cpu:.0f} CPU s: {speed}")
    print("; ".join(tell_yield(pairs, captions)))
    ngrams = Ngrams([caption for row in rows[half:] for caption in row["captions"]])
    preferred = tell_preferences(pairs, lambda texts: [ngrams.measure(each) for each in texts])
    print("5-gram of the other half prefers the caption:", "; ".join(preferred))
    if has_smollm2():
        print("SmolLM2:", "; ".join(tell_preferences(pairs, open_language_model(SMOLLM2).likelihoods)))


if __name__ == "__main__":
    main()
