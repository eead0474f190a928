"""The objectives after the five papers beside naive hard negatives, on texts alone: MiniLM, same captions and steps.

    python -m benchmarks.ahead COCO.jsonl SUGARCREPEPP OUT.jsonl [--pictures 300] [--held 250] [--steps 40] [--seeds 3]

COCO.jsonl: rows with five captions of a picture. Of each training picture a caption, one that says the same of the
picture, and a foil of the first (``caption.unit``: shown false by what its captions say); ``unproved`` takes the first
exchange that comes, or two nouns in each other's places, and nobody looks. The last encoder layer learns, the others'
states are made once: two cores are few. What is held out are other pictures; SugarCrepe++ is never trained on.

Each line of OUT: setting, seed, shares. ``pp``: SugarCrepe++ without pictures, the first rows of each split; ``hard``:
of held-out pictures another caption is nearer to the caption than to its foil; ``half``: nearer to the true text than
to the half-truth (``caption.halftruth``); ``R@1``: a caption finds another of its picture among all that are held out.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from counterfoil.storage.rows import Anchor, find_beside
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.wording import exchange
from counterfoil.tasks.encoders.load import find_minilm
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.training.batch import Features, Layout, list_contrasts
from counterfoil.tasks.training.losses.ahnpl import hard_negative_loss, negative_margin_loss, next_margins
from counterfoil.tasks.training.losses.mmclip import mmclip_loss
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.settings import TrainingSettings

SPLITS = ("replace_att", "replace_obj", "replace_rel", "swap_att", "swap_obj")
SCALE = torch.tensor(20.0)
BATCH, LONGEST, RATE = 24, 32, 1e-4


@dataclass(frozen=True)
class Row:
    """A caption, another of its picture, a foil that is proved and one that nobody looked at."""

    caption: str
    other: str
    foil: str
    unproved: str


def make_rows(lines: Sequence[str], seed: int) -> tuple[list[Row], list[tuple[str, str, str]]]:
    """Rows with foils, and half-truths: another caption, the true text, the false one."""
    domain = load_domain("caption")
    context: Context[Any] = Context(domain.settings_type(source="pairs:none"), seed, MemoRenderer())
    unit, half = domain.families["caption.unit"], domain.families["caption.halftruth"]
    rows, halves = [], []
    for number, line in enumerate(lines):
        captions = tuple(dict.fromkeys(each.strip() for each in json.loads(line)["captions"]))
        if len(captions) < 3:
            continue
        anchor = Anchor(f"{number}", "caption", "coco", f"{number}", "train", caption=captions[0], captions=captions)
        rng = np.random.default_rng([seed, number])
        assert unit.sample is not None and half.sample is not None
        for draft in unit.sample(anchor, rng, 1, context):
            own = find_beside(draft.edits) or ""
            others = [each for each in captions if each != own]
            loose = exchange_blindly(own, anchor, context, rng)
            rows.append(Row(own, others[int(rng.integers(len(others)))], draft.text or "", loose))
        for draft in half.sample(anchor, rng, 2, context):
            true = find_beside(draft.edits) or ""
            others = [each for each in captions if not {each, draft.text} & {true} and each[:20] != true[:20]]
            if others:
                halves.append((others[int(rng.integers(len(others)))], true, draft.text or ""))
    return rows, halves


def exchange_blindly(text: str, anchor: Anchor, context: Context[Any], rng: np.random.Generator) -> str:
    """The first exchange that comes, or two words that may be exchanged in each other's places; nobody looks."""
    wording = load_domain("caption").wording
    assert wording is not None
    edits = list(wording.list_edits(text, anchor, context))
    words = list(dict.fromkeys(edit.target for edit in edits))
    if len(words) > 1 and rng.random() < 0.5:
        one, other = (words[int(place)] for place in rng.permutation(len(words))[:2])
        return text.replace(one, "\0").replace(other, one).replace("\0", other)
    found = exchange(text, edits[int(rng.integers(len(edits)))])
    return found[0] if found else " ".join(rng.permutation(text.split()))


