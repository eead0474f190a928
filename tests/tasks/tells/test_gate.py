"""The gate: what it says of negatives that give themselves away, of those that do not, and how many it looks at."""

from __future__ import annotations

from dataclasses import replace

from counterfoil.tasks.tells.gate import (
    CONFIRMED,
    Blind,
    Gated,
    Look,
    Size,
    describe_gate,
    gate_family,
    plan_gate,
    read_gate,
    tell_gate,
)
from counterfoil.tasks.tells.measure import audit_family
from counterfoil.tasks.tells.settings import AuditSettings
from tests.tasks.tells.rows import make_anchors, make_texts, store

FAMILY = "toy.text"


def judge(folder, told: float, anchors: int = 60, most: int = 60, per_source: int = 1) -> Gated:
    rows = make_anchors(anchors, per_source=per_source)
    return gate_family(store(folder, rows, make_texts(rows, told=told)).snapshot(), FAMILY, most, "rows")


def test_negatives_that_give_themselves_away_are_warned_of_with_how_often_and_by_what(tmp_path):
    gate = describe_gate([judge(tmp_path, told=0.9)], AuditSettings())
    assert gate["families"][FAMILY]["verdict"] == "over"
    (first, warning) = tell_gate(gate)
    assert first.startswith("blind judges, which see one side alone: 0 of 1 judged families")
    assert warning.startswith("warning: toy.text can be recognised blind: a blind judge ")
    assert "% (95 % interval " in warning and "; chance " in warning and warning.endswith(" in 1 other way")


def test_negatives_that_give_nothing_away_are_within_the_limit(tmp_path):
    gate = describe_gate([judge(tmp_path, told=0, anchors=120, most=120)], AuditSettings())
    assert gate["families"][FAMILY]["verdict"] == "within"
    assert len(tell_gate(gate)) == 1


def test_the_figures_are_those_of_an_audit_of_as_many_anchors(tmp_path):
    anchors = make_anchors(60)
    snapshot = store(tmp_path, anchors, make_texts(anchors, told=0.5)).snapshot()
    found = gate_family(snapshot, FAMILY, 60, "rows")
    (audit,) = audit_family(snapshot, FAMILY, most=60)
    (look,) = found.looks
    assert (look.anchors, look.contrasts) == (audit.anchors, audit.contrasts) == (60, 180)
    strongest = max((*audit.judges, *audit.halves), key=lambda each: each.figures.pairwise.value)
    assert look.told is not None and look.told.judge == strongest.judge
    assert abs(look.told.share - strongest.figures.pairwise.value) < 1e-6
    assert look.picked is not None and abs(look.picked.share - audit.sets[0].figures.picked.value) < 1e-6


def test_the_interval_of_the_strongest_judge_is_wider_than_that_of_one(tmp_path):
    anchors = make_anchors(60)
    snapshot = store(tmp_path, anchors, make_texts(anchors, told=0.5)).snapshot()
    (look,) = gate_family(snapshot, FAMILY, 60, "rows").looks
    (audit,) = audit_family(snapshot, FAMILY, most=60)
    strongest = max((*audit.judges, *audit.halves), key=lambda each: each.figures.pairwise.value).figures.pairwise
    assert look.told is not None
    assert look.told.low < strongest.low and look.told.high > strongest.high


def test_a_few_anchors_that_are_told_apart_are_judged_again_among_more(tmp_path):
    assert [look.anchors for look in judge(tmp_path / "told", told=0.9, anchors=120, most=25).looks] == [CONFIRMED]
    assert [look.anchors for look in judge(tmp_path / "all", told=0.9, anchors=25, most=25).looks] == [25]


def test_a_family_is_over_the_limit_where_its_whole_interval_is():
    def verdict(low: float, limit: float, **more) -> str:
        look = Look("text", "caption", 50, 150, Blind("trees", 0.7, low, 0.9, 0.5), None)
        return describe_gate([Gated(FAMILY, "x", (look,))], AuditSettings(limit=limit, **more))["families"][FAMILY][
            "verdict"
        ]

    assert [verdict(low, 0.55) for low in (0.54, 0.55, 0.56)] == ["within", "within", "over"]
    assert verdict(0.56, 0.6) == "within"
    assert verdict(0.56, 0.55, accept_tell=(FAMILY,)) == "accepted"
    assert verdict(0.56, 0.55, accept_tell=("toy.other",)) == "over"


