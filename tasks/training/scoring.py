"""How well the towers tell an anchor from its own hard negatives: the small measure that a run keeps an eye on.

`counterfoil evaluate` measures properly; this looks at held-out anchors of the packed data alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import torch
from torch import Tensor

from counterfoil.tasks.training.batch import Features
from counterfoil.tasks.training.data import BatchMaker
from counterfoil.tasks.training.diagnostics import bin_concreteness, join_features, measure_distances, sweep_batches
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.finite import check_features
from counterfoil.tasks.training.losses.ragged import pad_own, score_own
from counterfoil.tasks.training.order import Ref
from counterfoil.tasks.training.packing.manifest import Manifest
from counterfoil.tasks.training.reading import PackedRows
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.step import encode_batch
from counterfoil.tasks.training.tokens import Tokens
from counterfoil.tasks.training.towers import Towers

_ROWS = 64
"""Anchors that are scored at once."""
SPLIT = "val"
"""The held-out one."""


@dataclass(frozen=True)
class Score:
    """Shares of held-out anchors, between 0 and 1; NaN where no anchor has such negatives.

    A tie is a miss: a negative that scores as high as the pair is not told apart. Where there are texts alone, another
    view of the statement stands in the picture's place: its caption, or for its caption the first other text that says
    the same. It must be nearer to a view than to all near misses of that view, for every view that has some. An anchor
    that nothing says again is asked nothing.
    """

    anchors: int
    """Held-out anchors that were asked."""
    without_positive: int
    """Those left out since nothing says the same as they do."""
    texts: float
    """Whose picture is nearer to its caption than to every negative text."""
    images: float
    """Whose caption is nearer to its picture than to every negative picture."""
    both: float
    """Both of these, among those that have any negative."""
    positive_cosine: float
    concreteness: dict[str, tuple[float, float]]
    """Half a point of concreteness to the mean cosine of pairs and of their negatives (Concrete Jungle Fig. 4)."""
    hard_shares: dict[str, float]
    """Batch size to the hard negatives' share of the gradient in such a batch (Concrete Jungle Fig. 3 and 6)."""
    directions: dict[str, tuple[float, int]]
    """Of texts alone: "informal to lean_type" to the share of anchors whose view finds their other among all held-out
    statements' (MELD Tables 6-11, R@1), and how many have both."""
    distances: dict[str, float]
    """Mean cosine distances of image, caption, negative text and perturbed image (AHNPL Table 5)."""

    def tell(self) -> dict[str, object]:
        """As plain data."""
        return asdict(self)


def score_split(
    towers: Towers,
    manifest: Manifest,
    url: str,
    tokens: Tokens,
    settings: TrainingSettings,
    device: torch.device,
    split: str,
) -> Score | None:
    """Score the first anchors of a split with all their packed negatives; None where it has none.

    Raises:
        TrainingError: a feature is no finite number.
    """
    shards = manifest.splits.get(split, ())
    if not shards:
        return None
    wanted = settings.model_copy(
        update={"negative_texts": None, "negative_images": None, "learn_from": None, "streams": 1}
    )
    maker = BatchMaker(url, replace(manifest, sampled={}), wanted, tokens, split)
    refs = _list_refs(maker.reader, settings.evaluate_rows)
    tally = _Tally()
    towers.eval()
    try:
        for start in range(0, len(refs), _ROWS):
            batch = maker.collate([maker.draw(ref, 0) for ref in refs[start : start + _ROWS]])
            features = encode_batch(towers, batch, device, settings).to(torch.device("cpu"))
            check_features(features, batch.anchor_ids, towers, settings.model, f"scoring {split}, row {start} or after")
            tally.add(features)
    finally:
        towers.train()
    return tally.finish(towers.logit_scale.detach().exp().cpu(), settings, manifest.kinds)


def _list_refs(reader: PackedRows, most: int) -> list[Ref]:
    refs = [
        Ref(number, group, row)
        for number, shard in reader.shards.items()
        for group, rows in enumerate(shard.groups)
        for row in range(rows)
    ]
    return refs[:most]


