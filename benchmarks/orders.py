"""Whether a set of charts points at its anchor: by an order, a position, or a graph that no other member shows.

    python -m benchmarks.orders SOURCE [--limit 30] [--families image,caption,codeswap,answers] [--set KEY=VALUE]

SOURCE is a recipe's (``charts:FILE``, ``procedural:100``). Anchors and contrasts are made as a run makes them. Printed
are rows an anchor, and how often judges that know nothing of the charts find the anchor: in its pairs by which of two
answers comes first (in code and picture) and by where a code's nodes are declared; in its sets by the graph and by the
form of graph that occurs once (chance beside it). An n-gram model that learns on other charts judges the codes' pairs.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts
from counterfoil.tasks.flowchart.captions import read_caption
from counterfoil.tasks.flowchart.chart.sight import outline, see_chart
from counterfoil.tasks.flowchart.drawing.rendering import parse
from counterfoil.tasks.flowchart.drawing.vector import read_vector

Sets = Sequence[tuple[Anchor, Sequence[Contrast]]]


def make_sets(source: str, limit: int, names: Sequence[str], changes: Mapping[str, Any]) -> dict[str, Sets]:
    """By family: each anchor with its contrasts; and how long they took."""
    domain = load_domain("flowchart")
    settings = domain.settings_type.model_validate({"source": source, **changes})
    context: Context[Any] = Context(settings, 7, None)  # type: ignore[arg-type]
    read = domain.read(settings, 7, None)
    rows = [row for _, row in zip(range(limit), read, strict=False)]
    made = {
        row.anchor_id: row for each in rows for row in make_anchors(domain, each, context) if isinstance(row, Anchor)
    }
    anchors = list(made.values())
    print(f"{len(rows)} charts, {len(anchors)} anchors")
    sets = {}
    for name in names:
        family = domain.families[f"flowchart.{name}"]
        began = time.process_time()
        ready = prepare_here(family.prepare, [anchors], context) if family.prepare else context
        made_of = [(a, [r for r in make_contrasts((family,), a, ready) if isinstance(r, Contrast)]) for a in anchors]
        sets[name] = [each for each in made_of if each[1]]
        count = sum(len(each) for _, each in sets[name])
        print(f"{name}: {count} rows, {count / len(anchors):.2f} an anchor, {time.process_time() - began:.0f} CPU s")
    return sets


def find_first(row: Anchor | Contrast) -> float | None:
    """Whether Yes is written before No; None where one of them is not written."""
    code = row.code or ""
    yes, no = code.find('"Yes"'), code.find('"No"')
    return None if min(yes, no) < 0 else yes < no


def find_left(row: Anchor | Contrast) -> float | None:
    """Whether Yes is painted left of No; None where one of them is not painted, or neither stands further left."""
    labels = read_vector(row.vector or "").labels
    placed = {label.text: label.box[0] for label in labels if label.text in ("Yes", "No")}
    return None if len(placed) < 2 or placed["Yes"] == placed["No"] else placed["Yes"] < placed["No"]


def find_forward(row: Anchor | Contrast) -> float:
    """Share of the arrows that lead from a node declared earlier to one declared later."""
    chart = parse(row.code or "")
    places = {node.id: i for i, node in enumerate(chart.nodes)}
    known = [places[a.tail] < places[a.head] for a in chart.arrows if {a.tail, a.head} <= places.keys()]
    return float(np.mean(known)) if known else 0.5


def tell_pairs(name: str, sets: Sets, measure: Callable[[Anchor | Contrast], float | None]) -> None:
    """How often the anchor has more of something than its contrast, and how much both have of it in the mean."""
    measured = [(measure(anchor), measure(each)) for anchor, contrasts in sets for each in contrasts]
    pairs = np.array([(own, other) for own, other in measured if own is not None and other is not None], float)
    if len(pairs):
        means = ", ".join(f"{mean:.3f}" for mean in pairs.mean(axis=0))
        print(f"  {name}: {_count_won(pairs):.3f} of {len(pairs)} pairs (anchors, contrasts: {means})")


def _count_won(pairs: np.ndarray) -> float:
    return float(np.mean((pairs[:, 0] > pairs[:, 1]) + 0.5 * (pairs[:, 0] == pairs[:, 1])))


def tell_once(name: str, sets: Sets, key: Callable[[str], Hashable]) -> None:
    """How often one of what occurs once in a set, drawn evenly (of all where nothing does), is the anchor."""
    found, chance = [], []
    for anchor, contrasts in sets:
        keys = [key(anchor.code or ""), *(key(each.code or "") for each in contrasts)]
        once = [place for place, each in enumerate(keys) if keys.count(each) == 1] or list(range(len(keys)))
        found.append((0 in once) / len(once))
        chance.append(1 / len(keys))
    print(f"  {name} that occurs once: {np.mean(found):.3f} of {len(found)} sets (chance {np.mean(chance):.3f})")


def key_graph(code: str) -> Hashable:
    labels, arrows = outline(see_chart(parse(code)))
    return frozenset(labels.items()), frozenset(arrows.items())


def key_form(code: str) -> Hashable:
    """How many arrows enter and leave the nodes."""
    arrows = see_chart(parse(code)).arrows
    entered, left = Counter(a.head for a in arrows), Counter(a.tail for a in arrows)
    return tuple(sorted((entered[node], left[node]) for node in {*entered, *left}))


def learn_form(sets: Sets) -> None:
    """How often the form that other charts' anchors have in sets of such forms finds the anchor."""
    seen: defaultdict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    known = []
    for anchor, contrasts in sets:
        own = key_form(anchor.code or "")
        forms = [own, *(key_form(each.code or "") for each in contrasts)]
        world = tuple(sorted(forms, key=str))
        seen[world][own] += 1
        known.append((anchor.source_id, own, forms, world))
    by_chart: dict[tuple[str, Hashable], Counter[Hashable]] = defaultdict(Counter)
    for chart, own, _, world in known:
        by_chart[chart, world][own] += 1
    found = []
    for chart, own, forms, world in known:
        others = seen[world] - by_chart[chart, world]
        # By the likelihood of each form among anchors of such a world, shared by the members that have it.
        best = max(set(forms), key=lambda form: (others[form] / forms.count(form), str(form)))
        found.append((best == own) / forms.count(best) if others else 1 / len(forms))
    chance = np.mean([1 / len(forms) for _, _, forms, _ in known])
    print(f"  the form, learnt on other charts: {np.mean(found):.3f} of {len(found)} sets (chance {chance:.3f})")


