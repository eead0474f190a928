"""A domain of whole numbers, small enough to read at a glance: the stage runner's contract without pictures.

An anchor is a number; ``toy.near`` makes its neighbours and ``toy.far`` their opposites, as pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ConfigDict

from storage.rows import Anchor, Contrast, Provenance, Reject, content_id
from tasks.contract.context import Context
from tasks.contract.domain import SourceRow
from tasks.contract.family import Candidate, Family
from tasks.contract.verdict import Verdict


class ToySettings(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: str = "count:10"
    families: list[str] = ["near", "far", "word"]
    negatives: int = 3
    step: int = 1


class AuthorDownError(Exception):
    fatal = True


def make_neighbours(anchor: Anchor, context: Context) -> Iterator[Candidate | Reject]:
    number = int(anchor.caption or "")
    if number == 13:
        raise ZeroDivisionError("thirteen")
    if number == 17:
        raise AuthorDownError("nobody answers")
    step = context.settings.step  # type: ignore[attr-defined]
    for i in range(1, 7):
        text = str(number + step * i)
        yield (
            Contrast(anchor.anchor_id, "toy.near", "negative", "text", text=text),
            Contrast(anchor.anchor_id, "toy.far", "negative", "text", text=f"-{text}"),
        )


def make_words(anchor: Anchor, context: Context) -> Iterator[Candidate | Reject]:
    rng = context.rng("toy.word", anchor.anchor_id)
    yield Reject("toy.word", ("unformed: no word for it",), anchor_id=anchor.anchor_id)
    for _ in range(2):
        yield (Contrast(anchor.anchor_id, "toy.word", "negative", "text", text=f"w{rng.integers(1_000_000)}"),)


def verify_near(contrast: Contrast, anchor: Anchor, context: Context) -> Verdict:  # noqa: ARG001
    if int(contrast.text or "0") % 5 == 0:
        return Verdict(reasons=("multiple_of_five: not wanted",))
    return Verdict(checks=("differs",))


def verify_any(contrast: Contrast, anchor: Anchor, context: Context) -> Verdict:  # noqa: ARG001
    return Verdict(checks=("differs",))


class ToyDomain:
    name = "toy"
    version = 1
    settings_type = ToySettings
    anchor_uses: tuple[str, ...] = ()
    runs_scripts = False
    families: Mapping[str, Family] = {
        family.name: family
        for family in (
            Family(
                "toy.near", "negative", "text", "none", "adds", make_neighbours, verify_near, uses=("negatives", "step")
            ),
            Family("toy.far", "negative", "text", "none", "adds and negates", make_neighbours, verify_any),
            Family("toy.word", "negative", "text", "none", "draws a word", make_words, verify_any, uses=("negatives",)),
        )
    }

    def list_anchor_prompts(self, settings: BaseModel) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    def read(self, settings: ToySettings, seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:  # noqa: ARG002
        count = int(settings.source.partition(":")[2])
        for i in range(min(count, limit or count)):
            if i == 8:
                yield Reject("toy.anchor", ("unreadable: eight",), source="count", source_id="8")
            else:
                yield SourceRow("count", str(i), "train", {"number": i})

    def make_anchors(self, row: SourceRow, context: Context) -> Iterator[Anchor | Reject]:  # noqa: ARG002
        number = row.payload["number"]
        for value in {number, number // 2 * 2}:
            yield Anchor(
                content_id("toy", value), "toy", row.source, row.source_id, row.split, caption=str(value),
                provenance=Provenance(code_version="1"),
            )  # fmt: skip

    def describe_yield(self, rows: int, anchors: int, rejected: Mapping[str, int]) -> str:
        return f"{anchors} of {rows}, {rejected}"

    def verify_anchor(self, anchor: Anchor, context: Context) -> Verdict:  # noqa: ARG002
        if anchor.caption == "7":
            return Verdict(reasons=("seven: is not allowed",))
        return Verdict(checks=("is a number",))


DOMAIN = ToyDomain()
