from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.report import write_report
from counterfoil.tasks.report.parts import Shelf
from tests.tasks.report.reading import assemble, read_parts, unpack
from tests.tasks.report.sample import SampleTables, make_tables, store_tables


def read_folder(folder: Path) -> dict[str, object]:
    scripts = {path.stem: path.read_text(encoding="ascii") for path in folder.rglob("*.js")}
    parts = {name: text.removeprefix(f'receivePart("{name}","').removesuffix('")\n') for name, text in scripts.items()}
    return {name: unpack(content) for name, content in parts.items()}


def test_a_small_report_is_one_file_and_a_large_one_has_the_same_parts_in_a_folder(tmp_path: Path) -> None:
    tables = make_tables(6, 30, hostile=True)
    small = assemble(tables, tmp_path / "small-parts", sample=0)
    large = assemble(tables, tmp_path / "large-parts", 10_000, sample=0)
    assert not (tmp_path / "small-parts").exists()
    assert read_parts(large) == {}
    assert read_folder(tmp_path / "large-parts") == read_parts(small)
    assert sum(name.startswith("anchors-") for name in read_parts(small)) == 4
    assert "'self'" in large and "'self'" not in small


def test_every_anchor_stands_once_in_its_page_and_part(tmp_path: Path) -> None:
    tables = make_tables(3, 60)
    parts = read_parts(assemble(tables, tmp_path, sample=0, page_size=40))
    pages = [parts["page-1"], parts["page-2"]]
    listed = [anchor["id"] for page in pages for part in page for anchor in part["anchors"]]
    assert sorted(listed) == sorted(anchor.anchor_id for anchor in tables.anchor_rows)
    assert [sum(len(part["anchors"]) for part in page) for page in pages] == [40, 23]
    for page in pages:
        for part in page:
            html = parts[part["part"]]["html"]
            assert [html.count(f'id="anchor-{anchor["id"]}"') for anchor in part["anchors"]] == [1] * len(
                part["anchors"]
            )


def test_a_new_report_takes_the_place_of_the_old_ones_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterfoil.tasks.report.write.Shelf", lambda folder: Shelf(folder, 10_000))
    store_tables(make_tables(2, 30), tmp_path / "set")
    page = write_report(tmp_path / "set", sample=0)
    (first,) = (tmp_path / "set" / "report-parts").iterdir()
    assert f"report-parts/{first.name}" in page.read_text()
    write_report(tmp_path / "set", sample=0)
    assert [each.name for each in (tmp_path / "set" / "report-parts").iterdir()] == [first.name]
    write_report(tmp_path / "set", sample=25)
    (second,) = (tmp_path / "set" / "report-parts").iterdir()
    assert second.name != first.name
    monkeypatch.undo()
    write_report(tmp_path / "set", sample=1)
    assert not (tmp_path / "set" / "report-parts").exists()


def test_a_report_that_fails_leaves_the_earlier_one_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterfoil.tasks.report.write.Shelf", lambda folder: Shelf(folder, 10_000))
    store_tables(make_tables(2, 30), tmp_path / "set")
    page = write_report(tmp_path / "set", sample=0)
    before = {path: path.read_bytes() for path in tmp_path.rglob("report*/**/*.js")}
    text = page.read_text()

    def fail(*_: object) -> None:
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr("counterfoil.tasks.report.assemble.render_page", fail)
    with pytest.raises(RuntimeError):
        write_report(tmp_path / "set", sample=20)
    assert page.read_text() == text
    assert before and all(path.read_bytes() == content for path, content in before.items())
    assert not list(tmp_path.rglob(".unfinished-*"))


def test_what_a_killed_report_left_is_removed_a_day_later(tmp_path: Path) -> None:
    folder = tmp_path / "report-parts"
    for name, age_days in ((".unfinished-old", 2), (".unfinished-now", 0)):
        (folder / name).mkdir(parents=True)
        os.utime(folder / name, (time.time() - age_days * 86_400,) * 2)
    (folder / "mine").mkdir()
    Shelf(folder).sweep()
    assert sorted(each.name for each in folder.iterdir()) == [".unfinished-now", "mine"]


def test_memory_holds_one_page_of_rows(tmp_path: Path) -> None:
    asked: list[int] = []

    class Watched(SampleTables):
        def get_anchors(self, anchor_ids: list[str]) -> dict[str, Anchor]:  # type: ignore[override]
            asked.append(len(anchor_ids))
            return dict(super().get_anchors(anchor_ids))

    tables = make_tables(0, 90)
    assemble(Watched(tables.anchor_rows, tables.contrast_rows), tmp_path, sample=0, page_size=40)
    assert asked == [0, 40, 40, 10]
