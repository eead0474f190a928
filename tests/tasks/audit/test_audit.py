"""The audit: what gives itself away is found and named, what does not is let be."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace

import pytest

from tasks.audit.tells.measure import FamilyAudit, audit_dataset, choose_anchors
from tasks.audit.tells.stored import describe_audits, find_audits, keep_audits
from tasks.tells.errors import AuditError
from tests.tasks.tells.rows import make_anchors, make_pictures, make_texts, store


def audit(folder, anchors, contrasts, **options) -> FamilyAudit:
    dataset = store(folder, anchors, contrasts)
    (found,) = audit_dataset(dataset.store.url, workers=1, **options)
    return found


@pytest.fixture
def quick_pixels(monkeypatch) -> None:
    """A network that learns for a moment only: for tests that ask nothing of how well it judges."""
    monkeypatch.setattr("tasks.tells.pixels._STEPS", 3)


@pytest.fixture
def brief_pixels(monkeypatch) -> None:
    """A tenth of the network's steps, after which it tells these boxes as surely as after all: a step costs 60 ms."""
    monkeypatch.setattr("tasks.tells.pixels._STEPS", 30)


def pairwise(found: FamilyAudit) -> float:
    assert found.strongest is not None
    return found.strongest.figures.pairwise.value


def test_a_family_with_a_telling_word_is_told_and_the_word_is_named(tmp_path):
    anchors = make_anchors(80)
    found = audit(tmp_path, anchors, make_texts(anchors, told=0.9))
    assert found.strongest is not None and found.strongest.judge == "n-grams"
    assert pairwise(found) > 0.85
    assert found.strongest.figures.picked.value > 0.7
    assert found.strongest.figures.chance == 0.25
    assert found.exceeds(0.55)
    told = {tell.name: tell for tell in found.tells[:6]}
    assert told["past"].contrasts > 0.8 and told["past"].anchors == 0


def test_a_family_that_is_told_by_the_order_of_two_words_alone_is_told(tmp_path):
    """As codes with their answers exchanged: the same words, each with the same neighbours."""
    code = '{0} -->|"{1}"| {0} -->|"{2}"| {0}'
    anchors = [replace(each, code=code.format(each.caption, "Yes", "No")) for each in make_anchors(60)]
    texts = {each.anchor_id: code.format(each.caption, "No", "Yes") for each in anchors}
    rows = [replace(row, text=texts[row.anchor_id]) for row in make_texts(anchors, count=1)]
    found = audit(tmp_path, anchors, rows)
    assert found.beside == "code" and pairwise(found) > 0.95
    assert "Yes .. No" in {tell.name for tell in found.tells}


def test_a_family_that_gives_nothing_away_is_near_chance(tmp_path):
    anchors = make_anchors(150)
    found = audit(tmp_path, anchors, make_texts(anchors))
    by_chance = [each.figures for each in found.judges]
    assert len(by_chance) == 3
    for figures in by_chance:
        assert 0.4 < figures.pairwise.value < 0.6
        assert figures.pairwise.low < 0.5 < figures.pairwise.high
        assert figures.picked.low < figures.chance < figures.picked.high


@pytest.mark.usefixtures("brief_pixels")
def test_pictures_with_more_in_them_are_told_by_their_ink(tmp_path):
    anchors = make_anchors(60)
    found = audit(tmp_path, anchors, make_pictures(anchors, more=4))
    assert found.beside == "picture"
    assert {each.judge for each in found.judges} == {"pixels", "features", "trees"}
    assert all(each.figures.pairwise.value > 0.9 for each in found.judges)
    assert any(tell.name.startswith("ink: ") for tell in found.tells)


@pytest.mark.usefixtures("brief_pixels")
def test_fair_pictures_are_near_chance(tmp_path):
    anchors = make_anchors(60)
    found = audit(tmp_path, anchors, make_pictures(anchors))
    assert pairwise(found) < 0.62


def test_a_positive_is_shown_and_never_fails(tmp_path):
    anchors = make_anchors(60)
    found = audit(tmp_path, anchors, make_texts(anchors, told=1, role="positive"))
    assert pairwise(found) > 0.9
    assert not found.exceeds(0.55)


