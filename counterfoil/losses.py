"""The papers' losses as pure functions of similarities, for a loop or trainer of one's own.

Each takes cosines (float32 or float64; rows are anchors) and returns a scalar in nats; its docstring gives shapes, the
equation and a worked example. An anchor's own negatives come flat, with the number of the anchor that each belongs to
(`counterfoil.collate`): `score_own` compares each with its own anchor, `pad_own` lays them out as a matrix with -inf
where an anchor has fewer, which the losses read.

Importing this module imports torch.
"""

from __future__ import annotations

from counterfoil.tasks.packages import import_package

import_package("torch", "counterfoil.losses")

from counterfoil.tasks.training.losses.ahnpl import (  # noqa: E402
    hard_negative_loss,
    negative_margin_loss,
    next_margins,
    positive_margin_loss,
    shift_images,
)
from counterfoil.tasks.training.losses.c2lip import attend, sigmoid_loss  # noqa: E402
from counterfoil.tasks.training.losses.ceclip import intra_modal_loss, next_thresholds, rank_loss  # noqa: E402
from counterfoil.tasks.training.losses.cement import cement_loss, find_margins  # noqa: E402
from counterfoil.tasks.training.losses.clic import (  # noqa: E402
    positive_sets_loss,
    separate_negatives_loss,
    unimodal_loss,
)
from counterfoil.tasks.training.losses.clip import clip_loss  # noqa: E402
from counterfoil.tasks.training.losses.cs import units_loss  # noqa: E402
from counterfoil.tasks.training.losses.margin import paraphrase_margin_loss  # noqa: E402
from counterfoil.tasks.training.losses.mathleap import mathleap_loss  # noqa: E402
from counterfoil.tasks.training.losses.mmclip import mmclip_loss, mmclip_sigmoid_loss  # noqa: E402
from counterfoil.tasks.training.losses.negclip import negclip_loss  # noqa: E402
from counterfoil.tasks.training.losses.ragged import pad_own, scale_logits, score_own  # noqa: E402
from counterfoil.tasks.training.losses.saclip import orthogonal_loss, sc_loss  # noqa: E402
from counterfoil.tasks.training.losses.tripletclip import triplet_clip_loss  # noqa: E402

__all__ = [
    "attend",
    "cement_loss",
    "clip_loss",
    "find_margins",
    "hard_negative_loss",
    "intra_modal_loss",
    "mathleap_loss",
    "mmclip_loss",
    "mmclip_sigmoid_loss",
    "negative_margin_loss",
    "negclip_loss",
    "next_margins",
    "next_thresholds",
    "orthogonal_loss",
    "pad_own",
    "paraphrase_margin_loss",
    "positive_margin_loss",
    "positive_sets_loss",
    "rank_loss",
    "sc_loss",
    "scale_logits",
    "score_own",
    "separate_negatives_loss",
    "shift_images",
    "sigmoid_loss",
    "triplet_clip_loss",
    "unimodal_loss",
    "units_loss",
]