def learn_words(sets: Sets) -> None:
    """A 1- to 3-gram model of the codes, learnt on other charts: how often it tells a contrast from its anchor."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    texts: list[str] = []
    owners, charts = [], []
    for anchor, contrasts in sets:
        for each in contrasts:
            texts += [anchor.code or "", each.text or ""]
            owners += [True, False]
            charts.append(anchor.source_id)
    grams = CountVectorizer(ngram_range=(1, 3), token_pattern=r"\S+", min_df=3).fit_transform(texts)
    folds = np.array([crc32(chart.encode()) % 5 for chart in charts]).repeat(2)
    scores = np.zeros(len(texts))
    for fold in range(5):
        learn = folds != fold
        model = LogisticRegression(C=0.3, max_iter=300).fit(grams[learn], np.array(owners)[learn])
        scores[~learn] = model.decision_function(grams[~learn])
    pairs = scores.reshape(-1, 2)
    print(f"  1- to 3-grams, learnt on other charts: {_count_won(pairs):.3f} of {len(pairs)} pairs")


def tell_repeats(sets: Sets) -> None:
    """How many captions say what another of their set says, whatever the order of its sentences."""
    repeats = total = 0
    for _, contrasts in sets:
        said = Counter(frozenset(claim.key() for claim in read_caption(each.text or "")) for each in contrasts)
        total += said.total()
        repeats += said.total() - len(said)
    print(f"  captions that repeat another of their set: {repeats} of {total}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("--limit", type=int, default=30)
    parser.add_argument("--families", default="image,caption,codeswap,answers")
    parser.add_argument("--set", action="append", default=[], help="a key of [flowchart] and its value as JSON")
    options = parser.parse_args()
    changes = {key: json.loads(value) for key, _, value in (each.partition("=") for each in options.set)}
    for name, sets in make_sets(options.source, options.limit, options.families.split(","), changes).items():
        print(name)
        if name == "caption":
            tell_repeats(sets)
            continue
        tell_pairs("Yes before No in the code", sets, find_first)
        tell_pairs("arrows that lead onwards", sets, find_forward)
        if name == "image":
            tell_pairs("Yes left of No", sets, find_left)
        else:
            learn_words(sets)
        tell_once("the graph", sets, key_graph)
        tell_once("the form of graph", sets, key_form)
        learn_form(sets)


if __name__ == "__main__":
    main()
