"""A mistake in a maker, a verifier or a source of another package: a named reject, and the other rows are made."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.audit.verify import _judge
from counterfoil.tasks.contract.bounds import Bounds
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceError, SourceRow, list_sources
from counterfoil.tasks.contract.family import Draft, Family
from counterfoil.tasks.contract.verdict import Verdict
from counterfoil.tasks.engine.jobs import DomainRun, Pipeline
from counterfoil.tasks.engine.registry import DOMAIN_MODULES, load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts, reason_code
from counterfoil.tasks.engine.runner import run_job
from tests.patience import PATIENCE_S
from tests.tasks.toy_domain import DOMAIN, ToySettings

GOOD = Draft(text="good")
ANCHORS = [Anchor(f"a{n}", "toy", "count", str(n), "train", caption=str(n)) for n in range(3)]
ROW = SourceRow("count", "1", "train", {"number": 3})


@pytest.fixture
def context() -> Iterator[Context[ToySettings]]:
    renderer = MemoRenderer()
    yield Context(ToySettings(), 7, renderer, bounds=Bounds(offers=50, row_bytes=1000, kept_bytes=5000, seconds=0.5))
    renderer.close()


def passes(*_) -> Verdict:
    return Verdict(("looked",))


def judge(make, context, verify=passes) -> tuple[list[str], list[str]]:
    """The texts that are accepted and the codes of the rejects, where the maker's mistake is with the second of three
    anchors: the others' rows must all be there."""

    def maker(anchor: Anchor, context):
        return make(anchor, context) if anchor is ANCHORS[1] else iter([GOOD])

    def verifier(contrast: Contrast, anchor: Anchor, context):
        return verify(contrast, anchor, context) if anchor is ANCHORS[1] else passes()

    family = Family("toy.odd", "negative", "text", "none", "is odd", maker, verifier, count=lambda _: None)
    made = [make_contrasts([family], anchor, context) for anchor in ANCHORS]
    assert [row.text for row in (*made[0], *made[2])] == ["good", "good"]
    rejects = [row for row in made[1] if isinstance(row, Reject)]
    assert all(row.contrast is None or len(row.contrast.text or "") <= 1000 for row in rejects)
    return (
        [row.text for row in made[1] if isinstance(row, Contrast)],
        [reason_code(reason) for row in rejects for reason in row.reasons],
    )


def yields(*offers):
    return lambda *_: iter(offers)


def hang(*_) -> Iterator[Draft]:
    yield GOOD
    while True:
        pass


def sleep(*_) -> Iterator[Draft]:
    yield GOOD
    time.sleep(PATIENCE_S)


def swallow(*_) -> Iterator[Draft]:
    yield GOOD
    while True:
        with suppress(Exception):
            time.sleep(0.01)


def leave(*_) -> Iterator[Draft]:
    yield GOOD
    raise SystemExit(3)


def endless(*_) -> Iterator[Draft]:
    number = 0
    while True:
        yield Draft(text=str(number := number + 1))


def endless_rejects(*_) -> Iterator[Reject]:
    while True:
        yield Reject("toy.odd", ("unformed: never",))


def divide(*_) -> Iterator[Draft]:
    yield GOOD
    yield Draft(text=str(1 / 0))