class LastLayer:
    """MiniLM of which the last layer learns; the states before it are made once for each text."""

    def __init__(self) -> None:
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging

        logging.disable_progress_bar()
        folder = str(find_minilm())
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModel.from_pretrained(folder).eval()
        self.layer = self.model.encoder.layer[-1]
        self.start = {name: each.clone() for name, each in self.layer.state_dict().items()}
        self.states: dict[str, Tensor] = {}

    def reset(self) -> None:
        self.layer.load_state_dict(self.start)

    @torch.no_grad()
    def know(self, texts: Sequence[str]) -> None:
        """Make the states of texts that have none."""
        fresh = sorted({each for each in texts if each not in self.states}, key=len)
        for start in range(0, len(fresh), 64):
            part = fresh[start : start + 64]
            given = self.tokenizer(part, padding=True, truncation=True, max_length=LONGEST, return_tensors="pt")
            found = self.model(**given, output_hidden_states=True).hidden_states[-2]
            for text, state, mask in zip(part, found, given["attention_mask"], strict=True):
                self.states[text] = state[: int(mask.sum())].clone()

    def encode(self, texts: Sequence[str]) -> Tensor:
        states = [self.states[each] for each in texts]
        padded = torch.nn.utils.rnn.pad_sequence(states, batch_first=True)
        mask = torch.arange(padded.shape[1])[None] < torch.tensor([len(each) for each in states])[:, None]
        added = torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min)[:, None, None]
        found = self.layer(padded, attention_mask=added)
        found = found[0] if isinstance(found, tuple) else found
        return functional.normalize((found * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)


def lay_out(model: LastLayer, rows: Sequence[Row], unproved: bool, as_units: bool) -> Features:
    """A batch: captions, the others as hard positives, foils; for units the captions stand beside their foils."""
    said = [row.other if as_units else row.caption for row in rows]
    true = [row.caption if as_units else row.other for row in rows]
    false = [row.unproved if unproved else row.foil for row in rows]
    encoded = model.encode([*said, *true, *false])
    texts, positive, negative = encoded.split(len(rows))
    none = list_contrasts([])
    places = range(len(rows))
    layout = Layout(
        len(rows),
        False,
        torch.arange(len(rows)),
        none,
        none,
        list_contrasts([(place, 0, math.nan, -1) for place in places]),
        list_contrasts([(place, 0, math.nan, place if as_units else -1) for place in places]),
    )
    return Features(texts[:0], texts[:0], texts[:0], texts, negative, positive, layout)


def by_objective(terms: dict[str, float], **given: Any) -> Callable[[Features], Tensor]:
    objective = Objective(TrainingSettings(towers="texts", objective=terms, **given), 1)
    return lambda features: objective(features, SCALE)[0]


def ahnpl() -> Callable[[Features], Tensor]:
    """What of AHNPL is about texts: in-batch, its hard negative term, and its moving margin."""
    in_batch, margins = by_objective({"in_batch": 1.0}), torch.zeros(1)

    def lose(features: Features) -> Tensor:
        positive = (features.texts * features.positive_texts).sum(-1)
        own = (features.texts * features.negative_texts).sum(-1)[:, None]
        loss = in_batch(features) + hard_negative_loss(own) + negative_margin_loss(positive, own, margins)
        margins.copy_(next_margins(positive, own, margins))
        return loss

    return lose


def softmax() -> Callable[[Features], Tensor]:
    """The naive way: the foil is one more column of the softmax."""
    in_batch = by_objective({"in_batch": 1.0})

    def lose(features: Features) -> Tensor:
        positive = (features.texts * features.positive_texts).sum(-1)
        own = (features.texts * features.negative_texts).sum(-1)[:, None]
        return in_batch(features) + mmclip_loss(positive, own, SCALE)

    return lose


SETTINGS: dict[str, tuple[Callable[[], Callable[[Features], Tensor]], bool, bool]] = {
    "in-batch": (lambda: by_objective({"in_batch": 1.0}), False, False),
    "softmax": (softmax, False, False),
    "softmax, unproved": (softmax, True, False),
    "margin": (lambda: by_objective({"in_batch": 1.0, "paraphrase": 10.0}), False, False),
    "clic": (lambda: by_objective({"clic": 1.0}), False, False),
    "clic, unproved": (lambda: by_objective({"clic": 1.0}), True, False),
    "cs": (lambda: by_objective({"in_batch": 1.0, "units": 0.5}), False, True),
    "cs, unproved": (lambda: by_objective({"in_batch": 1.0, "units": 0.5}), True, True),
    "ahnpl": (ahnpl, False, False),
}
"""How each loses, whether its foils are unproved, and whether captions stand as units."""


def learn(model: LastLayer, rows: Sequence[Row], name: str, seed: int, steps: int) -> None:
    make, unproved, as_units = SETTINGS[name]
    lose, rng = make(), np.random.default_rng(seed)
    optimiser = torch.optim.AdamW(model.layer.parameters(), lr=RATE, weight_decay=0.01)
    order: list[int] = []
    for _ in range(steps):
        if len(order) < BATCH:
            order = rng.permutation(len(rows)).tolist()
        batch, order = [rows[place] for place in order[:BATCH]], order[BATCH:]
        features = lay_out(model, batch, unproved, as_units)
        if name == "cs" or name.startswith("cs,"):
            # In-batch pairs are the same as everybody's: captions with the other captions.
            whole = lay_out(model, batch, unproved, False)
            loss = by_objective({"in_batch": 1.0})(whole) + 0.5 * by_objective({"units": 1.0})(features)
        else:
            loss = lose(features)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


@torch.no_grad()
def judge(
    model: LastLayer,
    held: Sequence[Row],
    halves: Sequence[tuple[str, str, str]],
    pp: dict[str, list[tuple[str, str, str]]],
) -> dict[str, float]:
    def encode(texts: Sequence[str]) -> Tensor:
        return torch.cat([model.encode(texts[start : start + 64]) for start in range(0, len(texts), 64)])

    def compare(rows: Sequence[tuple[str, str, str]]) -> float:
        anchor, true, false = (encode([row[at] for row in rows]) for at in range(3))
        return float(((anchor * true).sum(-1) > (anchor * false).sum(-1)).float().mean())

    told = {}
    for split, rows in pp.items():
        one, two, wrong = (encode([row[at] for row in rows]) for at in range(3))
        own = (one * two).sum(-1)
        told[f"pp {split}"] = float(((own > (one * wrong).sum(-1)) & (own > (two * wrong).sum(-1))).float().mean())
    told["pp"] = sum(told[f"pp {split}"] for split in pp) / len(pp)
    told["hard"] = compare([(row.other, row.caption, row.foil) for row in held])
    told["half"] = compare(halves) if halves else math.nan
    one, two = encode([row.caption for row in held]), encode([row.other for row in held])
    told["R@1"] = float(((one @ two.T).argmax(1) == torch.arange(len(held))).float().mean())
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("coco", type=Path)
    parser.add_argument("sugarcrepepp", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pictures", type=int, default=300)
    parser.add_argument("--held", type=int, default=250)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--items", type=int, default=200, help="of each split of SugarCrepe++")
    given = parser.parse_args()
    torch.set_num_threads(1)
    began = time.process_time()
    lines = given.coco.read_text(encoding="utf-8").splitlines()
    rows, _ = make_rows(lines[: given.pictures], 0)
    held, halves = make_rows(lines[-given.held :], 1)
    pp = {}
    for split in SPLITS:
        items = json.loads((given.sugarcrepepp / f"{split}.json").read_text(encoding="utf-8"))[: given.items]
        pp[split] = [(each["caption"], each["caption2"], each["negative_caption"]) for each in items]
    model = LastLayer()
    model.know([text for row in [*rows, *held] for text in (row.caption, row.other, row.foil, row.unproved)])
    model.know([text for each in [*halves, *(row for found in pp.values() for row in found)] for text in each])
    about = {"rows": len(rows), "held": len(held), "halves": len(halves), "steps": given.steps, "items": given.items}
    print(about, round(time.process_time() - began), "CPU s", flush=True)
    with given.out.open("w", encoding="utf-8") as out:
        for seed in range(given.seeds):
            for name in ["none", *SETTINGS]:
                if name == "none" and seed:
                    continue
                model.reset()
                torch.manual_seed(seed)
                cpu = time.process_time()
                if name != "none":
                    learn(model, rows, name, seed, given.steps)
                told = judge(model, held, halves, pp)
                line = {"setting": name, "seed": seed, **about, "cpu_s": round(time.process_time() - cpu, 1), **told}
                out.write(json.dumps(line) + "\n")
                out.flush()
                print(
                    json.dumps({key: round(x, 3) if isinstance(x, float) else x for key, x in line.items()}), flush=True
                )


if __name__ == "__main__":
    main()
