"""A domain of whole numbers, small enough to read at a glance: the stage runner's contract without pictures.

An anchor is a number; ``toy.near`` makes its neighbours and ``toy.far`` their opposites, as pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from counterfoil.storage.rows import Anchor, Contrast, Provenance, Reject, content_id
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain, Source, SourceRow, list_sources
from counterfoil.tasks.contract.family import Candidate, Draft, Family, list_families
from counterfoil.tasks.contract.prepare import Part, Preparation, Prepared
from counterfoil.tasks.contract.settings import DomainSettings
from counterfoil.tasks.contract.verdict import Checks, checked


class ToySettings(DomainSettings):
    source: str = "count:10"
    families: tuple[str, ...] = ("near", "far", "word")
    negatives: int = 3
    spare: int = 0
    step: int = 1


class AuthorDownError(Exception):
    fatal = True


def make_neighbours(anchor: Anchor, context: Context[ToySettings]) -> Iterator[Candidate | Reject]:
    number = int(anchor.caption or "")
    if number == 13:
        raise ZeroDivisionError("thirteen")
    if number == 17:
        raise AuthorDownError("nobody answers")
    for i in range(1, 7):
        text = str(number + context.settings.step * i)
        yield Draft(text=text, family="toy.near"), Draft(text=f"-{text}", family="toy.far")


def make_words(anchor: Anchor, context: Context[ToySettings]) -> Iterator[Candidate | Reject]:
    rng = context.rng("toy.word", anchor.anchor_id)
    yield Reject("toy.word", ("unformed: no word for it",), anchor_id=anchor.anchor_id)
    for _ in range(2):
        yield Draft(text=f"w{rng.integers(1_000_000)}")


def list_numbers(index: int, anchors: Sequence[Anchor], context: Context[ToySettings]) -> pa.Table:
    del index, context
    return pa.table({"number": pa.array([int(anchor.caption or "") for anchor in anchors], pa.int64())})


def find_largest(parts: Sequence[Part], context: Context[ToySettings]) -> pa.Table:
    del context
    return pa.table({"largest": [max(max(part.read()["number"].to_pylist(), default=0) for part in parts)]})


def open_largest(prepared: Prepared, context: Context[ToySettings]) -> int:
    del context
    assert prepared.gathered is not None
    return prepared.gathered["largest"][0].as_py()


LARGEST: Preparation[ToySettings, int] = Preparation(
    "toy.largest", make=list_numbers, open=open_largest, gather=find_largest
)


def make_rest(anchor: Anchor, context: Context[ToySettings]) -> Iterator[Candidate | Reject]:
    yield Draft(text=f"{LARGEST.of(context) - int(anchor.caption or '')} to go")


@checked
def verify_near(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[ToySettings]) -> None:
    del anchor, context
    checks.require("is_number", (contrast.text or "").isdecimal(), "letters")
    checks.require("no_multiple_of_five", int(contrast.text or "0") % 5 != 0, "not wanted")


@checked
def verify_any(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[ToySettings]) -> None:
    del context
    checks.require("differs", contrast.text != anchor.caption, "the same")


def make_anchors(row: SourceRow, context: Context[ToySettings]) -> Iterator[Anchor | Reject]:
    del context
    number = row.payload["number"]
    for value in {number, number // 2 * 2}:
        yield Anchor(
            content_id("toy", value),
            "toy",
            row.source,
            row.source_id,
            row.split,
            caption=str(value),
            provenance=Provenance(model="1"),
        )


@checked
def verify_anchor(checks: Checks, anchor: Anchor, context: Context[ToySettings]) -> None:
    del context
    checks.require("not_seven", anchor.caption != "7", "seven is not allowed")


def count_up(target: str, settings: ToySettings, seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
    del settings, seed
    for i in range(min(int(target), limit or int(target))):
        if i == 8:
            yield Reject("toy.anchor", ("unreadable: eight",), source="count", source_id="8")
        else:
            yield SourceRow("count", str(i), "train", {"number": i})


def _family(name: str, how: str, make, verify, **more) -> Family[ToySettings]:
    return Family(name, "negative", "text", "none", how, make, verify, **more)


DOMAIN = Domain(
    name="toy",
    version=1,
    retrieval=False,
    settings_type=ToySettings,
    sources=list_sources([Source("count", "N", "the numbers from 0", count_up, make_anchors)]),
    families=list_families(
        [
            _family(
                "toy.near",
                "adds",
                make_neighbours,
                verify_near,
                count=lambda settings: settings.negatives,
                spare=lambda settings: settings.spare,
                uses=("negatives", "spare", "step"),
            ),
            _family(
                "toy.far",
                "adds and negates",
                make_neighbours,
                verify_any,
                count=lambda settings: settings.negatives,
                spare=lambda settings: settings.spare,
            ),
            _family(
                "toy.word",
                "draws a word",
                make_words,
                verify_any,
                count=lambda settings: settings.negatives,
                uses=("negatives",),
            ),
            _family("toy.rest", "counts on", make_rest, verify_any, count=lambda _: 1, prepare=LARGEST),
        ]
    ),
    anchor_uses=(),
    verify_anchor=verify_anchor,
    refutes=lambda caption, anchor, _context: caption != anchor.caption,
    questions=lambda _: (),
    describe_yield=lambda rows, anchors, rejected: f"{anchors} of {rows}, {rejected}",
)