def test_few_sources_are_not_judged(tmp_path):
    anchors = make_anchors(60, per_source=6)
    found = audit(tmp_path, anchors, make_texts(anchors, told=1))
    assert found.anchors == 60
    assert found.strongest is None
    assert not found.exceeds(0.55)


def test_the_same_rows_and_seed_give_the_same_figures_whatever_their_order(tmp_path):
    anchors = make_anchors(50)
    contrasts = make_texts(anchors, told=0.5)
    one = audit(tmp_path / "one", anchors, contrasts)
    two = audit(tmp_path / "two", anchors[::-1], contrasts[::-1])
    assert describe_audits([one])[0] | {"rows": ""} == describe_audits([two])[0] | {"rows": ""}


def test_of_more_anchors_a_few_of_every_source_row_are_read_and_how_many_there_are_is_told(tmp_path):
    anchors = make_anchors(120, per_source=6)
    rows = make_texts(anchors, told=0.5)
    chosen = choose_anchors(
        store(tmp_path, anchors, rows).snapshot(), rows[0].family, 45, {a.anchor_id for a in anchors}
    )
    sources = Counter(anchor.source_id for anchor in anchors if anchor.anchor_id in chosen)
    assert len(chosen) == 45
    assert len(sources) == 20
    assert set(sources.values()) == {2, 3}
    found = audit(tmp_path / "whole", anchors, rows, most=100)
    assert (found.anchors, found.having) == (100, 120)


def test_fewer_anchors_are_read_where_their_pictures_are_many(tmp_path, monkeypatch):
    monkeypatch.setattr("tasks.audit.tells.measure.MOST_PICTURES", 100)
    monkeypatch.setattr("tasks.tells.pixels._STEPS", 3)
    anchors = make_anchors(60)
    found = audit(tmp_path, anchors, make_pictures(anchors, count=3))
    assert (found.anchors, found.contrasts, found.having) == (25, 75, 60)


@pytest.mark.usefixtures("quick_pixels")
def test_figures_are_kept_until_the_rows_change(tmp_path):
    anchors = make_anchors(40)
    dataset = store(tmp_path, anchors, [*make_texts(anchors, told=1), *make_pictures(anchors)])
    audits = audit_dataset(dataset.store.url, workers=1)
    keep_audits(dataset, audits[1:])
    keep_audits(dataset, audits[:1])
    kept = find_audits(dataset, dataset.snapshot())
    assert describe_audits(kept) == describe_audits(audits)
    changed = store(tmp_path, anchors, make_texts(anchors, told=0.5))
    assert [each.family for each in find_audits(changed, changed.snapshot())] == ["toy.picture"]


@pytest.mark.usefixtures("quick_pixels")
def test_a_family_of_pictures_and_texts_is_audited_apart(tmp_path):
    anchors = make_anchors(40)
    texts = make_texts(anchors, told=1, family="toy.picture")
    dataset = store(tmp_path, anchors, [*texts, *make_pictures(anchors)])
    image, text = audit_dataset(dataset.store.url, workers=1)
    assert (image.modality, image.beside, text.modality, text.beside) == ("image", "picture", "text", "caption")
    assert pairwise(text) > 0.9 > pairwise(image)


def test_a_damaged_file_of_figures_is_no_audit(tmp_path):
    anchors = make_anchors(3)
    dataset = store(tmp_path, anchors, make_texts(anchors))
    dataset.store.write("audit.json", b'[{"family": "toy.text"')
    assert find_audits(dataset, dataset.snapshot()) == []


def test_a_family_that_the_dataset_lacks_is_named(tmp_path):
    anchors = make_anchors(3)
    dataset = store(tmp_path, anchors, make_texts(anchors))
    with pytest.raises(AuditError, match=r"no rows of 'toy\.rule'; it has toy\.text"):
        audit_dataset(dataset.store.url, ["toy.rule"])


def test_without_scikit_learn_the_extra_is_named(tmp_path, monkeypatch):
    anchors = make_anchors(3)
    dataset = store(tmp_path, anchors, make_texts(anchors))
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(AuditError, match=r"pip install 'counterfoil\[audit\]'"):
        audit_dataset(dataset.store.url)