@pytest.mark.parametrize(
    ("make", "codes"),
    [
        (divide, ["internal_error"]),
        (leave, ["internal_error"]),
        (hang, ["too_long"]),
        (sleep, ["too_long"]),
        (swallow, ["too_long"]),
        (lambda *_: None, ["wrong_type"]),
        (lambda *_: "good", ["wrong_type"]),
        (lambda *_: GOOD, ["wrong_type"]),
        (yields("good", GOOD), ["wrong_type"]),
        (yields(None, GOOD, 7), ["wrong_type", "wrong_type"]),
        (yields((GOOD, "good")), ["wrong_type"]),
        (yields(()), ["wrong_type"]),
        (yields(Draft(text=7)), ["wrong_type"]),
        (yields(Draft(text=b"good")), ["wrong_type"]),
        (yields(Draft(text="\ud800")), ["wrong_type"]),
        (yields(Draft(image="png")), ["wrong_type"]),
        (yields(Draft(text="a", edits=[Edit("a", "b", "c")])), ["wrong_type"]),
        (yields(Draft(text="a", edits=(Edit("a", "b", 3),))), ["wrong_type"]),
        (yields(Draft(text="a", concreteness="high")), ["wrong_type"]),
        (yields(Draft(text="a", modality="sound")), ["wrong_type"]),
        (yields(Draft(text="a", provenance=None)), ["wrong_type"]),
        (yields(Draft(text="a", family="toy.other")), ["wrong_type"]),
        (yields(Reject("geometry.rule", ("odd: it is",))), ["wrong_type"]),
        (yields(Reject("toy.odd", ())), ["wrong_type"]),
        (yields(Reject("toy.odd", "odd: it is")), ["wrong_type"]),
        (yields(Draft(text="x" * 1001), GOOD), ["too_large"]),
        (yields(Draft(image=bytes(1001)), GOOD), ["too_large"]),
        (yields(Reject("toy.odd", ("odd: it is",), raw="x" * 1001)), ["too_large"]),
        (yields(*[Draft(text=f"{n}" * 990) for n in range(1, 9)]), ["too_much"]),
        (endless, ["endless"]),
    ],
)
def test_a_makers_mistake_is_a_named_reject(context, make, codes):
    accepted, told = judge(make, context)
    assert told == codes
    assert accepted == [] or accepted[0] in ("good", "1", "1" * 990)


def test_offers_that_are_never_good_end(context):
    accepted, told = judge(endless_rejects, context)
    assert accepted == []
    assert told == ["unformed"] * 50 + ["endless"]


def test_what_was_good_before_and_after_the_mistake_is_kept(context):
    made = judge(yields(GOOD, None, Draft(text="x" * 2000), Draft(text="also")), context)
    assert made == (["good", "also"], ["wrong_type", "too_large"])


def test_a_row_of_a_gigabyte_is_a_reject_by_default(context):
    context = replace(context, bounds=Bounds())
    assert judge(yields_large, context) == (["good"], ["too_large"])


def yields_large(*_) -> Iterator[Draft]:
    yield Draft(text="x" * 2**30)
    yield GOOD


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (None, "wrong_type"),
        (True, "wrong_type"),
        (Verdict(reasons="no: it is not"), "wrong_type"),
        (Verdict(checks=(3,)), "wrong_type"),
        (Verdict(("looked",), grade="sure"), "wrong_type"),
        (Verdict(), "unchecked"),
    ],
)
def test_a_verifiers_mistake_passes_no_row(context, found, code):
    assert judge(yields(GOOD), context, lambda *_: found) == ([], [code])


