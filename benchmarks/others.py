"""Contrasts as others make them, audited and checked: how many can be told without looking, how many are true.

    python -m benchmarks.others COCO.jsonl [--also sugarcrepe.json …]     # rows {"image": …, "captions": […]}
    python -m benchmarks.others COCO.jsonl --refine --only swaps         # before and after `clean --refine`

Made here of the captions: *swaps* (two words of one part of speech change places, as NegCLIP does it), *noun_swaps*,
*nouns* (a noun gives way to another of the corpus, blindly), *denied* and *counts* ("no", "without", "not", other
numbers, as benchmarks of negation and counting do it), *mined* (the nearest captions of other pictures by
all-MiniLM-L6-v2), *others* (other captions of the same picture: all of them true, so none may be proved),
*held_out* (one of them, with the rest as positives). A picture's
other captions are given as positives. Files that are named with ``--also`` are read as they are. ``--write FOLDER``
keeps what is made, and what is found of each, to be read row by row.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from counterfoil.tasks.caption.plan.kinds import NUMBERS
from counterfoil.tasks.caption.words.parse import Sentence, parse
from counterfoil.tasks.encoders.load import MINILM, load_encoder
from counterfoil.tasks.foreign.audit import audit_foreign
from counterfoil.tasks.foreign.check import check_foreign
from counterfoil.tasks.foreign.clean import clean_foreign
from counterfoil.tasks.foreign.groups import open_foreign
from counterfoil.tasks.foreign.suspecting import open_suspecting
from counterfoil.tasks.tells.measure import JudgeFigures

SEED = 0
_SWAPPED = ("NOUN", "ADJ", "ADV", "VERB")
_DENIALS = (
    (r"^(an?|the)\b", "No"),
    (r"^there (is|are) (?:an? )?", r"There \1 no "),
    (r"\bwith\b", "without"),
    (r"\b(is|are)\b", r"\1 not"),
)
Rows = Iterator[dict[str, object]]


def read_captions(path: Path, most: int) -> list[list[str]]:
    """The captions of each picture."""
    with path.open(encoding="utf-8") as file:
        return [
            [each.strip() for each in json.loads(line)["captions"]] for line, _ in zip(file, range(most), strict=False)
        ]


def change(pictures: list[list[str]], write: Callable[[Sentence, random.Random], str | None]) -> Rows:
    """Each picture's captions changed; the others of the picture are positives."""
    rng = random.Random(SEED)
    for captions in pictures:
        for sentence in parse(captions):
            if (text := write(sentence, rng)) is not None and text != sentence.text:
                others = [each for each in captions if each != sentence.text]
                yield {"anchor": sentence.text, "positives": others, "negative": text}


def swap(sentence: Sentence, first: int, second: int) -> str:
    """The caption with two of its words in each other's place."""
    a, b = sentence.tokens[min(first, second)], sentence.tokens[max(first, second)]
    return f"{sentence.text[: a.start]}{b.text}{sentence.text[a.end : b.start]}{a.text}{sentence.text[b.end :]}"


def swap_words(sentence: Sentence, rng: random.Random) -> str | None:
    by_part = [[i for i, t in enumerate(sentence.tokens) if t.pos == part] for part in _SWAPPED]
    pairs = [rng.sample(places, 2) for places in by_part if len(places) > 1]
    return swap(sentence, *rng.choice(pairs)) if pairs else None


def swap_nouns(sentence: Sentence, rng: random.Random) -> str | None:
    places = [i for i, token in enumerate(sentence.tokens) if token.pos == "NOUN"]
    return swap(sentence, *rng.sample(places, 2)) if len(places) > 1 else None


def deny(sentence: Sentence, rng: random.Random) -> str | None:
    """What benchmarks of negation do: "no" for the first article, "without" for "with"."""
    ways = [re.sub(pattern, by, sentence.text, count=1, flags=re.IGNORECASE) for pattern, by in _DENIALS]
    made = [each for each in ways if each != sentence.text]
    return rng.choice(made) if made else None


