"""The command; what it does is told in the package."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import lmm
from benchmarks.lmm.cost import WIDTH, memory, one, speed
from benchmarks.lmm.learning import ALIGNED, RANDOM, learn
from benchmarks.lmm.towers import TOWERS, compare


def main() -> None:
    """Run what is named."""
    parser = argparse.ArgumentParser(description=lmm.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    whats = parser.add_subparsers(dest="what", required=True)
    learning = whats.add_parser("learn")
    learning.add_argument("--vision", required=True, help="a tower that `counterfoil train` has aligned")
    learning.add_argument("--towers", nargs="+", choices=(ALIGNED, RANDOM), default=[ALIGNED, RANDOM])
    learning.add_argument("--read", type=int, default=300, help="steps in which the language model reads texts")
    learning.add_argument("--captions", type=int, default=150, help="steps of the adapter on captions")
    learning.add_argument("--steps", type=int, default=400, help="steps of each tuning")
    learning.add_argument("--rounds", type=int, default=2, help="tunings, each from where the last ended")
    learning.add_argument("--batch", type=int, default=32)
    learning.add_argument("--rate", type=float, default=1e-3)
    learning.add_argument("--count", type=int, default=30, help="how often each question is asked with one answer")
    towers = whats.add_parser("towers")
    towers.add_argument("--towers", nargs="+", choices=list(TOWERS), default=list(TOWERS))
    towers.add_argument("--more", type=int, default=1500, help="scenes without negatives beside the dataset's")
    towers.add_argument("--begin", type=int, default=400, help="steps of the start")
    towers.add_argument("--steps", type=int, default=80, help="steps of each tower from there")
    towers.add_argument("--read", type=int, default=200, help="steps in which the language model reads texts")
    towers.add_argument("--captions", type=int, default=60, help="steps of the adapter on captions")
    towers.add_argument("--tuning", type=int, default=200, help="steps of the tuning")
    towers.add_argument("--most", type=int, default=120, help="questions of a part, at most")
    costs = [whats.add_parser(name) for name in ("speed", "memory", "one")]
    for each in costs:
        each.add_argument("--kinds", nargs="+", default=["question"])
        each.add_argument("--most", type=int, default=20, help="rows of a kind made of an anchor, about")
        each.add_argument("--steps", type=int, default=62)
    costs[-1].add_argument("--stage", default="tuning")
    costs[-1].add_argument("--rank", type=int, default=0)
    costs[-1].add_argument("--width", type=int, default=WIDTH)
    for each in (learning, towers, *costs):
        each.add_argument("dataset")
        each.add_argument("--to", type=Path, required=True)
    for each in (learning, towers, costs[0]):
        each.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    {"learn": learn, "towers": compare, "speed": speed, "memory": memory, "one": one}[given.what](given)


if __name__ == "__main__":
    main()
