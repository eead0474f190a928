"""The report in a real browser: filters, marks, folding, layout. Skipped, loudly, where there is no Chromium."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tasks.report.browser import Browser, find_chromium
from tests.tasks.report.sample import make_tables

pytestmark = pytest.mark.browser

CARDS = "[...document.querySelectorAll('.card')]"
VISIBLE = f"{CARDS}.filter(e => e.checkVisibility() && e.getClientRects().length > 0)"
COUNT = f"{VISIBLE}.length"
FAMILIES = f"[...new Set({VISIBLE}.map(e => e.closest('.group').querySelector('code').textContent))].sort().join(' ')"
BOX = "input[data-value='{}']"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if find_chromium() is None:
        reason = "chromium is not installed: the report is NOT tested in a browser (apt-get install chromium)"
        warnings.warn(reason, stacklevel=1)
        pytest.skip(reason)
    with Browser(tmp_path_factory.mktemp("chromium") / "profile") as running:
        yield running


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    from tasks.report.collect import collect
    from tasks.report.page import render_page

    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render_page(collect(make_tables(9, 5, hostile=True))), encoding="utf-8")
    return path.as_uri()


def tally(browser: Browser) -> str:
    return str(browser.evaluate("document.getElementById('tally').textContent"))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 800, 400])
def test_the_page_fits_asks_for_nothing_and_has_no_errors(
    browser: Browser, address: str, width: int, dark: bool
) -> None:
    browser.open(address, width=width, dark=dark)
    browser.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    browser.evaluate("document.getElementById('show-all').click()")
    browser.evaluate("document.querySelectorAll('.ticket').forEach(e => { e.style.contentVisibility = 'visible'; })")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    wide = (
        "[...document.querySelectorAll('main *, header *')].filter(e => e.checkVisibility()"
        " && !e.closest('.hidden, .heads, .scroll, pre, svg') && e.getBoundingClientRect().right > innerWidth + 1)"
        ".map(e => e.outerHTML.slice(0, 120)).join('\\n')"
    )
    assert browser.evaluate(wide) == ""
    assert [url for url in browser.requests if not url.startswith("data:")] == [address]
    assert browser.complaints == []
    assert browser.evaluate("document.title") == "sample · Counterfoil report"


@pytest.mark.parametrize("width", [1280, 400])
def test_a_family_filter_shows_that_familys_cards_alone(browser: Browser, address: str, width: int) -> None:
    browser.open(address, width=width)
    before = browser.evaluate(COUNT)
    if width == 400:
        assert not browser.evaluate("document.getElementById('filter-form').checkVisibility()")
        browser.click("#filters > summary")
    browser.click(BOX.format("geometry.image"))
    assert browser.evaluate(FAMILIES) == "geometry.image"
    assert 0 < browser.evaluate(COUNT) < before
    assert tally(browser) == "48 of 107 contrasts, of 9 of 15 anchors"
    browser.click(BOX.format("flowchart.code"))
    assert browser.evaluate(FAMILIES) == "flowchart.code geometry.image"
    browser.click("#reset")
    assert browser.evaluate(COUNT) == before
    assert tally(browser) == "107 contrasts of 15 anchors"


def test_filters_must_all_hold_and_counts_follow(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.click(BOX.format("positive"))
    assert browser.evaluate(FAMILIES) == "flowchart.code"
    count = (
        "document.querySelector(\"input[data-value='{}']\").closest('label').querySelector('.choice-count').textContent"
    )
    assert browser.evaluate(count.format("geometry.image")) == "0"
    assert browser.evaluate(count.format("flowchart.code")) == "5"
    assert browser.evaluate(count.format("negative")) == "102"
    browser.click(BOX.format("number"))
    assert browser.evaluate(COUNT) == 0
    assert browser.evaluate("document.getElementById('nothing').checkVisibility()")
    browser.click("#reset-2")
    assert browser.evaluate(COUNT) > 0


@pytest.mark.parametrize(("value", "expected"), [("val", 32), ("flowchart", 10), ("swap labels", 5), ("label", 48)])
def test_domain_split_and_edit_filters_count_what_they_show(
    browser: Browser, address: str, value: str, expected: int
) -> None:
    browser.open(address)
    browser.click("#show-all")
    browser.click(BOX.format(value))
    assert browser.evaluate(COUNT) == expected
    assert tally(browser).startswith(f"{expected} of 107 ")


def test_search_is_by_words_of_row_and_anchor(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.press("/", 191, "/")
    assert browser.evaluate("document.activeElement.id") == "search"
    browser.type("start 3")
    browser.evaluate("new Promise(done => setTimeout(done, 300))")
    assert browser.evaluate(FAMILIES) == "flowchart.caption flowchart.code"
    assert tally(browser) == "2 of 107 contrasts, of 1 of 15 anchors"
    row = browser.evaluate(f"{VISIBLE}[0].dataset.id")
    browser.open(f"{address}#search={row}")
    assert browser.evaluate(COUNT) == 1


def test_filters_stand_in_the_address_and_come_back(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.click(BOX.format("geometry.caption"))
    browser.click(BOX.format("number"))
    kept = browser.evaluate("location.hash")
    assert kept == "#family=geometry.caption&edit=number"
    shown = browser.evaluate(COUNT)
    browser.open(address + kept)
    assert browser.evaluate(COUNT) == shown
    assert browser.evaluate("document.querySelectorAll('input[name]:checked').length") == 2


def test_filters_work_from_the_keyboard(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.evaluate("document.getElementById('search').focus()")
    browser.press("Tab", 9)
    assert browser.evaluate("document.activeElement.dataset.value") == "flowchart"
    browser.press(" ", 32, " ")
    assert browser.evaluate(FAMILIES) == "flowchart.caption flowchart.code"


def test_folded_contrasts_unfold(browser: Browser, address: str) -> None:
    browser.open(f"{address}#family=geometry.image")
    group = "[...document.querySelectorAll('.group')].find(e => !e.hidden && e.querySelectorAll('.card').length === 6)"
    browser.evaluate(f"{group}.id = 'chosen'")
    shown = "[...document.querySelectorAll('#chosen .card')].filter(e => !e.hidden).length"
    assert browser.evaluate(shown) == 4
    browser.click("#chosen .unfold")
    assert browser.evaluate(shown) == 6
    browser.click("#chosen .unfold")
    assert browser.evaluate(shown) == 4


def test_marks_lie_over_the_change_and_can_be_taken_off(browser: Browser, address: str) -> None:
    browser.open(f"{address}#family=geometry.image&edit=number")
    inside = (
        "(() => { const mark = [...document.querySelectorAll('.marks rect')].find(e => e.checkVisibility());"
        "const a = mark.getBoundingClientRect(), b = mark.closest('.frame').getBoundingClientRect();"
        "return [(a.x - b.x) / b.width, (a.y - b.y) / b.height, a.width / b.width]; })()"
    )
    x, y, width = browser.evaluate(inside)
    assert 0.4 < x < 0.5 and 0.78 < y < 0.9 and 0.02 < width < 0.15
    browser.click("#show-marks")
    assert not browser.evaluate("document.querySelector('.marks').checkVisibility()")


def test_replaced_words_can_be_hidden(browser: Browser, address: str) -> None:
    browser.open(f"{address}#family=geometry.caption")
    visible = f"[...{VISIBLE}[0].querySelectorAll('p del')].filter(e => e.checkVisibility()).length"
    assert browser.evaluate(visible) > 0
    browser.click("#show-removed")
    assert browser.evaluate(visible) == 0


def test_the_anchors_picture_can_be_seen_in_place(browser: Browser, address: str) -> None:
    browser.open(f"{address}#family=geometry.image")
    browser.evaluate(f"{VISIBLE}.find(e => e.querySelector('.compare')).querySelector('.compare').id = 'chosen'")
    same = (
        "(chosen => chosen.closest('.picture').querySelector('.ghost')?.src === "
        "chosen.closest('.ticket').querySelector('.anchor-picture img').src)(document.getElementById('chosen'))"
    )
    assert not browser.evaluate(same)
    browser.click("#chosen")
    assert browser.evaluate(same)
    assert browser.evaluate("document.getElementById('chosen').getAttribute('aria-pressed')") == "true"
    browser.click("#chosen")
    assert not browser.evaluate(same)


def test_an_id_is_copied_whole(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    wanted = browser.evaluate("document.querySelector('.ticket .id').dataset.copy")
    browser.click(".ticket .id")
    browser.evaluate("new Promise(done => setTimeout(done, 300))")
    assert browser.evaluate("document.getElementById('announcer').textContent") == f"Copied {wanted}"
    assert browser.evaluate("navigator.clipboard.readText()") == wanted


def test_every_control_and_picture_has_a_name(browser: Browser, address: str) -> None:
    browser.open(address)
    nameless = (
        "[...document.querySelectorAll('img:not([alt]), button, input, summary')].filter(e =>"
        " e.tagName === 'IMG' || !(e.textContent.trim() || e.labels?.length || e.hidden))"
        ".map(e => e.outerHTML.slice(0, 100)).join('\\n')"
    )
    assert browser.evaluate(nameless) == ""


def test_a_look_can_be_taken(browser: Browser, address: str, tmp_path: Path) -> None:
    """A page that the browser cannot paint gives one flat colour."""
    from PIL import Image

    browser.open(address, height=700)
    browser.screenshot(tmp_path / "page.png")
    with Image.open(tmp_path / "page.png") as picture:
        assert picture.size == (1280, 700)
        assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 50
