"""Lies about figures that are told well: the script changed as its writer would have it, drawn, and recorded so."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

from benchmarks.lies.geometry import Kind, Row, draw_changed, draw_more, list_places, measure_figure

Change = Callable[[str, random.Random], str | None]
_MARKS = ("strokes", "thin_strokes", "arcs", "thin_arcs", "numbers", "curves", "grid", "names")


def _list_entries(code: str, names: tuple[str, ...], pattern: str) -> list[re.Match[str]]:
    """The entries of the script's lists of these names that fit a pattern, a line each."""
    found = []
    for name in names:
        block = re.search(rf"^{name} = [\[{{]\n(?:    .*\n)+[\]}}]", code, re.M)
        if block is not None:
            entries = re.compile(rf"^    .*{pattern}.*\n", re.M).finditer(code, block.start(), block.end())
            found += list(entries)
    return found


def _of_entry(names: tuple[str, ...], pattern: str, change: Callable[[str, random.Random], str | None]) -> Change:
    """One entry of a list changed, left out (an empty text) or put twice."""

    def lie(code: str, rng: random.Random) -> str | None:
        entries = _list_entries(code, names, pattern)
        if not entries:
            return None
        entry = rng.choice(entries)
        new = change(entry[0], rng)
        return None if new is None else code[: entry.start()] + new + code[entry.end() :]

    return lie


def _shift(entry: str, rng: random.Random, *, by: float = 0.04) -> str:
    """Every number of an entry's places moved along by a share of the page, in one direction."""
    numbers = re.findall(r"(?<![\w\"−.])-?\d+\.\d+", entry)
    size = max((abs(float(each)) for each in numbers), default=1.0) or 1.0
    step = rng.choice((-1, 1)) * max(by * size, 0.05)
    return re.sub(r"(?<![\w\"−.])-?\d+\.\d+", lambda found: f"{float(found[0]) + step:.4f}", entry)


def _exchange_names(code: str, rng: random.Random) -> str | None:
    """Two letters written each where the other's was; the points keep their names."""
    entries = _list_entries(code, ("names",), "")
    if len(entries) < 2:
        return None
    one, other = sorted(rng.sample(entries, 2), key=lambda each: each.start())
    places = [each[0].partition(":")[2] for each in (one, other)]
    names = [each[0].partition(":")[0] for each in (one, other)]
    return (
        code[: one.start()]
        + f"{names[0]}:{places[1]}"
        + code[one.end() : other.start()]
        + f"{names[1]}:{places[0]}"
        + code[other.end() :]
    )


def _exchange_numbers(code: str, rng: random.Random) -> str | None:
    """Two numbers written each where the other's was."""
    entries = _list_entries(code, ("numbers",), r'\("(?:length|angle|arc) ')
    texts = [re.search(r'", (r?"[^"]*"), ', each[0]) for each in entries]
    pairs = [
        (a, b)
        for a in range(len(entries))
        for b in range(a + 1, len(entries))
        if texts[a] and texts[b] and texts[a][1] != texts[b][1]  # type: ignore[index]
    ]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    one, other = entries[a], entries[b]
    first, second = texts[a], texts[b]
    assert first is not None and second is not None
    return (
        code[: one.start()]
        + one[0].replace(first[1], second[1])
        + code[one.end() : other.start()]
        + other[0].replace(second[1], first[1])
        + code[other.end() :]
    )


def _move_point(code: str, rng: random.Random) -> str | None:
    """A point moved by a twelfth of the figure; strokes follow it, marks do not."""
    points = list_places(code)
    name = rng.choice(sorted(points))
    (x, y), step = points[name], measure_figure(code) / 12
    pattern = re.compile(rf'^    "{name}": \([^)]*\),$', re.M)
    moved = (x + rng.choice((-1, 1)) * step, y + rng.choice((-1, 1)) * step)
    return pattern.sub(f'    "{name}": ({moved[0]:.4f}, {moved[1]:.4f}),', code, count=1)


def _paint_over(ink: str) -> Change:
    """A patch at a random place of a random stroke."""

    def change(code: str, rng: random.Random) -> str:
        (x, y), size = rng.choice([*list_places(code).values()]), measure_figure(code)
        r = 0.05 * size
        xs, ys = (
            [round(at + sign * r, 4) for sign in signs] for at, signs in ((x, (-1, 1, 1, -1)), (y, (-1, -1, 1, 1)))
        )
        return draw_more(code, f"ax.fill({xs}, {ys}, {ink})")

    return change


