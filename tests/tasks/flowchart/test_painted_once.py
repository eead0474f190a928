"""Equal bytes are painted and read once in a process; what is changed in any of them is judged anew."""

from __future__ import annotations

from collections import Counter

import pytest

from counterfoil.renderers.mermaid import Look
from counterfoil.tasks.contract.memo import Memo
from counterfoil.tasks.contract.verdict import CheckError, Checks
from counterfoil.tasks.flowchart.drawing import pictures
from counterfoil.tasks.flowchart.drawing.pictures import check_picture
from counterfoil.tasks.flowchart.drawing.rendering import draw_chart, get_mermaid, paint
from counterfoil.tasks.flowchart.settings import FlowchartSettings

SETTINGS = FlowchartSettings(source="procedural:1", size=256, smallest_text=6.0)


@pytest.fixture
def asked(monkeypatch):
    """How often a picture was painted and judged, from an empty memory on."""
    counts: Counter[str] = Counter()
    for owner, name in ((get_mermaid(), "paint"), (pictures, "_examine")):
        ask = getattr(owner, name)

        def count(*given, name=name, ask=ask):
            counts[name] += 1
            return ask(*given)

        monkeypatch.setattr(owner, name, count)
    monkeypatch.setattr(pictures, "_sound", Memo(4))
    paint.cache_clear()
    return counts


def test_a_picture_that_many_rows_share_is_painted_and_read_once(asked):
    svg = draw_chart("flowchart TD\n a[Open] --> b[Close]", Look())
    png = paint(svg, 256)
    asked.clear()
    paint.cache_clear()
    verdicts = []
    for _ in range(5):
        checks = Checks()
        shown = check_picture(checks, svg, png, SETTINGS)
        paint.cache_clear()  # as after other pictures in between
        verdicts.append((checks.passed, shown.sight))
    assert asked == {"paint": 1, "_examine": 1}
    assert verdicts == [verdicts[0]] * 5 and verdicts[0][0][-1] == "labels_seen"


def test_another_byte_or_setting_is_another_verdict_and_failures_are_judged_again(asked):
    svg = draw_chart("flowchart TD\n a[Open] --> b[Close]", Look())
    png = paint(svg, 256)
    check_picture(Checks(), svg, png, SETTINGS)
    with pytest.raises(CheckError, match="text_legible"):
        check_picture(Checks(), svg, png, SETTINGS.model_copy(update={"smallest_text": 60.0}))
    other = paint(draw_chart("flowchart TD\n a[Open] --> b[Shut]", Look()), 256)
    for _ in range(2):
        checks = Checks()
        with pytest.raises(CheckError, match="picture_painted: the picture is not what its SVG paints"):
            check_picture(checks, svg, other, SETTINGS)
        assert checks.passed == ["vector_read"]
    assert asked["_examine"] == 1 + 1 + 2


def test_what_is_remembered_is_bounded_and_the_last_asked_for_stay():
    memo, found = Memo[int](2), []
    for content in (1, 2, 1, 3, 1, 2):
        memo.recall(lambda content=content: found.append(content) or content, content)
    assert found == [1, 2, 3, 2]
