"""The report in a real browser: filters, marks, folding, layout. Skipped, loudly, where there is no Chromium."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests.tasks.report.browser import Browser, browse
from tests.tasks.report.reading import assemble
from tests.tasks.report.sample import SampleTables, make_tables

pytestmark = pytest.mark.browser

CARDS = "[...document.querySelectorAll('.card')]"
VISIBLE = f"{CARDS}.filter(e => e.checkVisibility() && e.getClientRects().length > 0)"
COUNT = f"{VISIBLE}.length"
FAMILIES = f"[...new Set({VISIBLE}.map(e => e.closest('.group').querySelector('code').textContent))].sort().join(' ')"
BOX = "input[data-value='{}']"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browse(tmp_path_factory.mktemp("chromium") / "profile", "the report") as running:
        yield running


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    (folder / "report.html").write_text(assemble(make_tables(9, 5, hostile=True), folder), encoding="utf-8")
    return (folder / "report.html").as_uri()


@pytest.fixture(scope="module")
def long_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report of several pages whose parts stand in a folder beside it."""
    folder = tmp_path_factory.mktemp("long")
    page = assemble(make_tables(30, 200), folder / "long-parts", 20_000, sample=0, page_size=210)
    (folder / "long.html").write_text(page, encoding="utf-8")
    return (folder / "long.html").as_uri()


def measure_landing(browser: Browser, goal: str) -> float:
    """How far from its place, below what sticks to the top, an element came to rest; 0 where the page ends first."""
    script = (
        f"(() => {{ const e = {goal}, end = document.documentElement.scrollHeight - innerHeight; if (!e) return 1e9;"
        "const off = e.getBoundingClientRect().top - parseFloat(getComputedStyle(e).scrollMarginTop);"
        "return off > 0 && end - scrollY < 2 ? 0 : Math.abs(off); })()"
    )
    seen: list[float] = []
    while len(seen) < 6 or (len(seen) < 100 and len(set(seen[-6:])) > 1):
        browser.evaluate("new Promise(done => setTimeout(done, 100))")
        seen.append(float(browser.evaluate(script)))
    return seen[-1]


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
    narrow = width == 400
    assert browser.evaluate("document.getElementById('filter-form').checkVisibility()") is not narrow
    if narrow:
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


def test_a_picture_is_enlarged_and_blinks_with_its_anchor(browser: Browser, address: str) -> None:
    browser.open(f"{address}#family=geometry.image")
    browser.evaluate(f"{VISIBLE}[0].querySelector('button.frame').id = 'chosen'")
    browser.click("#chosen")
    assert browser.evaluate("document.getElementById('viewer').open")
    anchor = "document.getElementById('chosen').closest('.ticket').querySelector('.anchor-picture img').src"
    ghost = "document.querySelector('#viewer .ghost')"
    assert browser.evaluate(f"{ghost}.src === {anchor}")
    assert browser.evaluate(f"document.querySelector('#viewer .stage > img').src !== {anchor}")
    same = (
        "[...document.querySelectorAll('#viewer img')].map(e => e.getBoundingClientRect())"
        ".map(b => [b.x, b.y, b.width, b.height].map(Math.round).join(' '))"
    )
    browser.press("b", 66, "b")
    browser.wait_for(f"!{ghost}.hidden")
    boxes = browser.evaluate(same)
    assert len(boxes) == 2 and boxes[0] == boxes[1]
    assert int(boxes[0].split()[2]) > 400
    browser.wait_for(f"{ghost}.hidden")
    browser.press("b", 66, "b")
    browser.press("a", 65, "a")
    assert not browser.evaluate(f"{ghost}.hidden")
    first = browser.evaluate("document.querySelector('#viewer .stage > img').src")
    browser.press("ArrowRight", 39)
    assert browser.evaluate("document.querySelector('#viewer .stage > img').src") != first
    browser.press("Escape", 27)
    assert not browser.evaluate("document.getElementById('viewer').open")