def _write(look: str) -> Change:
    """A number in the figure's middle, in a look that is seen little or not at all."""

    def change(code: str, rng: random.Random) -> str:
        places = [*list_places(code).values()]
        x, y = (sum(each[axis] for each in places) / len(places) for axis in (0, 1))
        return draw_more(code, f"ax.text({x:.4f}, {y:.4f}, '{rng.randrange(10, 99)}', {look})")

    return change


def _replace(old: str, new: str) -> Change:
    return lambda code, _: re.sub(old, new, code, count=1)


def _join(dash: str) -> Change:
    """A side drawn once more, otherwise."""

    def change(code: str, rng: random.Random) -> str | None:
        points = list_places(code)
        pairs = [pair for pair in re.findall(r'\("(\w+)", "(\w+)"\)', code) if {*pair} <= {*points}]
        if not pairs:
            return None
        (x0, y0), (x1, y1) = (points[name] for name in rng.choice(pairs))
        return draw_more(code, f"ax.plot([{x0}, {x1}], [{y0}, {y1}], {dash})")

    return change


def _add_point(row: Row, rng: random.Random) -> Row | None:
    """A point more that is drawn by nothing: in the script and in the facts."""
    if row["table"] != "anchors" or not row["code"] or "points = {\n" not in row["code"]:
        return None
    free = [each for each in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if f'"{each}"' not in row["code"]]
    if not free:
        return None
    name = rng.choice(free)
    code = row["code"].replace("points = {\n", f'points = {{\n    "{name}": (0.5, 0.5),\n', 1)
    facts = [*row["facts"], {"predicate": "point", "arguments": [name], "value": "0.5 0.5"}]
    return {**row, "code": code, "facts": facts}


def _record_segment(row: Row, rng: random.Random) -> Row | None:
    """A stroke more between two letters: in script, picture and facts."""
    if row["table"] != "anchors":
        return None
    points = [each["arguments"][0] for each in row["facts"] if each["predicate"] == "point"]
    joined = [{*each["arguments"]} for each in row["facts"] if each["predicate"] in ("segment", "line", "ray")]
    pairs = [(p, q) for p in points for q in points if p < q and {p, q} not in joined]
    block = re.search(r"^segments = \[(.*)\]$", row["code"], re.M)
    if not pairs or block is None:
        return None
    p, q = rng.choice(pairs)
    code = f'{row["code"][: block.end(1)]}, ("{p}", "{q}"){row["code"][block.end(1) :]}'
    drawn = draw_changed(lambda *_: code)(row, rng)
    if drawn is None:
        return None
    last = max(at for at, each in enumerate(row["facts"]) if each["predicate"] == "segment")
    told = {"predicate": "segment", "arguments": [p, q], "value": None}
    return {**drawn, "facts": [*row["facts"][: last + 1], told, *row["facts"][last + 1 :]]}


def _record_ticks(row: Row, rng: random.Random) -> Row | None:
    """Ticks left out of script, picture and facts, which the caption still states."""
    if row["table"] != "anchors":
        return None
    marks = [each for each in row["facts"] if each["predicate"] in ("mark_ticks", "mark_right", "mark_parallel")]
    if not marks:
        return None
    mark = rng.choice(marks)
    gid = f"{mark['predicate'].removeprefix('mark_')} {' '.join(mark['arguments'])}"
    code = re.sub(rf'^    \("{gid}", .*\n', "", row["code"], flags=re.M)
    drawn = draw_changed(lambda *_: code)(row, rng) if code != row["code"] else None
    return None if drawn is None else {**drawn, "facts": [each for each in row["facts"] if each is not mark]}