def count_more(sentence: Sentence, rng: random.Random) -> str | None:
    """One number for another."""
    places = [token for token in sentence.tokens if token.text.lower() in NUMBERS]
    if not places:
        return None
    token = rng.choice(places)
    other = rng.choice([each for each in NUMBERS[:5] if each != token.text.lower()])
    return sentence.text[: token.start] + other + sentence.text[token.end :]


def replace_nouns(pictures: list[list[str]]) -> Rows:
    nouns = [t.text for captions in pictures for each in parse(captions[:1]) for t in each.tokens if t.pos == "NOUN"]

    def write(sentence: Sentence, rng: random.Random) -> str | None:
        places = [token for token in sentence.tokens if token.pos == "NOUN"]
        if not places:
            return None
        token = rng.choice(places)
        return sentence.text[: token.start] + rng.choice(nouns) + sentence.text[token.end :]

    return change(pictures, write)


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


def hold_out(pictures: list[list[str]]) -> Rows:
    """One of a picture's captions as a negative, which is true; the others are positives."""
    for captions in pictures:
        if len(captions) > 2:
            yield {"anchor": captions[0], "positives": captions[1:-1], "negative": captions[-1]}


MAKERS: Mapping[str, Callable[[list[list[str]]], Rows]] = {
    "swaps": lambda pictures: change(pictures, swap_words),
    "noun_swaps": lambda pictures: change(pictures, swap_nouns),
    "nouns": replace_nouns,
    "denied": lambda pictures: change(pictures, deny),
    "counts": lambda pictures: change(pictures, count_more),
    "mined": mine,
    "others": tell_others,
    "held_out": hold_out,
}


def tell_share(judges: Sequence[JudgeFigures]) -> str:
    """How often the strongest of the judges tells, in per cent, with its interval."""
    found = max((each.figures.pairwise for each in judges), key=lambda each: each.value, default=None)
    return "–" if found is None else f"{100 * found.value:.1f} ({100 * found.low:.1f} to {100 * found.high:.1f})"


def measure(name: str, path: Path, folder: Path, chosen: argparse.Namespace) -> str:
    """One line of the table."""
    reading = open_foreign(str(path))
    audits = audit_foreign(reading, most=chosen.anchors)
    audits = [each for each in audits if each.strongest]
    findings = folder / f"{name.replace('/', '_')}.findings.jsonl"
    found = list(check_foreign(reading, "caption", keep=findings))
    standings = Counter(each.standing for each in found)
    total = sum(standings.values())
    shares = " | ".join(f"{100 * standings[each] / total:.1f}" for each in ("proved", "true"))
    if_same = 100 * sum(bool(each.if_same) for each in found) / total
    told = [
        max((100 * value(each) for each in audits), default=float("nan"))
        for value in (
            lambda each: each.strongest.figures.pairwise.value,
            lambda each: each.halves[0].figures.pairwise.value,
        )
    ]
    sets = [each.sets[0].figures for each in audits if each.sets]
    picked = " of ".join(f"{100 * each:.1f}" for each in (sets[0].picked.value, sets[0].chance)) if sets else "–"
    judged = " | ".join(f"{each:.1f}" for each in told)
    return f"| {name} | {total:,} | {judged} | {picked} | {shares} | {if_same:.1f} |"


def read(name: str, path: Path, folder: Path, chosen: argparse.Namespace) -> str:
    """One line: how often a language model finds the anchor likelier than a negative, in all and for each token."""
    del folder
    # Compared with the anchor alone, as it reads four texts a CPU second.
    alone = open_foreign(str(path), {"positive": ""})
    (audit,) = audit_foreign(alone, most=chosen.anchors, language_model=chosen.language_model)
    by_name = {each.judge: each for each in audit.fluent}
    shares = [tell_share([by_name[each]]) for each in ("language model", "language model, per token")]
    return f"| {name} | {audit.anchors} | {' | '.join(shares)} |"