def test_an_anchor_that_is_picked_by_more_over_chance_than_the_limit_over_a_half_is_told_of():
    def list_over(low: float) -> list[str]:
        look = Look("text", "caption", 50, 150, None, Blind("occurs once", 0.5, low, 0.6, 0.25))
        return Gated(FAMILY, "x", (look,)).list_over(0.55)

    assert list_over(0.3) == []
    assert list_over(0.31) == [
        "a judge that sees a whole set, without the question, identifies the anchor in 50 % (95 % interval 31 to 60; "
        "chance 25), compared with the anchors' caption"
    ]


def test_a_family_has_one_line_the_one_that_tells_most_and_the_rest_are_counted():
    told, picked = Blind("trees", 0.7, 0.6, 0.8, 0.5), Blind("occurs once", 0.9, 0.8, 1, 0.25)
    fluent = Blind("language model", 0.66, 0.61, 0.71, 0.5)
    looks = (Look("text", "caption", 50, 150, told, picked, fluent), Look("text", "captions", 50, 150, told, None))
    gate = describe_gate([Gated(FAMILY, "x", looks)], AuditSettings())
    (_, line) = tell_gate(gate)
    assert "a judge that sees a whole set" in line and line.endswith(", and in 3 other ways")
    over = gate["families"][FAMILY]["over"]
    assert over[0].startswith("a judge that sees a whole set, without the question")
    assert any(each.startswith("a language model finds the anchor's text likelier") for each in over)


def test_judges_that_are_wrong_oftener_than_by_luck_are_told_of():
    look = Look("text", "caption", 50, 150, Blind("trees", 0.5, 0.4, 0.6, 0.5), None, None, ("features",))
    gate = describe_gate([Gated(FAMILY, "x", (look,))], AuditSettings())
    assert gate["families"][FAMILY]["verdict"] == "within" and gate["families"][FAMILY]["inverted"] == ["features"]
    assert "Some judges are wrong more often than by chance, which is as much of a cue: toy.text" in tell_gate(gate)[0]


def test_what_waits_is_judged_whatever_the_run_took():
    sizes = {name: Size(500, 5000, True) for name in ("toy.a", "toy.b")}
    assert plan_gate(sizes, 0) == {}
    assert len(plan_gate(sizes, 0, fewest=1)) == 1
    assert plan_gate({}, 0, fewest=1) == {}


def test_of_few_source_rows_it_says_that_they_are_too_few(tmp_path):
    found = judge(tmp_path, told=1, per_source=6)
    assert found.unjudged == "too few to judge: 10 source rows, and 20 are needed"
    gate = describe_gate([found], AuditSettings())
    assert gate["families"][FAMILY]["verdict"] == "unjudged"
    assert tell_gate(gate)[-1] == f"{FAMILY}: too few to judge: 10 source rows, and 20 are needed"


def test_what_a_commit_says_reads_back_and_what_is_no_gate_is_none(tmp_path):
    found = judge(tmp_path, told=0.9)
    described = describe_gate([found], AuditSettings())
    assert read_gate(described) == {FAMILY: found}
    assert read_gate({}) == {}
    assert read_gate({"families": {FAMILY: {"family": 3}}}) == {}


def test_the_sample_grows_with_what_the_run_took_and_stays_within_a_tenth_of_it():
    sizes = {f"toy.{i}": Size(4000, 12_000, pictures=i % 2 == 0) for i in range(6)}
    planned = [plan_gate(sizes, cpu_s) for cpu_s in (1000, 10_000, 1e6)]
    assert [set(each) for each in planned] == [set(sizes)] * 3
    counts = [each["toy.0"] for each in planned]
    assert counts == sorted(counts) and counts[0] < counts[1] and counts[2] == 1500
    for plan, cpu_s in zip(planned, (1000, 10_000), strict=False):
        assert sum(sizes[name].estimate_s(most) for name, most in plan.items()) <= cpu_s / 10


def test_where_little_was_spent_the_cheapest_are_judged_and_the_others_left_out():
    sizes = {"toy.text": Size(30, 30, pictures=False), "toy.picture": Size(3000, 9000, pictures=True)}
    assert list(plan_gate(sizes, 5)) == ["toy.text"]
    assert list(plan_gate({"toy.picture": sizes["toy.picture"]}, 0)) == []
    assert plan_gate(sizes, 1e5) == dict.fromkeys(sizes, 1500)
    few = replace(sizes["toy.picture"], sources=3)
    assert list(plan_gate({"toy.picture": few}, 0)) == ["toy.picture"]