def _say(column: str, change: Callable[[str, random.Random], str | None]) -> Kind:
    """A caption, question or text that says something else."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        old = row.get(column)
        new = change(old, rng) if old else None
        if not new or new == old:
            return None
        if column != "caption":
            return {**row, column: new}
        return {**row, "caption": new, "captions": [new if each == old else each for each in row["captions"]]}

    return lie


def _drop_sentence(text: str, rng: random.Random) -> str | None:
    parts = re.split(r"(?<=\.) ", text)
    if len(parts) < 2:
        return None
    del parts[rng.randrange(len(parts))]
    return " ".join(parts)


def _turn_sentences(text: str, _: random.Random) -> str | None:
    parts = re.split(r"(?<=\.) ", text)
    return " ".join(parts[::-1]) if len(set(parts)) > 1 else None


def _say_twice(text: str, rng: random.Random) -> str | None:
    parts = re.split(r"(?<=\.) ", text)
    return " ".join([*parts, rng.choice(parts)])


def _exchange_letters(text: str, rng: random.Random) -> str | None:
    letters = sorted(set(re.findall(r"(?<![A-Za-z\\])[A-Z](?=[A-Z\s,.;])", text)))
    if len(letters) < 2:
        return None
    one, other = rng.sample(letters, 2)
    table = str.maketrans({one: other, other: one})
    return re.sub(r"(?<![a-z\\])[A-Z]+(?![a-z])", lambda found: found[0].translate(table), text)


def _other_word(text: str, rng: random.Random) -> str | None:
    swaps = {"perpendicular": "parallel", "parallel": "perpendicular", "midpoint": "endpoint", "bisects": "meets"}
    swaps |= {"isosceles": "equilateral", "square": "rectangle", "rhombus": "square", r"\perp": r"\parallel"}
    there = [(old, new) for old, new in swaps.items() if old in text]
    if not there:
        return None
    old, new = rng.choice(there)
    return text.replace(old, new, 1)


def _turn_equation(text: str, _: random.Random) -> str | None:
    """The sign of an equation's slope, or of a coordinate."""
    found = re.search(r"y = (-?)(?=\d|x)|\((-?)\d", text)
    if found is None:
        return None
    return text[: found.start()] + found[0].replace("= -", "= ").replace("(-", "(") + text[found.end() :]


def _in_facts(predicate: str, change: Callable[[Row], Row]) -> Kind:
    def lie(row: Row, rng: random.Random) -> Row | None:
        if row["table"] != "anchors":
            return None
        places = [at for at, each in enumerate(row["facts"]) if re.fullmatch(predicate, each["predicate"])]
        if not places:
            return None
        at = rng.choice(places)
        facts = [dict(each) for each in row["facts"]]
        facts[at] = change(facts[at])
        return {**row, "facts": facts}

    return lie


def _raise_number(text: str) -> str:
    return re.sub(r"\d+", lambda found: str(int(found[0]) + 1), text, count=1)


def _gone(_: str, __: random.Random) -> str:
    return ""


def _again(entry: str, _: random.Random) -> str:
    return entry * 2


def _raise_numeral(entry: str, _: random.Random) -> str:
    return re.sub(r'", "(−?)(\d+)"', lambda found: f'", "{found[1]}{int(found[2]) + 1}"', entry)


