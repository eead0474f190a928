"""Mutants are changes of what decides, each sound Python, and a probe tells whether a change makes any difference."""

from __future__ import annotations

import ast
from pathlib import Path

from benchmarks.mutants import DIFFERS, Mutant, count_changes, make_mutant

SOURCE = '''"""Ünïcode before the columns."""
def decide(values: list[int], most: int = 3) -> bool:
    """A 3 that is said."""
    if not values:
        raise ValueError(f"{1 + 1} values" + "none")
    check(values)
    found = "é" if values[0] < most and (
        min(values) >= 0
    ) else None
    return found is not None
'''


def change(folder: Path) -> list[Mutant]:
    (folder / "module.py").write_text(SOURCE, encoding="utf-8")
    made = (make_mutant(folder, "module.py", place) for place in range(count_changes(folder, "module.py")))
    return list(filter(None, made))


def test_what_decides_is_changed_and_what_is_said_is_not(tmp_path: Path) -> None:
    changes = {(each.before, each.after) for each in change(tmp_path)}
    assert changes == {
        ("3", "4"),
        ("not values", "values"),
        ("check(values)", "pass"),
        ("values[0] < most and ( min(values) >= 0 )", "values[0] < most or min(values) >= 0"),
        ("values[0] < most and ( min(values) >= 0 )", "not (values[0] < most and min(values) >= 0)"),
        ("values[0] < most", "values[0] <= most"),
        ("0", "1"),
        ("min", "max"),
        ("min(values) >= 0", "min(values) > 0"),
        ("found is not None", "found is None"),
    }


def test_a_mutant_differs_at_its_lines_alone(tmp_path: Path) -> None:
    plain = SOURCE.splitlines()
    for mutant in change(tmp_path):
        lines = mutant.source.splitlines()
        compile(mutant.source, "module.py", "exec")
        assert len(lines) == len(plain)
        assert {i for i, (a, b) in enumerate(zip(plain, lines, strict=True), 1) if a != b} <= set(
            range(mutant.first, mutant.last + 1)
        )
        assert ast.dump(ast.parse(mutant.source)) != ast.dump(ast.parse(SOURCE))


def test_a_probe_gives_the_old_value_and_sees_both(tmp_path: Path) -> None:
    seen: list[tuple[object, object]] = []

    def differs(old, new):
        seen.append((old(), new()))
        return seen[-1][0]

    probes = [each.probe for each in change(tmp_path) if each.before == "values[0] < most"]
    assert len(probes) == 1 and probes[0] is not None
    space: dict[str, object] = {DIFFERS: differs, "check": len}
    exec(compile(probes[0], "module.py", "exec"), space)
    assert space["decide"]([3, 5]) is False  # type: ignore[operator]
    assert seen == [(False, True)]