def test_a_reject_is_enlarged_beside_its_anchor(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.evaluate("document.getElementById('rejects').scrollIntoView()")
    browser.wait_for("document.querySelectorAll('.reject button.frame').length >= 2")
    browser.evaluate("document.querySelectorAll('.reason').forEach(e => { e.open = true; })")
    browser.click(".reject .pair .picture:not(.anchor-picture) button.frame")
    assert browser.evaluate("document.querySelectorAll('#viewer img').length") == 2


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("which", ["address", "long_address"])
def test_a_link_lands_where_it_points(browser: Browser, which: str, width: int, request: pytest.FixtureRequest) -> None:
    browser.open(request.getfixturevalue(which), width=width)
    goals = browser.evaluate("[...document.querySelectorAll('.contents a')].map(e => e.hash)")
    assert len(goals) >= 4
    for goal in goals:
        browser.evaluate(f"document.querySelector('.contents a[href=\"{goal}\"]').click()")
        assert measure_landing(browser, f"document.querySelector('{goal}')") <= 2, goal


def test_a_link_to_an_anchor_of_a_later_page_lands_on_it(browser: Browser, long_address: str) -> None:
    browser.open(long_address)
    assert browser.evaluate("document.querySelectorAll('#pager a').length") == 2
    browser.click("#pager a:last-child")
    browser.wait_for("document.querySelectorAll('.ticket').length === 20")
    wanted = browser.evaluate("[...document.querySelectorAll('.meta .here')].at(-5).hash")
    browser.open(long_address + wanted)
    goal = f"document.getElementById('{wanted.removeprefix('#').replace('=', '-')}')"
    assert measure_landing(browser, goal) <= 2


def test_a_link_to_a_row_lands_on_its_card_though_it_was_folded_away(browser: Browser, address: str) -> None:
    browser.open(address)
    wanted = browser.evaluate("[...document.querySelectorAll('.card')].find(e => e.hidden).dataset.id")
    browser.open(f"{address}#row={wanted}")
    goal = f"document.querySelector(`.card[data-id='{wanted}']`)"
    assert measure_landing(browser, goal) <= 2
    assert browser.evaluate(f"{goal}.checkVisibility()")


def test_j_and_k_go_from_anchor_to_anchor(browser: Browser, address: str) -> None:
    browser.open(address)
    focused = "document.activeElement.closest('.ticket')?.id ?? ''"
    browser.press("j", 74, "j")
    browser.wait_for(f"{focused} === document.querySelectorAll('.ticket')[0].id")
    measure_landing(browser, "document.querySelectorAll('.ticket')[0]")
    browser.press("j", 74, "j")
    browser.wait_for(f"{focused} === document.querySelectorAll('.ticket')[1].id")
    assert measure_landing(browser, "document.querySelectorAll('.ticket')[1]") <= 2
    browser.press("k", 75, "k")
    browser.wait_for(f"{focused} === document.querySelectorAll('.ticket')[0].id")


def test_cards_are_filtered_by_what_differs_and_by_grade(browser: Browser, tmp_path: Path) -> None:
    tables = make_tables(4, 0)
    several = ((("number",), "proved"), (("shape", "number"), "refuted"), (("shape",), "refuted"))
    rows = [
        dataclasses.replace(row, changes=several[i % 3][0], grade=several[i % 3][1])
        for i, row in enumerate(tables.contrast_rows)
    ]
    path = tmp_path / "report.html"
    path.write_text(assemble(SampleTables(tables.anchor_rows, rows), tmp_path), encoding="utf-8")
    for facet, value in (("change", "shape"), ("grade", "refuted")):
        browser.open(path.as_uri())
        browser.evaluate("document.getElementById('show-all').click()")
        assert browser.evaluate(COUNT) == len(rows)
        browser.click(f"input[name='{facet}'][data-value='{value}']")
        browser.wait_for(f"{COUNT} === {sum(i % 3 > 0 for i in range(len(rows)))}")
        assert f"{facet}={value}" in browser.evaluate("location.hash")


def test_anchors_are_unpacked_as_they_come_into_view_and_packed_away(browser: Browser, long_address: str) -> None:
    browser.open(long_address)
    parts = "document.querySelectorAll('.batch').length"
    tickets = "document.querySelectorAll('.ticket').length"
    assert browser.evaluate(parts) == 14
    assert browser.evaluate("document.querySelector('.batch .ticket') !== null")  # the first needs no part
    browser.wait_for(f"{tickets} > 0")
    assert browser.evaluate(tickets) <= 48
    most = 0
    for part in range(14):
        browser.evaluate(f"document.querySelectorAll('.batch')[{part}].scrollIntoView()")
        browser.wait_for(f"document.querySelectorAll('.batch')[{part}].querySelector('.ticket') !== null")
        most = max(most, browser.evaluate(tickets))
    assert most <= 14 * 16 * 0.8
    loaded = {url for url in browser.requests if url.endswith(".js")}
    assert len([url for url in loaded if "anchors-" in url]) >= 13
    assert browser.complaints == []


def test_the_view_holds_still_while_parts_above_it_are_unpacked(browser: Browser, long_address: str) -> None:
    browser.open(long_address)
    browser.evaluate("document.querySelectorAll('.batch')[9].scrollIntoView()")
    browser.wait_for("document.querySelectorAll('.batch')[9].querySelector('.ticket') !== null")
    wanted = browser.evaluate("document.querySelectorAll('.batch')[9].querySelectorAll('.ticket')[3].id.slice(7)")
    browser.open(f"{long_address}#anchor={wanted}")
    goal = f"document.getElementById('anchor-{wanted}').getBoundingClientRect().top"
    before = browser.evaluate(goal)
    browser.evaluate("scrollBy({top: -700, behavior: 'instant'})")
    browser.evaluate("new Promise(done => setTimeout(done, 800))")
    assert abs(browser.evaluate(goal) - before - 700) <= 2


def test_filters_reach_anchors_that_are_not_unpacked(browser: Browser, long_address: str) -> None:
    browser.open(long_address)
    browser.click(BOX.format("val"))
    assert browser.evaluate("document.getElementById('tally').textContent").endswith(
        "of 10 of 210 anchors; this page holds anchors 1 to 210"
    )
    browser.wait_for("document.querySelectorAll('.ticket').length > 0")
    shown = "[...document.querySelectorAll('.ticket')].filter(e => e.checkVisibility())"
    assert browser.evaluate(f"{shown}.every(e => e.querySelectorAll('.tag')[1].textContent === 'val')")


def test_a_missing_folder_of_parts_is_told(browser: Browser, long_address: str, tmp_path: Path) -> None:
    source = Path(long_address.removeprefix("file://"))
    (tmp_path / "alone.html").write_bytes(source.read_bytes())
    browser.open((tmp_path / "alone.html").as_uri())
    assert "keep the folder next to this page" in browser.evaluate("document.getElementById('parts').textContent")


def test_what_a_finger_touches_is_large_enough(browser: Browser, address: str) -> None:
    browser.open(address, width=400)
    browser.evaluate("document.getElementById('filters').open = true")
    small = (
        "[...document.querySelectorAll('a, button, summary, .choice, #search')].filter(e => e.checkVisibility()"
        " && !e.closest('.skip, .hidden') && e.getClientRects().length)"
        ".map(e => [e.getBoundingClientRect(), e]).filter(([b]) => b.height < 43.5 || b.width < 40)"
        ".map(([b, e]) => `${Math.round(b.width)} x ${Math.round(b.height)} ${e.outerHTML.slice(0, 90)}`)"
    )
    assert browser.evaluate(small) == []


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
        " e.tagName === 'IMG' || !(e.textContent.trim() || e.querySelector('[alt]') || e.labels?.length || e.hidden))"
        ".map(e => e.outerHTML.slice(0, 100)).join('\\n')"
    )
    assert browser.evaluate(nameless) == ""


