"""The cheapest rows there are, for benchmarks of what lies around them: flowcharts by rule, and drawn scenes."""

from __future__ import annotations

from collections.abc import Sequence

ROWS_A_CHART = 42
"""Anchors and contrasts of one chart in the families below, in the mean; about eleven of them are anchors."""
FLOWCHARTS = ("flip", "code", "codeswap")

_DATASET = """
[dataset]
path = "{path}"
seed = 7
shard_size = {shard}
workers = 2
runner = "{runner}"
[flowchart]
source = "procedural:{charts}"
families = [{families}]
"""
_SCENES = """
[author]
kind = "openai"
model = "gpt-4o"
base_url = "{url}"
[caption]
source = "procedural:{scenes}"
families = ["concrete", "swap"]
negatives = 2
"""


def write_recipe(
    path: str,
    charts: int,
    shard: int,
    families: Sequence[str] = FLOWCHARTS,
    *,
    runner: str = "processes",
    scenes: int = 0,
    url: str = "",
) -> str:
    """A recipe's text: charts in these families and, if any, scenes in two, one by the provider at ``url``."""
    named = ", ".join(f'"{family}"' for family in families)
    text = _DATASET.format(path=path, charts=charts, shard=shard, families=named, runner=runner)
    return text + (_SCENES.format(scenes=scenes, url=url) if scenes else "")
