"""The gate at the end of a run, on a domain of whole numbers whose negatives are words."""

from __future__ import annotations

import pytest

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.export import export
from counterfoil.tasks.audit.tells.measure import audit_dataset
from counterfoil.tasks.engine import process, registry
from counterfoil.tasks.engine.gate import GateError
from counterfoil.tasks.engine.history import find_last_run
from counterfoil.tasks.engine.night import make_dataset, regenerate_family
from counterfoil.tasks.engine.observing import Observer
from counterfoil.tasks.engine.recipe import DatasetSection, MakingRecipe
from counterfoil.tasks.report import write_report
from counterfoil.tasks.tells import gate
from counterfoil.tasks.tells.settings import AuditSettings
from tests.tasks.toy_domain import ToySettings

WORD = "toy.word"


class Here:
    """A pool whose worker is this process, where the toy domain is known."""

    workers = 1

    def __init__(self, *_: object) -> None:
        self.run = process.run_here

    def close(self, **_: bool) -> None:
        process.close_here()


class Listener(Observer):
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.stages: list[str] = []

    def start(self, stage: str, _: int) -> None:
        self.stages.append(stage)

    def finish(self, _: str, *lines: str) -> None:
        self.lines += lines


@pytest.fixture(autouse=True)
def _toy(monkeypatch):
    monkeypatch.setitem(registry.DOMAIN_MODULES, "toy", "tests.tasks.toy_domain")
    monkeypatch.setattr("counterfoil.tasks.engine.session.WorkerPool", Here)
    registry.load_domain.cache_clear()
    yield
    registry.load_domain.cache_clear()


def run(folder, source: str = "count:40", families: tuple[str, ...] = ("word",), **audit):
    """Run the recipe; what was made, and who heard of it."""
    recipe = MakingRecipe(
        dataset=DatasetSection(path=str(folder), seed=7, shard_size=8, workers=1),
        audit=AuditSettings(**audit),
        domains={"toy": ToySettings(source=source, families=families)},
    )
    heard = Listener()
    return make_dataset(recipe, heard, "test"), heard


def test_a_run_warns_of_a_family_whose_texts_give_it_away_and_publishes_it(tmp_path):
    made, heard = run(tmp_path)
    said = made.gate["families"][WORD]
    assert said["verdict"] == "over" and said["looks"][0]["told"]["low"] > 0.9
    assert any(line.startswith("warning: toy.word can be recognised blind: ") for line in heard.lines)
    dataset = Dataset(str(tmp_path))
    assert dataset.counts().contrasts[WORD] > 0
    assert find_last_run(dataset)["gate"] == made.gate
    said_by_commits = [commit.metadata["gate"] for commit in dataset.history() if commit.metadata]
    assert said_by_commits and all(each == made.gate for each in said_by_commits)


def test_what_the_gate_finds_of_staged_rows_is_what_an_audit_finds_of_the_published(tmp_path):
    made, _ = run(tmp_path)
    (look,) = made.gate["families"][WORD]["looks"]
    (same,) = audit_dataset(str(tmp_path), [WORD], most=look["anchors"], workers=1)
    assert (look["anchors"], look["contrasts"], look["beside"]) == (same.anchors, same.contrasts, same.beside)
    strongest = max((*same.judges[:1], *same.halves), key=lambda each: each.figures.pairwise.value)
    assert look["told"]["share"] == pytest.approx(strongest.figures.pairwise.value, abs=1e-6)
    assert look["picked"]["share"] == pytest.approx(same.sets[0].figures.picked.value, abs=1e-6)


def test_with_fail_over_nothing_is_published_and_the_next_run_judges_nothing_again(tmp_path, monkeypatch):
    with pytest.raises(
        GateError, match=r"toy\.word can be recognised blind(.|\n)*nothing was published(.|\n)*accept_tell"
    ):
        run(tmp_path, fail_over=True)
    assert not Dataset(str(tmp_path)).exists()
    monkeypatch.setattr(gate, "audit_family", lambda *_, **__: pytest.fail("judged again"))
    with pytest.raises(GateError):
        run(tmp_path, fail_over=True)
    made, _ = run(tmp_path)
    assert made.published.changed and made.gate["families"][WORD]["verdict"] == "over"


def test_accept_tell_silences_a_family_by_name(tmp_path):
    made, heard = run(tmp_path, fail_over=True, accept_tell=(WORD,))
    assert made.gate["families"][WORD]["verdict"] == "accepted"
    assert not any(line.startswith("warning") for line in heard.lines)
    assert any("which accept_tell accepts" in line for line in heard.lines)


