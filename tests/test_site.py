"""The docs site in a real browser, as narrow as a phone: nothing is wider than the screen, no picture is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tasks.report.browser import Browser, browse

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).parents[1]
FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
MISSING = "[...document.images].filter(each => each.complete && !each.naturalWidth).map(each => each.src)"
# Words of code in tables that a line end cuts in two.
CUT = """[...document.querySelectorAll('td code')].filter(each => /^[\\w.]+$/.test(each.textContent)
    && each.getClientRects().length > 1).map(each => each.textContent)"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browse(tmp_path_factory.mktemp("chromium") / "profile", "the docs site") as running:
        yield running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    return folder


def test_every_page_fits_a_phone_and_asks_for_no_file_that_is_missing(browser: Browser, site: Path) -> None:
    wrong = {}
    for page in sorted(each for each in site.glob("*.html") if each.name != "404.html"):
        browser.open(page.as_uri(), width=400)
        found = (browser.evaluate(FITS), browser.evaluate(MISSING), browser.evaluate(CUT), browser.complaints)
        if found != (True, [], [], []):
            wrong[page.name] = found
    assert not wrong
