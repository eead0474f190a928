"""What a stage leaves in the Prefect UI: its progress, its counts, and samples to look at; and lines in its log."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Sequence
from typing import Any

from counterfoil.flows.making.runs import Run
from counterfoil.flows.making.sheets import Samples, draw_sheet, find_samples
from counterfoil.flows.process.api import ask
from counterfoil.flows.showing.labels import make_key
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.engine.observing import Observer
from counterfoil.tasks.engine.shards import StageJob, Totals

TELL_EVERY_S = 10.0


class LoggingObserver(Observer):
    """Lines in the log that Prefect shows of a run which its own engine began."""

    def finish(self, stage: str, *lines: str) -> None:  # noqa: ARG002 - the lines name it
        for line in lines:
            self.say(line)

    def say(self, line: str) -> None:
        from prefect.logging import get_run_logger

        get_run_logger().info(line)


class StageProgress:
    """A progress artifact of a stage: the share of its shards that are done, in percent.

    It is there from when the stage has taken `TELL_EVERY_S`: until then its task runs say that it has begun.
    """

    def __init__(self, run: Run, dataset: str, stage: str, shards: int, done: int) -> None:
        self.run = run
        self.key = make_key(dataset, stage, "progress")
        self.description = f"{stage} of {dataset}: {shards} shards"
        self.shards = shards
        self.done = done
        self._told_at = time.monotonic()
        self.artifact = ""

    def advance(self) -> None:
        """One more shard is done. The server hears of it now and then."""
        self.done += 1
        if time.monotonic() - self._told_at >= TELL_EVERY_S:
            self._told_at = time.monotonic()
            self._tell()

    def finish(self) -> None:
        """Let the server know how many are done, if it knows of the progress at all."""
        if self.artifact:
            self._tell()

    def _tell(self) -> None:
        percent = 100.0 * self.done / self.shards
        if self.artifact:
            ask("PATCH", f"/artifacts/{self.artifact}", {"data": percent})
        else:
            self.artifact = make_artifact(self.run, "progress", self.key, self.description, percent)


class ArtifactObserver(Observer):
    """Shows what a stage made under keys of its dataset; nothing where all was made before."""

    def __init__(self, run: Run, dataset: str) -> None:
        self.run = run
        self.dataset = dataset

    def made(self, name: str, totals: Totals, staged: StagedShards, jobs: Sequence[StageJob]) -> None:
        if totals.made:
            if jobs:
                self._show_samples(staged, name, jobs)
            self._show_counts(name, totals)

    def _show_counts(self, stage: str, totals: Totals) -> None:
        """A table: accepted, rejected by reason, shards reused."""
        of_family = stage in totals.accepted
        rows: list[dict[str, Any]] = [
            {"what": f"accepted {name}", "count": count}
            for name, count in sorted(totals.accepted.items())
            if not of_family or name == stage
        ]
        for family, codes in sorted(totals.rejected.items()):
            if of_family and family != stage:
                continue
            rows += [{"what": f"rejected {family}: {code}", "count": count} for code, count in codes.most_common()]
        rows += [
            {"what": "shards", "count": totals.shards},
            {"what": "shards reused", "count": totals.reused},
            {"what": "pictures rendered", "count": totals.pictures},
        ]
        self._table(rows, stage, "counts", "what was made")

    def _show_samples(self, staged: StagedShards, family: str, jobs: Sequence[StageJob]) -> None:
        """A contact sheet of a family that has pictures, a table of anchors and texts of one that has none."""
        found = find_samples(staged, family, jobs)
        if found is None:
            return
        sheet = draw_sheet(found)
        if sheet is None:
            self._table(_list_texts(found), family, "samples", "anchors and what was made of them")
            return
        make_artifact(
            self.run,
            "image",
            make_key(self.dataset, family, "samples"),
            f"{family} of {self.dataset}: the anchor at the left of each row, then its contrasts",
            f"data:image/png;base64,{base64.b64encode(sheet).decode()}",
        )

    def _table(self, rows: list[dict[str, Any]], stage: str, what: str, description: str) -> None:
        key = make_key(self.dataset, stage, what)
        make_artifact(self.run, "table", key, f"{stage} of {self.dataset}: {description}", json.dumps(rows))


def make_artifact(run: Run, kind: str, key: str, description: str, data: str | float) -> str:
    """Show an artifact of a flow run; its id."""
    body = {"type": kind, "key": key, "description": description, "data": data, "flow_run_id": run.id}
    return str(ask("POST", "/artifacts/", body)["id"])


def _list_texts(samples: Samples) -> list[dict[str, Any]]:
    return [
        {"anchor": anchor.text, "contrast": contrast.text}
        for anchor, contrasts in samples.rows
        for contrast in contrasts
    ]