def test_a_run_with_nothing_to_do_judges_nothing_and_commits_nothing(tmp_path, monkeypatch):
    first, _ = run(tmp_path)
    for shard in (tmp_path / "work").rglob("*.json"):
        if b'"gate"' in shard.read_bytes():
            shard.unlink()
    monkeypatch.setattr(gate, "audit_family", lambda *_, **__: pytest.fail("judged again"))
    again, heard = run(tmp_path)
    assert again.gate == first.gate and again.published.versions == first.published.versions
    assert "gate" not in heard.stages


def test_what_is_accepted_since_is_noted_of_the_same_figures(tmp_path, monkeypatch):
    first, _ = run(tmp_path)
    monkeypatch.setattr(gate, "audit_family", lambda *_, **__: pytest.fail("judged again"))
    again, _ = run(tmp_path, limit=0.6, accept_tell=(WORD,))
    assert again.gate["families"][WORD]["looks"] == first.gate["families"][WORD]["looks"]
    assert again.gate["families"][WORD]["verdict"] == "accepted" and not again.published.changed
    assert find_last_run(Dataset(str(tmp_path)))["gate"] == again.gate
    assert again.gate["limit"] == 0.6


def test_a_family_made_again_is_judged_again_and_the_others_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(gate, "LEAST_S", 10.0)
    first, _ = run(tmp_path, families=("word", "rest"))
    assert set(first.gate["families"]) == {WORD, "toy.rest"}
    recipe = MakingRecipe(
        dataset=DatasetSection(path=str(tmp_path), seed=7, shard_size=8, workers=1),
        domains={"toy": ToySettings(source="count:40", families=("word", "rest"), negatives=1)},
    )
    again = regenerate_family(WORD, recipe, ["toy.negatives=1"], Listener(), "test")
    assert again.gate["families"]["toy.rest"] == first.gate["families"]["toy.rest"]
    assert again.gate["families"][WORD]["rows"] != first.gate["families"][WORD]["rows"]
    counted = [each.gate["families"][WORD]["looks"][0] for each in (first, again)]
    assert counted[1]["contrasts"] == counted[1]["anchors"] < counted[0]["contrasts"]


def test_what_a_run_could_not_afford_the_next_one_judges_though_no_row_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(gate, "LEAST_S", 0.0)
    monkeypatch.setattr(gate, "SHARE", 0.0)
    first, heard = run(tmp_path, families=("word", "rest"))
    assert {each["verdict"] for each in first.gate["families"].values()} == {"unjudged"}
    assert any("the next run judges it, or `counterfoil audit` now" in line for line in heard.lines)
    second, _ = run(tmp_path, families=("word", "rest"))
    assert sorted(each["verdict"] == "unjudged" for each in second.gate["families"].values()) == [False, True]
    third, heard = run(tmp_path, families=("word", "rest"))
    assert third.gate["families"][WORD]["verdict"] == "over"
    assert "unjudged" not in {each["verdict"] for each in third.gate["families"].values()}
    assert find_last_run(Dataset(str(tmp_path)))["gate"] == third.gate


def test_of_few_source_rows_a_run_says_that_they_are_too_few(tmp_path):
    made, heard = run(tmp_path, source="count:12", fail_over=True)
    assert made.gate["families"][WORD]["verdict"] == "unjudged"
    assert any("too few to judge" in line for line in heard.lines)


def test_a_gate_that_breaks_is_told_and_fails_only_where_the_recipe_insists(tmp_path, monkeypatch):
    def stumble(*_: object, **__: object) -> None:
        raise ArithmeticError("no sum")

    monkeypatch.setattr(gate, "audit_family", stumble)
    made, _ = run(tmp_path)
    assert made.published.changed
    assert made.gate["families"][WORD]["unjudged"] == "not judged, as ArithmeticError: no sum"
    with pytest.raises(GateError):
        run(tmp_path, fail_over=True)


def test_the_report_and_the_card_show_what_the_gate_found(tmp_path):
    run(tmp_path / "data", families=("word",))
    page = write_report(str(tmp_path / "data")).read_text()
    assert "Blind accuracy, by the run's gate" in page and "over the limit" in page
    export(Dataset(str(tmp_path / "data")), tmp_path / "card")
    card = (tmp_path / "card" / "README.md").read_text()
    (row,) = [line for line in card.splitlines() if line.startswith("| `toy.word` | caption")]
    assert row.endswith("| over |") and "chance 50.0" in row and "chance 33.3" in row
