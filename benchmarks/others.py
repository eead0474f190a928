"""Contrasts as others make them, audited and checked: how many can be told without looking, how many are true.

    python -m benchmarks.others COCO.jsonl [--also sugarcrepe.json …]   # rows {"image": …, "captions": […]}
    python -m benchmarks.others COCO.jsonl --speed 100000                # one audit and one check at this size

Made here of the captions: *swaps* (two words of one part of speech change places, as NegCLIP does it), *nouns* (a noun
gives way to another of the corpus, blindly), *mined* (the nearest captions of other pictures by all-MiniLM-L6-v2),
*others* (other captions of the same picture: all of them true, so none may be proved). The other captions of a picture
are given as positives, but for the last. Files that are named with ``--also`` are read as they are.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from counterfoil.tasks.caption.words.parse import parse
from counterfoil.tasks.encoders.load import MINILM, load_encoder
from counterfoil.tasks.foreign.audit import audit_foreign
from counterfoil.tasks.foreign.check import check_foreign
from counterfoil.tasks.foreign.groups import open_foreign

SEED = 0
_SWAPPED = ("NOUN", "ADJ", "ADV", "VERB")
Rows = Iterator[dict[str, object]]


def read_captions(path: Path, most: int) -> list[list[str]]:
    """The captions of each picture."""
    with path.open(encoding="utf-8") as file:
        return [
            [each.strip() for each in json.loads(line)["captions"]] for line, _ in zip(file, range(most), strict=False)
        ]


def swap_words(pictures: list[list[str]]) -> Rows:
    rng = random.Random(SEED)
    for captions, sentence in zip(pictures, parse([each[0] for each in pictures]), strict=True):
        by_part = [[i for i, t in enumerate(sentence.tokens) if t.pos == part] for part in _SWAPPED]
        pairs = [rng.sample(places, 2) for places in by_part if len(places) > 1]
        if pairs:
            a, b = sorted(rng.choice(pairs))
            words = [token.text for token in sentence.tokens]
            words[a], words[b] = words[b], words[a]
            yield {"anchor": captions[0], "positives": captions[1:], "negative": " ".join(words).replace(" .", ".")}


def replace_nouns(pictures: list[list[str]]) -> Rows:
    rng = random.Random(SEED)
    sentences = list(parse([each[0] for each in pictures]))
    nouns = [token.text for sentence in sentences for token in sentence.tokens if token.pos == "NOUN"]
    for captions, sentence in zip(pictures, sentences, strict=True):
        places = [token for token in sentence.tokens if token.pos == "NOUN"]
        if places:
            token, other = rng.choice(places), rng.choice(nouns)
            text = sentence.text[: token.start] + other + sentence.text[token.end :]
            yield {"anchor": captions[0], "positives": captions[1:], "negative": text}


def mine(pictures: list[list[str]], nearest: int = 10) -> Rows:
    vectors = np.asarray(load_encoder(MINILM).encode_texts([each[0] for each in pictures]))
    near = vectors @ vectors.T
    np.fill_diagonal(near, -1)
    for place, captions in enumerate(pictures):
        found = np.argsort(-near[place])[:nearest]
        negatives = {f"negative_{n}": pictures[other][0] for n, other in enumerate(found.tolist(), 1)}
        yield {"anchor": captions[0], "positives": captions[1:], **negatives}


def tell_others(pictures: list[list[str]]) -> Rows:
    for captions in pictures:
        yield {"anchor": captions[0], "negatives": captions[1:]}


MAKERS = {"swaps": swap_words, "nouns": replace_nouns, "mined": mine, "others": tell_others}


def measure(name: str, path: Path) -> str:
    """One line of the table."""
    reading = open_foreign(str(path))
    audits = [each for each in audit_foreign(reading) if each.strongest]
    standings = Counter(each.standing for each in check_foreign(reading, "caption"))
    total = sum(standings.values())
    shares = " | ".join(f"{100 * standings[each] / total:.1f}" for each in ("proved", "true", "open"))
    told = " | ".join(
        f"{max(100 * value(each) for each in audits):.1f}"
        for value in (
            lambda each: each.strongest.figures.pairwise.value,
            lambda each: each.halves[0].figures.pairwise.value,
        )
    )
    sets = [each.sets[0].figures for each in audits if each.sets]
    picked = " of ".join(f"{100 * each:.1f}" for each in (sets[0].picked.value, sets[0].chance)) if sets else "–"
    return f"| {name} | {total:,} | {told} | {picked} | {shares} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captions", type=Path)
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="files or folders of others' contrasts")
    parser.add_argument("--most", type=int, default=1000, help="pictures of the captions that are read")
    parser.add_argument("--only", nargs="*", default=list(MAKERS), choices=MAKERS)
    parser.add_argument("--speed", type=int, default=0, help="instead: time an audit and a check of so many triplets")
    chosen = parser.parse_args()
    pictures = read_captions(chosen.captions, chosen.most)
    with tempfile.TemporaryDirectory() as folder:
        if chosen.speed:
            time_it(pictures, chosen.speed, Path(folder))
            return
        print("| contrasts | negatives | told | other half | picked in its set | proved | true | open |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for name in chosen.only:
            path = Path(folder) / f"{name}.jsonl"
            path.write_text("".join(json.dumps(row) + "\n" for row in MAKERS[name](pictures)), encoding="utf-8")
            print(measure(name, path), flush=True)
        for path in chosen.also:
            print(measure(path.stem, path), flush=True)


def time_it(pictures: list[list[str]], count: int, folder: Path) -> None:
    """CPU seconds and the most memory of an audit and of a check."""
    rows = list(swap_words(pictures))
    path = folder / "many.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            row = rows[n % len(rows)]
            # Numbered, so that each is an anchor of its own.
            numbered = {name: f"{row[name]} ({n // len(rows)})" for name in ("anchor", "negative")}
            file.write(json.dumps(numbered) + "\n")
    for name, work in (
        ("audit", lambda: audit_foreign(open_foreign(str(path)))),
        ("check", lambda: sum(1 for _ in check_foreign(open_foreign(str(path)), "caption"))),
    ):
        start = time.process_time()
        work()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{name} of {count:,} triplets: {time.process_time() - start:.0f} CPU s, {memory:.0f} MB at most so far")


if __name__ == "__main__":
    main()
