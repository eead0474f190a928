"""`counterfoil history`, `diff` and `vacuum` as a user runs them."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from counterfoil.flows.cli import app
from counterfoil.storage.dataset import Dataset
from tests.storage import storage_cases as cases


@pytest.fixture
def url(tmp_path):
    folder = str(tmp_path / "night")
    for tag in ("one", "two"):
        Dataset(folder).publish(cases.stage_run(folder, tag, 1))
    return folder


def call(*given):
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, [str(each) for each in given])


def test_history_lists_versions_and_marks_vacuumed_ones(url):
    before = json.loads(call("history", url, "--table", "contrasts", "--json").stdout)
    assert [(each["version"], each["step"], each["readable"]) for each in before] == [
        (3, "publish", True),
        (2, "withdraw", True),
        (1, "publish", True),
        (0, "create", True),
    ]
    assert call("vacuum", url, "--keep", 1).stdout == "removed 5 files\n"
    after = json.loads(call("history", url, "--table", "contrasts", "--json").stdout)
    assert [each["readable"] for each in after] == [True, True, False, True]
    shown = call("history", url, "--table", "contrasts").stdout
    assert shown.count("vacuumed") == 1 and "+24 -0" in shown


def test_diff_counts_rows_and_names_them_in_json(url):
    shown = call("diff", url, "--from", 1, "--to", 3, "--family", "geometry.caption")
    assert shown.stdout.split()[-5:] == ["geometry.caption", "12", "12", "0", "0"]
    (told,) = json.loads(call("diff", url, "--from", 1, "--family", "geometry.caption", "--json").stdout)
    assert set(told["added"]) == {row.contrast_id for row in Dataset(url).contrasts("geometry.caption")}
    assert "the same rows" in call("diff", url, "--from", 3).stdout


@pytest.mark.parametrize(
    "given, message",
    [
        (("diff", "{url}", "--from", "7"), "has no version 7 of contrasts: its versions are 0 to 3"),
        (("diff", "{url}", "--from", "1", "--table", "rows"), "there is no table 'rows'"),
        (("history", "{url}/absent"), "holds no dataset"),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_line(url, given, message):
    done = call(*(each.format(url=url) for each in given))
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.output