_DRAWN: Mapping[str, Change] = {
    "letters exchanged": _exchange_names,
    "numbers exchanged": _exchange_numbers,
    "a point moved": _move_point,
    "a letter gone": _of_entry(("names",), "", _gone),
    "a letter moved": _of_entry(("names",), "", lambda entry, rng: _shift(entry, rng, by=0.5)),
    "a number moved": _of_entry(("numbers",), '"(?:length|angle|arc) ', lambda entry, rng: _shift(entry, rng, by=0.5)),
    "a number twice": _of_entry(("numbers",), '"(?:length|angle|arc) ', _again),
    "a mark moved": _of_entry(("strokes", "arcs"), "", lambda entry, rng: _shift(entry, rng, by=0.2)),
    "an arc the other way": _of_entry(
        ("arcs",),
        "",
        lambda entry, _: re.sub(r", (-?[\d.]+), (-?[\d.]+)\),$", r", \2, \1),", entry.rstrip("\n")) + "\n",
    ),
    "a white patch": _paint_over('color="white", zorder=9'),
    "a grey patch behind": _paint_over('color="#dddddd", zorder=0'),
    "a patch nearly white": _paint_over('color="#f4f4f4", zorder=0'),
    "a number in white": _write('color="white", fontsize=13.5'),
    "a number nearly white": _write('color="#f0f0f0", fontsize=13.5'),
    "a number of alpha 0": _write("alpha=0, fontsize=13.5"),
    "a number of 1 point": _write("fontsize=1"),
    "a side thicker": _join('color="black", linewidth=4'),
    "a side dashed white": _join('color="white", linewidth=1.2, linestyle="--", zorder=9'),
    "a side in blue": _join('color="#000080", linewidth=1.5, zorder=9'),
    "a side beyond its ends": _join('color="black", linewidth=1.5, marker="d", markersize=6'),
    "dashed sides": _replace(r'solid_capstyle="round"', 'linestyle="--"'),
    "thin sides": _replace(r"linewidth=1\.\d", "linewidth=0.4"),
    "letters upright": _replace(r', style="italic"', ""),
    "letters small": _replace(r"fontsize=1\d", "fontsize=7"),
    "stretched": _replace(r'ax\.set_aspect\("equal"\)', 'ax.set_aspect("auto"); ax.set_xlim(-40, 40)'),
    "half the page": _replace(r"ax\.set_xlim\((-?[\d.]+), (-?[\d.]+)\)", r"ax.set_xlim(\2, \1)"),
    "a title": lambda code, _: draw_more(code, "ax.set_title('a triangle', y=0.9)"),
    "a picture within": lambda code, _: draw_more(
        code, "ax.imshow([[0, 1], [1, 0]], extent=(0, 1, 0, 1), cmap='gray', zorder=0)"
    ),
    # Axes
    "a line of the grid gone": _of_entry(("grid",), "", _gone),
    "a line of the grid moved": _of_entry(("grid",), "", lambda entry, rng: _shift(entry, rng, by=0.1)),
    "an axis' arrow gone": _of_entry(("strokes",), '"arrow ', _gone),
    "an axis gone": _of_entry(("strokes",), '"axis ', _gone),
    "an axis' tick gone": _of_entry(("strokes",), '"tick ', _gone),
    "an axis' tick moved": _of_entry(("strokes",), '"tick ', lambda entry, rng: _shift(entry, rng, by=0.1)),
    "an axis' numeral gone": _of_entry(("numbers",), '"numeral ', _gone),
    "an axis' numeral another": _of_entry(("numbers",), '"numeral ', _raise_numeral),
    "axes' names exchanged": lambda code, _: code.replace('("name x", "x"', '("name x", "y"').replace(
        '("name y", "y"', '("name y", "x"'
    ),
    "a curve gone": _of_entry(("curves",), "", _gone),
    "a curve moved": _of_entry(("curves",), "", lambda entry, rng: _shift(entry, rng, by=0.1)),
    "a dot gone": lambda code, _: re.sub(r'^dots = \["\w+", ', "dots = [", code, flags=re.M),
}
_SAID: Mapping[str, Callable[[str, random.Random], str | None]] = {
    "a sentence gone": _drop_sentence,
    "sentences turned": _turn_sentences,
    "a sentence twice": _say_twice,
    "letters exchanged": _exchange_letters,
    "another word": _other_word,
    "another sign": _turn_equation,
}
KINDS: Mapping[str, Kind] = {
    **{f"drawn so: {name}": draw_changed(change) for name, change in _DRAWN.items()},
    **{
        f"{column}: {name}": _say(column, change)
        for column in ("caption", "question", "text")
        for name, change in _SAID.items()
    },
    "point that nothing draws": _add_point,
    "recorded and drawn: a stroke": _record_segment,
    "recorded and drawn: a mark gone": _record_ticks,
    "facts: the axes wider": _in_facts("axes", lambda fact: {**fact, "value": _raise_number(fact["value"] or "")}),
    "facts: a point elsewhere": _in_facts("point", lambda fact: {**fact, "value": _raise_number(fact["value"])}),
    "facts: an equation": _in_facts(".*equation|at", lambda fact: {**fact, "value": f"{fact['value']}+1"}),
    "facts: parallel for perpendicular": _in_facts("perpendicular", lambda fact: {**fact, "predicate": "parallel"}),
    "script with room": lambda row, _: (
        {**row, "code": row["code"].replace("\n\nfig,", "\n\n\nfig,")} if row["code"] else None
    ),
    "script with an entry that nothing draws": lambda row, _: (
        {**row, "code": row["code"].replace("\nfig,", "\nunused = [3]\n\nfig,", 1)} if row["code"] else None
    ),
    "script that draws by another way": lambda row, _: (
        {**row, "code": row["code"].replace("dpi=100", "dpi=100.0", 1)} if row["code"] else None
    ),
}
