"""The page of the papers' small tables is what was kept of their runs, with no cell empty."""

from __future__ import annotations

from benchmarks.papers import PAGE, PAPERS, read_kept, word_command, write_page
from counterfoil.flows.learning.reproducing import read_papers


def test_the_page_is_what_was_kept():
    assert PAGE.read_text(encoding="utf-8") == write_page()


def test_every_paper_was_run_as_it_says_and_has_every_row():
    # SugarCrepe++ is asked on its authors' files, which a user has or has not.
    assert set(read_papers()) - set(PAPERS) == {"sugarcrepepp"}
    for name, paper in read_papers().items():
        if name not in PAPERS:
            continue
        told = read_kept(name)
        assert told["command"] == word_command(name)
        assert [row for row in told["rows"] if row in {each.name for each in paper.rows}] == [
            r.name for r in paper.rows
        ]
        for row in paper.rows:
            printed = [cell["printed"] or cell["why_no_printed"] for cell in told["rows"][row.name]]
            assert printed == row.printed


def test_no_cell_is_empty():
    for name in PAPERS:
        for cells in read_kept(name)["rows"].values():
            assert len(cells) == len(read_papers()[name].columns)
            assert all(cell["ours"] is not None or cell["why_no_ours"] for cell in cells)
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert rows
    assert not any(
        cell.strip() in ("–", "nan") or not cell.strip() for row in rows[1:] for cell in row.split("|")[2:-1]
    )