def test_a_look_can_be_taken(browser: Browser, address: str, tmp_path: Path) -> None:
    """A page that the browser cannot paint gives one flat colour."""

    browser.open(address, height=700)
    browser.screenshot(tmp_path / "page.png")
    with Image.open(tmp_path / "page.png") as picture:
        assert picture.size == (1280, 700)
        assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 50


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 400])
def test_the_first_samples_are_painted_without_any_script(
    browser: Browser, address: str, width: int, dark: bool, tmp_path: Path
) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.call("Page.navigate", url="about:blank")
        browser.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        browser.call("Emulation.setEmulatedMedia", features=scheme)
        browser.call("Page.navigate", url=address)
        browser.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'")
        places = browser.evaluate(
            "[...document.querySelectorAll('#parts .frame img, #parts .anchor-picture img')].map(e => {"
            "const b = e.getBoundingClientRect();"
            "return [b.x + scrollX, b.y + scrollY, b.right + scrollX, b.bottom + scrollY]; })"
        )
        browser.screenshot(tmp_path / "page.png", whole=True)
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert len(places) >= 2
    with Image.open(tmp_path / "page.png") as page:
        colours = [len(page.convert("RGB").crop(tuple(map(int, place))).getcolors(1 << 20) or ()) for place in places]
    assert min(colours) > 1, f"{colours.count(1)} of {len(places)} pictures are blank"
