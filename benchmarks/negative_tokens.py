"""Output tokens of one negative caption of geometry, as the prompts ask for it, and with its claims listed besides.

    python -m benchmarks.negative_tokens DATASET [--tokenizer tokenizer.json] [--rows 500]

The negatives are a dataset's own of `geometry.caption`, written as a model's answer would hold them. Until version 3
the prompt asked for each claim of a caption as predicate, arguments and value; now the reader reads them from the text.
"""

from __future__ import annotations

import argparse
import json
import statistics
from itertools import islice

from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.geometry.captions.read import parse_claims
from counterfoil.tasks.llm.tokens import open_counter

FAMILY = "geometry.caption"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("--tokenizer", help="a tokenizer.json; left out: the rule by which `counterfoil plan` counts")
    parser.add_argument("--rows", type=int, default=500)
    given = parser.parse_args()
    count = open_counter(given.tokenizer)
    now, before = [], []
    for row in islice(Dataset(given.dataset).contrasts(FAMILY), given.rows):
        edits = [{"kind": each.kind, "target": each.target, "replacement": each.replacement} for each in row.edits]
        entry = {"caption": row.text, "edits": edits}
        claims = [
            {"predicate": claim.predicate, "arguments": list(claim.arguments), "value": claim.value}
            for claim in parse_claims(row.text or "")
        ]
        now.append(count(json.dumps(entry, ensure_ascii=False)))
        before.append(count(json.dumps(entry | {"claims": claims}, ensure_ascii=False)))
    for name, counts in (("as asked now", now), ("with its claims", before)):
        tenths = statistics.quantiles(counts, n=10)
        print(f"{name}: {statistics.fmean(counts):.0f} tokens a negative, nine in ten at most {tenths[-1]:.0f}")
    print(f"{len(now)} negatives")


if __name__ == "__main__":
    main()