def suspect(name: str, path: Path, folder: Path, chosen: argparse.Namespace) -> str:
    """One line: what an encoder makes of the negatives."""
    keep, model = folder / f"{name.replace('/', '_')}.suspected.jsonl", open_suspecting(chosen.encoder)
    found = list(check_foreign(open_foreign(str(path)), "caption", suspecting=model, keep=keep))
    scores = [each.similarity for each in found if each.similarity is not None]
    known = [each for each in found if each.suspicion is not None]
    low, middle, high = np.percentile(scores, (10, 50, 90))
    shares = []
    for most in (0.5, 1):
        count = sum(each.suspicion >= most for each in known if each.suspicion is not None)
        shares.append(f"{100 * count / len(known):.1f}" if known else "–")
    return f"| {name} | {len(found):,} | {middle:.2f} ({low:.2f} to {high:.2f}) | {' | '.join(shares)} |"


def refine(name: str, path: Path, folder: Path, chosen: argparse.Namespace) -> str:
    """One line: how much judges tell before and after, and how many negatives are left. The judges after it are all of
    an audit's, trees too, and learn from other folds than those by which negatives were dropped."""
    to = folder / f"{name.replace('/', '_')}.refined{path.suffix}"
    made = clean_foreign(open_foreign(str(path)), to, "caption", refine=True)
    figures = []
    for target in (path, to):
        audits = [each for each in audit_foreign(open_foreign(str(target)), most=chosen.anchors) if each.strongest]
        strongest = [each.strongest for each in audits if each.strongest]
        halves = [each.halves[0] for each in audits if each.halves]
        for found in (strongest, halves):
            figures.append(tell_share(found))
    left = made.negatives - made.true - made.telling
    before, after = " | ".join(figures[:2]), " | ".join(figures[2:])
    return f"| {name} | {made.negatives:,} | {before} | {left:,} ({100 * left / made.negatives:.0f} %) | {after} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captions", type=Path)
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="files or folders of others' contrasts")
    parser.add_argument("--most", type=int, default=1000, help="pictures of the captions that are read")
    parser.add_argument("--only", nargs="*", default=list(MAKERS), choices=MAKERS)
    parser.add_argument("--anchors", type=int, help="anchors that are judged, at most")
    parser.add_argument("--language-model", help="instead: what this one finds likelier: smollm2")
    parser.add_argument("--encoder", help="instead: what this encoder suspects")
    parser.add_argument("--write", type=Path, help="a folder that keeps the contrasts and the findings")
    parser.add_argument("--refine", action="store_true", help="instead: what `clean --refine` leaves to judges")
    chosen = parser.parse_args()
    pictures = read_captions(chosen.captions, chosen.most)
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.write or Path(temporary)
        if chosen.language_model:
            print("| contrasts | anchors | likelier, in all | for each token |")
            print("| --- | --- | --- | --- |")
        elif chosen.encoder:
            print("| contrasts | negatives | similarity, 80 % of them | over half of what is true | over all of it |")
            print("| --- | --- | --- | --- | --- |")
        elif chosen.refine:
            print("| contrasts | negatives | told | other half | left | told | other half |")
            print("| --- | --- | --- | --- | --- | --- | --- |")
        else:
            print("| contrasts | negatives | told | other half | picked | proved | true | if same |")
            print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        work = read if chosen.language_model else suspect if chosen.encoder else refine if chosen.refine else measure
        for name in chosen.only:
            path = folder / f"{name}.jsonl"
            path.write_text("".join(json.dumps(row) + "\n" for row in MAKERS[name](pictures)), encoding="utf-8")
            print(work(name, path, folder, chosen), flush=True)
        for path in chosen.also:
            print(work(f"{path.parent.name}/{path.stem}", path, folder, chosen), flush=True)


if __name__ == "__main__":
    main()
