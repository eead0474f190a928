"""What a stage leaves in the Prefect UI: its counts and a contact sheet of samples."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Sequence
from typing import Any

from prefect.artifacts import (
    create_image_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)

from storage.staged import StagedShards
from tasks.engine.shards import StageJob, Totals

SHEET_ROWS, SHEET_COLUMNS, CELL = 4, 6, 160


class StageProgress:
    """A progress artifact of a stage: the share of its shards that are done, in percent."""

    def __init__(self, stage: str, shards: int) -> None:
        self.shards = shards
        self.done = 0
        self.artifact: Any = create_progress_artifact(
            0.0, key=_key(stage, "progress"), description=f"{stage}: {shards} shards"
        )

    def advance(self) -> None:
        """One more shard is done."""
        self.done += 1
        update_progress_artifact(self.artifact, progress=100.0 * self.done / self.shards)


def show_counts(stage: str, totals: Totals) -> None:
    """A table artifact: accepted, rejected by reason, shards reused."""
    rows: list[dict[str, Any]] = [
        {"what": f"accepted {name}", "count": count} for name, count in sorted(totals.accepted.items())
    ]
    for family, codes in sorted(totals.rejected.items()):
        rows += [{"what": f"rejected {family}: {code}", "count": count} for code, count in codes.most_common()]
    rows += [
        {"what": "shards", "count": totals.shards},
        {"what": "shards reused", "count": totals.reused},
        {"what": "pictures rendered", "count": totals.pictures},
    ]
    create_table_artifact(table=rows, key=_key(stage, "counts"), description=f"{stage}: what was made")


def show_contact_sheet(staged: StagedShards, family: str, jobs: Sequence[StageJob]) -> None:
    """An image artifact: anchors at the left, their contrasts beside them. None where the family has no pictures."""
    sheet = draw_contact_sheet(staged, family, jobs)
    if sheet is not None:
        data = base64.b64encode(sheet).decode()
        create_image_artifact(
            image_url=f"data:image/png;base64,{data}",
            key=_key(family, "samples"),
            description=f"{family}: the anchor at the left of each row, then its contrasts",
        )


def draw_contact_sheet(staged: StagedShards, family: str, jobs: Sequence[StageJob]) -> bytes | None:
    """The contact sheet as PNG bytes, from the first shard that has pictures of the family."""
    from PIL import Image

    for job in jobs:
        shard, upstream = staged.find(job.fingerprint), staged.find(job.upstream[0])
        if shard is None or upstream is None:
            continue
        rows = shard.read(f"contrasts/family={family}", columns=["anchor_id", "image"]).to_pylist()
        pictures: dict[str, list[bytes]] = {}
        for row in rows:
            if row["image"] and (row["anchor_id"] in pictures or len(pictures) < SHEET_ROWS):
                pictures.setdefault(row["anchor_id"], []).append(row["image"]["bytes"])
        if not pictures:
            continue
        anchors = upstream.read(f"anchors/domain={job.domain}", columns=["anchor_id", "image"]).to_pylist()
        first = {row["anchor_id"]: row["image"]["bytes"] for row in anchors if row["image"]}
        sheet = Image.new("RGB", (SHEET_COLUMNS * CELL, len(pictures) * CELL), "white")
        for y, (anchor_id, contrasts) in enumerate(pictures.items()):
            shown = [first[anchor_id]] if anchor_id in first else []
            for x, data in enumerate([*shown, *contrasts][:SHEET_COLUMNS]):
                picture = Image.open(io.BytesIO(data)).convert("RGB")
                picture.thumbnail((CELL - 8, CELL - 8))
                sheet.paste(picture, (x * CELL + 4, y * CELL + 4))
        out = io.BytesIO()
        sheet.quantize(16).save(out, "PNG", optimize=True)
        return out.getvalue()
    return None


def _key(stage: str, what: str) -> str:
    """Artifact keys are lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", f"{stage} {what}".lower()).strip("-")
