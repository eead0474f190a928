r"""Mathematics in LaTeX as text that anybody reads: ``\triangle ABC`` as △ABC, ``30^\circ`` as 30°.

Text, and not markup, because two texts are compared word by word afterwards, and the same text serves a picture's
description, a search and a page. What is no LaTeX comes back as it was, and a command that is not known stays.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

_DEEPEST = 8
"""Groups within groups that are read; deeper ones stay as they are written."""
_LONGEST = 20_000
"""Longer texts stay as they are: none that is read by a person is so long."""
_LONGEST_GROUP = 500
_MAY_HOLD = re.compile(r"[\\^_$]")
_MATHEMATICS = re.compile(
    r"\$\$(?P<shown>[^$]+)\$\$"
    # As Pandoc has it: no space inside a dollar, no digit behind the last, so that "$5 and $6" are prices.
    r"|(?<![\\$])\$(?=\S)(?P<inline>[^$\n]*?)(?<=[^\s\\])\$(?![\d$])"
    r"|\\\((?P<round>.{1,500}?)\\\)|\\\[(?P<square>.{1,500}?)\\\]",
    re.DOTALL,
)
_LOOKS_MATHEMATICAL = re.compile(r"[\\^_=<>+]|^\w{1,3}$")
_TOKEN = re.compile(r"\\(?P<name>[A-Za-z]+)(?P<gap>[ \t]*)|\\(?P<escaped>[^A-Za-z\s])|(?P<script>[\^_])")
_RAISED_IN_TEXT = re.compile(r"(?<=[\w)\]}′'])\^(?=\{|\\circ|\\prime|-?\d|[A-Za-z](?![A-Za-z]))")
_LOWERED_IN_TEXT = re.compile(r"(?<=(?<![\w\\])[A-Za-z])_(?=\{|\d)")
_NUMBER = re.compile(r"-?\d+")
_ONE_TERM = re.compile(r"√?[\w.′°²³ⁿ]+|√?\([^()]*\)")

_FONTS = frozenset(("text", "textbf", "textit", "mathrm", "mathbf", "mathit", "mathsf", "mathcal", "operatorname"))
_INDEX = re.compile(r"\[([^\[\]]{1,8})\]")
_UNSEEN = frozenset(("left", "right", "big", "Big", "bigl", "bigr", "displaystyle", "limits", "nolimits"))
_FRACTIONS = frozenset(("frac", "dfrac", "tfrac", "cfrac"))
_SPACES = {",": " ", ";": " ", ":": " ", " ": " ", "!": ""}
_RAISED = dict(zip("0123456789+-=()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
_LOWERED = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))


def make_readable(text: str) -> str:
    r"""The text with its LaTeX as Unicode.

    >>> make_readable(r"In \triangle ABC, \angle A = 30^\circ and AB = \frac{\sqrt{3}}{2}")
    'In △ABC, ∠A = 30° and AB = √3/2'
    >>> make_readable(r"If $x^2 + y_1 \leq 4$, it costs $5 and $6.")
    'If x² + y₁ ≤ 4, it costs $5 and $6.'
    """
    if len(text) > _LONGEST or not _MAY_HOLD.search(text):
        return text
    pieces: list[str] = []
    at = 0
    for found in _MATHEMATICS.finditer(text):
        (body,) = (each for each in found.groups() if each is not None)
        if not _LOOKS_MATHEMATICAL.search(body):
            continue
        pieces += [_Reader(text[at : found.start()], False).read(), _Reader(body.strip(), True).read()]
        at = found.end()
    pieces.append(_Reader(text[at:], False).read())
    return "".join(pieces)


@cache
def _signs() -> dict[str, dict[str, str]]:
    return tomllib.loads(files("counterfoil.tasks.showing").joinpath("signs.toml").read_text(encoding="utf-8"))


class _Reader:
    """Reads one stretch of text. In mathematics every ``^`` and ``_`` is a script; outside, where it must be one."""

    def __init__(self, text: str, mathematics: bool, depth: int = 0) -> None:
        self.text, self.mathematics, self.depth = text, mathematics, depth
        self.at = 0
        self.written: list[str] = []

    def read(self) -> str:
        while found := _TOKEN.search(self.text, self.at):
            self.written.append(self._read_plain(self.at, found.start()))
            self.at = found.end()
            self.written.append(self._read_token(found))
        self.written.append(self._read_plain(self.at, len(self.text)))
        return "".join(self.written)

    def _read_plain(self, start: int, end: int) -> str:
        plain = self.text[start:end]
        return plain.replace("{", "").replace("}", "") if self.mathematics else plain

    def _read_token(self, found: re.Match[str]) -> str:
        if found["script"]:
            return self._read_script(found)
        if found["escaped"]:
            return self._read_escaped(found)
        return self._read_command(found)

    def _read_escaped(self, found: re.Match[str]) -> str:
        sign = found["escaped"]
        if sign in "%$&_#{}":
            return sign
        return _SPACES.get(sign, found[0]) if self.mathematics else found[0]

    def _read_command(self, found: re.Match[str]) -> str:
        name, gap, signs = found["name"], found["gap"], _signs()
        if name in signs["prefixes"]:
            return signs["prefixes"][name]
        if name in signs["signs"]:
            sign = signs["signs"][name]
            last = self._last()
            return sign + (gap if sign.isascii() or last.isspace() or not last else "")
        if name in _UNSEEN:
            return ""
        if name in _FRACTIONS:
            return self._read_fraction() or found[0]
        if name == "sqrt":
            return self._read_root() or found[0]
        if name not in _FONTS and name != "mathbb" and name not in signs["marks"]:
            return found[0]
        body = self._read_argument(mathematics=not name.startswith("text"))
        if body is None:
            return found[0]
        if name in signs["marks"]:
            return "".join(letter + signs["marks"][name] for letter in body)
        return "".join(signs["blackboard"].get(letter, letter) for letter in body) if name == "mathbb" else body

    def _read_fraction(self) -> str | None:
        start, before = self.at, self._last()
        above = self._read_argument()
        below = self._read_argument() if above is not None else None
        if above is None or below is None:
            self.at = start
            return None
        fraction = f"{_enclose(above)}/{_enclose(below)}"
        after = self.text[self.at : self.at + 1]
        return f"({fraction})" if before.isalnum() or after.isalnum() or after == "\\" else fraction

    def _read_root(self) -> str | None:
        start = self.at
        index = _INDEX.match(self.text, self.at)
        self.at = index.end() if index else self.at
        body = self._read_argument()
        if body is None:
            self.at = start
            return None
        return (_raise(index[1]) if index else "") + "√" + _enclose(body)

    def _read_script(self, found: re.Match[str]) -> str:
        raised = found["script"] == "^"
        if not self.mathematics:
            known = _RAISED_IN_TEXT if raised else _LOWERED_IN_TEXT
            if not known.match(self.text, found.start()):
                return found[0]
        number = None if self.mathematics else _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
        body = number[0] if number else self._read_argument()
        if body is None:
            return found[0]
        return _raise(body) if raised else _lower(body)

    def _read_argument(self, mathematics: bool = True) -> str | None:
        """A group in braces, a command with its own arguments, or one character; None (and no step) where none is."""
        start = self.at
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        if self.text.startswith("{", self.at):
            end = _find_end(self.text, self.at)
            if end is None or self.depth == _DEEPEST:
                self.at = start
                return None
            inner = _Reader(self.text[self.at + 1 : end], mathematics, self.depth + 1)
            self.at = end + 1
            return inner.read()
        command = _TOKEN.match(self.text, self.at)
        if command and command["name"]:
            # In running text the space behind a sign parts it from the next word: 30° and.
            bare = not self.mathematics and command["name"] in _signs()["signs"]
            self.at = command.end("name") if bare else command.end()
            return self._read_command(command)
        if self.at < len(self.text) and self.text[self.at] not in "\\^_}$":
            self.at += 1
            return self.text[self.at - 1]
        self.at = start
        return None

    def _last(self) -> str:
        """The last character written, or nothing."""
        return next((piece[-1] for piece in reversed(self.written) if piece), "")


def _find_end(text: str, start: int) -> int | None:
    """Where the group that opens at ``start`` closes."""
    depth = 0
    for at in range(start, min(len(text), start + _LONGEST_GROUP)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if not depth:
                return at
    return None


def _enclose(term: str) -> str:
    return term if _ONE_TERM.fullmatch(term) else f"({term})"


def _raise(body: str) -> str:
    if body in ("∘", "°"):
        return "°"
    if set(body) <= {"′"}:
        return body
    return _set(body, _RAISED, "^")


def _lower(body: str) -> str:
    return _set(body, _LOWERED, "_")


def _set(body: str, letters: dict[str, str], sign: str) -> str:
    if all(letter in letters for letter in body):
        return "".join(letters[letter] for letter in body)
    return sign + (body if len(body) == 1 else f"({body})")
