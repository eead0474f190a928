"""The audit: what gives itself away is found and named, what does not is let be."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import replace

import pytest
from PIL import Image as Pillow
from rich.console import Console

from counterfoil.flows.datasets.audit import show_audits
from counterfoil.storage.rows import Image
from counterfoil.tasks.audit.tells.measure import audit_dataset
from counterfoil.tasks.audit.tells.stored import describe_audits, find_audits, keep_audits
from counterfoil.tasks.tells.errors import AuditError
from counterfoil.tasks.tells.figures import Figures, Share
from counterfoil.tasks.tells.measure import FamilyAudit, JudgeFigures, choose_anchors
from tests.tasks.tells.rows import make_anchors, make_pictures, make_texts, store


def audit(folder, anchors, contrasts, **options) -> FamilyAudit:
    dataset = store(folder, anchors, contrasts)
    (found,) = audit_dataset(dataset.store.url, workers=1, **options)
    return found


@pytest.fixture(scope="module")
def telling(tmp_path_factory) -> FamilyAudit:
    """Of a family of which nine texts in ten say a word that no anchor says."""
    anchors = make_anchors(80)
    return audit(tmp_path_factory.mktemp("telling"), anchors, make_texts(anchors, told=0.9))


@pytest.fixture(scope="module")
def fair(tmp_path_factory) -> FamilyAudit:
    """Of a family of texts that are of the anchors' own kind."""
    anchors = make_anchors(150)
    return audit(tmp_path_factory.mktemp("fair"), anchors, make_texts(anchors))


@pytest.fixture
def quick_pixels(monkeypatch) -> None:
    """A network that learns for a moment only: for tests that ask nothing of how well it judges."""
    monkeypatch.setattr("counterfoil.tasks.tells.pixels._STEPS", 3)


@pytest.fixture
def brief_pixels(monkeypatch) -> None:
    """A tenth of the network's steps, after which it tells these boxes as surely as after all: a step costs 60 ms."""
    monkeypatch.setattr("counterfoil.tasks.tells.pixels._STEPS", 30)


def pairwise(found: FamilyAudit) -> float:
    assert found.strongest is not None
    return found.strongest.figures.pairwise.value


def test_a_family_with_a_telling_word_is_told_and_the_word_is_named(telling):
    assert telling.strongest is not None and telling.strongest.judge == "n-grams"
    assert pairwise(telling) > 0.85
    assert telling.strongest.figures.picked.value > 0.7
    assert telling.strongest.figures.chance == 0.25
    assert telling.exceeds(0.55)
    told = {tell.name: tell for tell in telling.tells[:6]}
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


def find_judge(found: FamilyAudit, name: str) -> Figures:
    return next(each.figures for each in found.sets if each.judge == name)


def test_an_anchor_in_the_middle_of_its_near_misses_is_found_by_who_sees_the_set(tmp_path):
    """Each near miss has another word of the anchor's exchanged: of single rows none gives itself away."""
    anchors = make_anchors(150)
    rows = make_texts(anchors, count=5)
    captions = {anchor.anchor_id: (anchor.caption or "").split() for anchor in anchors}
    places = (1, 4, 9)
    near = []
    for row in rows:
        words, other = list(captions[row.anchor_id]), (row.text or "").split()
        for place in (places[row.rank % 3],):
            words[place] = other[place] if other[place] != words[place] else "granite."
        near.append(replace(row, text=" ".join(words)))
    found = audit(tmp_path, anchors, near)
    assert find_judge(found, "middle by words").picked.low > 0.4
    assert find_judge(found, "middle by letters").picked.low > 0.4
    assert found.sets[0].figures.picked.value > 0.4 and found.sets[0].figures.chance == pytest.approx(1 / 6)
    assert found.exceeds(0.55)


def test_the_one_of_a_set_that_has_no_twin_is_found_whatever_the_order_of_its_sentences(tmp_path):
    anchors = make_anchors(100)
    two = {row.contrast_id: row.text for row in make_texts(anchors, count=4)}
    rows = make_texts(anchors, count=4)
    twins = []
    for row in rows:
        twin = rows[rows.index(row) - 1] if row.rank % 2 else row
        sentences = [two[twin.contrast_id], "All of it is old."]
        twins.append(replace(row, text=" ".join(sentences[:: -1 if row.rank % 2 else 1])))
    own = [replace(a, caption=f"{a.caption} All of it is old.", captions=()) for a in anchors]
    found = audit(tmp_path, own, twins)
    assert find_judge(found, "occurs once").picked.value == 1
    assert find_judge(found, "occurs oftenest").picked.value == 0
    assert found.exceeds(0.55)


@pytest.mark.usefixtures("quick_pixels")
@pytest.mark.slow
def test_pictures_whose_twins_are_turned_leave_the_anchor_alone(tmp_path):
    anchors = make_anchors(60)
    rows = make_pictures(anchors, count=4)
    turned = []
    for row in rows:
        if row.rank % 2:
            with Pillow.open(io.BytesIO(rows[rows.index(row) - 1].image.bytes)) as picture:
                sink = io.BytesIO()
                picture.transpose(Pillow.Transpose.ROTATE_180).save(sink, "PNG")
            row = replace(row, image=Image(sink.getvalue(), "turned.png"))
        turned.append(row)
    found = audit(tmp_path, anchors, turned)
    assert find_judge(found, "edge of the nearest by turned pixels").picked.value > 0.3
    assert find_judge(found, "edge of the nearest by turned pixels").pairwise.value > 0.6


def test_fair_sets_are_picked_by_chance_and_every_judge_says_what_chance_is(fair):
    assert len(fair.sets) == 12 and len(fair.halves) == 2
    assert {each.figures.chance for each in fair.sets} == {0.25}
    assert all(each.figures.picked.value < 0.36 for each in fair.sets)
    assert not fair.exceeds(0.65)


def test_what_is_learnt_of_one_half_of_the_sources_is_tried_on_the_other(telling):
    assert [each.judge for each in telling.halves] == ["other half, n-grams", "other half, features"]
    assert telling.halves[0].figures.pairwise.low > 0.8


def test_judges_under_chance_are_named_as_inverted():
    def show(judge: str, value: float) -> JudgeFigures:
        share = Share(value, value - 0.02, value + 0.02)
        return JudgeFigures(judge, Figures(share, share, Share(0.1, 0.05, 0.15), 0.25))

    judges = (show("trees", 0.49), show("n-grams", 0.4))
    found = FamilyAudit(
        "toy.text",
        "negative",
        "text",
        "caption",
        90,
        270,
        judges,
        (),
        "",
        (show("edge by words", 0.1),),
        (show("x", 0.3),),
    )
    assert found.list_inverted() == ["n-grams", "x"]
    out = Console(file=io.StringIO(), width=200)
    show_audits([found], out, as_json=False)
    assert "inverted (as much of a cue): under chance by n-grams, x" in out.file.getvalue()


def test_a_family_that_gives_nothing_away_is_near_chance(fair):
    by_chance = [each.figures for each in fair.judges]
    assert len(by_chance) == 3
    for figures in by_chance:
        assert 0.4 < figures.pairwise.value < 0.6
        assert figures.pairwise.low < 0.5 < figures.pairwise.high
        assert figures.picked.low < figures.chance < figures.picked.high


@pytest.mark.usefixtures("brief_pixels")
@pytest.mark.slow
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
    monkeypatch.setattr("counterfoil.tasks.tells.measure.MOST_PICTURES", 100)
    monkeypatch.setattr("counterfoil.tasks.tells.pixels._STEPS", 3)
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