def test_a_verifier_that_hangs_or_raises_is_a_named_reject(context):
    assert judge(yields(GOOD), context, lambda *_: time.sleep(PATIENCE_S)) == ([], ["too_long"])
    assert judge(yields(GOOD), context, lambda *_: 1 // 0) == ([], ["internal_error"])


@pytest.mark.parametrize("verify", [lambda *_: time.sleep(PATIENCE_S), lambda *_: None, lambda *_: 1 // 0])
def test_a_verifier_that_hangs_or_gives_no_verdict_fails_its_row_when_a_dataset_is_verified(context, verify):
    assert _judge(verify, ANCHORS[0], context).reasons


def odd_domain(make_anchors=None, read=None):
    source = DOMAIN.sources["count"]
    source = replace(source, make_anchors=make_anchors or source.make_anchors, read=read or source.read)
    return replace(DOMAIN, sources=list_sources([source]))


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda *_: None, "wrong_type"),
        (yields("anchor"), "wrong_type"),
        (yields(replace(ANCHORS[0], domain="geometry")), "wrong_type"),
        (yields(replace(ANCHORS[0], caption=3)), "wrong_type"),
        (yields(replace(ANCHORS[0], facts=("a",))), "wrong_type"),
        (yields(replace(ANCHORS[0], caption="x" * 1001)), "too_large"),
        (lambda *_: (replace(ANCHORS[0], anchor_id=str(n)) for n in range(10**9)), "endless"),
        (hang, "too_long"),
        (sleep, "too_long"),
    ],
)
def test_a_mistake_in_making_anchors_is_a_named_reject(context, make, code):
    began = time.monotonic()
    made = make_anchors(odd_domain(make), ROW, context)
    assert code in {reason_code(reason) for row in made if isinstance(row, Reject) for reason in row.reasons}
    assert time.monotonic() - began < PATIENCE_S / 2


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (7, "wrong_type"),
        (replace(ROW, payload={"of": object()}), "wrong_type"),
        (replace(ROW, payload={"of": "x" * 2**25}), "too_large"),
        (replace(ROW, source_id=5), "wrong_type"),
        (replace(ROW, source="other"), "wrong_type"),
        (Reject("other.anchor", ("odd: it is",)), "wrong_type"),
    ],
)
def test_a_row_of_a_source_that_is_none_is_a_named_reject_and_the_others_are_made(tmp_path, monkeypatch, row, code):
    run = staged(tmp_path, monkeypatch, lambda *_: iter([ROW, row, ROW]))
    assert [shard.rows for shard in run.sources] == [2]
    assert run.sources[0].rejected == {"toy.anchor": {code: 1}}


def test_a_source_without_end_gives_as_many_rows_as_were_asked_for(tmp_path, monkeypatch):
    run = staged(tmp_path, monkeypatch, lambda *_: iter(lambda: ROW, None))
    assert sum(shard.rows for shard in run.sources) == 10


def test_a_source_that_is_none_is_a_clear_error(tmp_path, monkeypatch):
    with pytest.raises(SourceError, match=r"toy.source = count:10: its reader returned None, not rows"):
        staged(tmp_path, monkeypatch, lambda *_: None)


def staged(tmp_path, monkeypatch, read) -> DomainRun:
    """What is staged of a toy domain whose source is read so."""
    monkeypatch.setitem(DOMAIN_MODULES, "toy", "tests.tasks.toy_domain")
    monkeypatch.setattr("tests.tasks.toy_domain.DOMAIN", odd_domain(read=read))
    load_domain.cache_clear()
    sections = {"toy": ToySettings().model_dump()}
    procedural = {"kind": "procedural"}
    work = Pipeline(str(tmp_path), sections, procedural, procedural, seed=7, shard_size=4)
    run = DomainRun("toy")
    try:
        list(work.anchor_jobs("toy", None, run))
    finally:
        load_domain.cache_clear()
    return run


def test_a_whole_shard_is_written_in_spite_of_them(tmp_path, monkeypatch, context):
    def make(anchor, _):
        yield Draft(text="\ud800" if anchor.caption == "2" else f"{anchor.caption}!")

    family = Family("toy.odd", "negative", "text", "none", "is odd", make, passes, count=lambda _: 1)
    domain = replace(DOMAIN, families={"toy.odd": family})
    monkeypatch.setitem(DOMAIN_MODULES, "toy", "tests.tasks.toy_domain")
    monkeypatch.setattr("tests.tasks.toy_domain.DOMAIN", domain)
    load_domain.cache_clear()
    try:
        sections = {"toy": ToySettings(families=("odd",)).model_dump()}
        procedural = {"kind": "procedural"}
        work = Pipeline(str(tmp_path), sections, procedural, procedural, seed=7, shard_size=100)
        run = DomainRun("toy")
        anchors = [run_job(job, context, work.staged) for job in work.anchor_jobs("toy", None, run)]
        work.merge_anchors("toy", anchors, run)
        (job,) = work.contrast_jobs("toy", [family], run)
        made = run_job(job, context, work.staged)
    finally:
        load_domain.cache_clear()
    assert made.accepted["toy.odd"] == made.rows_in - 1
    assert made.rejected["toy.odd"] == {"shortfall": 1, "wrong_type": 1}