class _Tally:
    def __init__(self) -> None:
        self.parts: list[Features] = []

    def add(self, features: Features) -> None:
        """Take a batch."""
        self.parts.append(features)

    def finish(self, scale: Tensor, settings: TrainingSettings, kinds: Sequence[str] = ()) -> Score:
        """Score what was taken: 1 hit, 0 miss, NaN without such negatives. ``kinds`` names views and families."""
        features = join_features(self.parts)
        layout = features.layout
        shares = sweep_batches(features, scale, settings) if layout.pictured else {}
        distances = measure_distances(features)
        asked = torch.ones(len(features.texts), dtype=torch.bool)
        text_owner, image_owner = layout.negative_texts.owner, layout.negative_images.owner
        if layout.pictured:
            positive = (features.images * features.texts).sum(-1)
            texts = _hit(positive, score_own(features.images, features.negative_texts, text_owner), text_owner, asked)
        else:
            asked = torch.zeros_like(asked).index_fill(0, layout.positive_texts.owner, True)
            others = _find_others(features)
            features = replace(features, images=features.join_views().texts[others])
            positive = (features.images * features.texts).sum(-1)
            texts = _hit_views(features, others, asked)
        beside = score_own(features.texts, features.negative_images, image_owner)
        images = _hit(positive, beside, image_owner, asked)
        both = torch.where(texts.isnan(), images, torch.where(images.isnan(), texts, texts * images))
        positive = positive[asked]
        return Score(
            len(positive),
            int((~asked).sum()),
            texts.nanmean().item(),
            images.nanmean().item(),
            both.nanmean().item(),
            positive.mean().item(),
            bin_concreteness(features),
            shares,
            find_directions(features, kinds),
            distances,
        )


def find_directions(features: Features, kinds: Sequence[str]) -> dict[str, tuple[float, int]]:
    """Each kind of view asks for each other: R@1 among those of all anchors, one of the same statement no wrong answer.

    Returns:
        "informal to lean_type" to the share of hits (a tie is a miss) and how many anchors were asked; empty where
        there are no views.
    """
    views, found = features.join_views(), {}
    named = sorted({each for each in views.kind.tolist() if 0 <= each < len(kinds)})
    for one, other in itertools.permutations(named if features.layout.views is not None else [], 2):
        asking, answers = ((views.kind == kind).nonzero()[:, 0] for kind in (one, other))
        scores = views.texts[asking] @ views.texts[answers].T
        own = views.owner[asking][:, None] == views.owner[answers][None]
        statements = features.layout.statements[views.owner]
        same = statements[asking][:, None] == statements[answers][None]
        right = scores.masked_fill(~own, float("-inf")).max(dim=1).values
        wrong = scores.masked_fill(same, float("-inf")).max(dim=1).values
        asked = own.any(dim=1)
        if asked.any():
            share = float((right > wrong)[asked].float().mean())
            found[f"{kinds[one]} to {kinds[other]}"] = (share, int(asked.sum()))
    return found


def _find_others(features: Features) -> Tensor:
    """The row, among all texts, of the first other text that says what each anchor says; of its own where none does."""
    owner = features.layout.positive_texts.owner
    others = torch.arange(features.layout.anchors)
    others[owner.flip(0)] = torch.arange(len(owner)).flip(0) + len(others)
    return others


def _hit_views(features: Features, others: Tensor, asked: Tensor) -> Tensor:
    """As `_hit`, of statements: another view asks for each view among its near misses, and must find all of them."""
    own, views = features.layout.negative_texts, features.join_views()
    of = views.find(own.owner, own.view)
    asking = torch.where(of == own.owner, others[own.owner], own.owner)
    asked_texts = views.texts[asking]
    pairs = (asked_texts * views.texts[of]).sum(-1)
    lead = pairs - (asked_texts * features.negative_texts).sum(-1)
    return _hit(torch.zeros(features.layout.anchors), -lead, own.owner, asked)


def _hit(positive: Tensor, scores: Tensor, owner: Tensor, asked: Tensor) -> Tensor:
    """1 where the positive is nearer than all of an anchor's ``scores``, 0 where not, NaN where nothing is asked.

    Raises:
        TrainingError: a score is not finite.
    """
    broken = int((~torch.isfinite(scores)).sum() + (~torch.isfinite(positive)).sum())
    if broken:
        raise TrainingError(f"{broken:,} scores of held-out anchors are not finite: the model's features are broken")
    best = pad_own(scores, owner, len(positive)).max(1).values
    hit = (positive > best).float()
    has = torch.zeros_like(asked).index_fill(0, owner, True)
    return torch.where(asked & has, hit, torch.full_like(hit, float("nan"))).cpu()
