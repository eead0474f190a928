"""The linter of prose: proselint's checks of padding and cliches, and this project's own vocabulary.

    python docs/.tools/prose.py README.md docs tasks/engine/reasons.toml

It leaves out code, what stands in quotes, targets of links, HTML, and pages that hold rows letter for letter.
``vocabulary.toml`` next to this file lists the words that only their authors understand, each with what to write
instead. The exit code is 1 if anything is found.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from proselint.checks import __register__ as everything
from proselint.registry.checks import Check, Padding, types
from proselint.registry.checks.engine import Fast

CHOSEN = ("cliches", "hedging", "industrial_language", "misc.metadiscourse", "needless_variants", "redundancy")
ROWS = ("gallery.md",)
"""Pages of examples, whose words are those of the rows."""
_QUOTE = r'(?<![\w"])"(?=\S)[^"\n]*(?:\n[^"\n]+)?(?<=\S)"(?!\w)|“[^”]*”'
_LINK = r"\]\([^)\n]*\)|<[^>\n]+>|&#?\w+;"
CODE = re.compile(rf"^ *(```|~~~).*?^ *\1|`[^`\n]+(?:\n[^`\n]+)?`|{_LINK}|\A---\n.*?^---$", re.MULTILINE | re.DOTALL)
QUOTE = re.compile(_QUOTE)
TOML = re.compile(r'^[\w.-]+ = "|(?<!\\)"$', re.MULTILINE)
_WORDS = r"[^;.:|\n]*(?:\n(?! *(?:[-*#|]|\d+[.)]) )[^;.:|\n]+)*"
CHAIN = re.compile(rf"^(?! *\|)[^\n;]*;{_WORDS};", re.MULTILINE)
"""Two semicolons in one sentence: no list item, full stop or table's cell lies between them."""
LISTED = re.compile(r"^(?![-*|#>]|\d+\.|<!--)\S.*\n(?=(?:[-*]|1\.) \S)", re.MULTILINE)
"""A line of a paragraph right above a list, which the site then shows as one paragraph."""


def read_vocabulary(path: Path) -> list[Check]:
    """Our own words to avoid, as checks of proselint's."""
    return [
        Check(types.ExistenceSimple(Padding.WORDS_IN_TEXT.format(word)), Fast(), f"vocabulary.{word}", instead)
        for word, instead in tomllib.loads(path.read_text(encoding="utf-8"))["avoid"].items()
    ]


def list_checks() -> list[Check]:
    """The checks of proselint's that serve technical prose, and our own."""
    chosen = [check for check in everything if any(check.matches_partial(name) for name in CHOSEN)]
    return chosen + read_vocabulary(Path(__file__).with_name("vocabulary.toml"))


def blank(text: str, *, toml: bool = False) -> str:
    """The text with all that is not prose as blanks, so that places stay.

    >>> blank('Not `beside`, but "a cat beside a dog".')
    'Not         , but                       .'
    """
    for pattern in (TOML,) if toml else (CODE, QUOTE):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return re.sub(r'\\"[^"\n]*\\"', lambda found: " " * len(found[0]), text) if toml else text


def lint(text: str, checks: Iterable[Check], *, toml: bool = False) -> Iterator[tuple[int, str]]:
    """Lines with what to change there."""
    prose = f"\n{blank(text, toml=toml)}\n"
    for check in checks:
        for found in check.check_with_flags(prose):
            start, end = found.span
            line = prose.count("\n", 0, start + 1)
            yield line, f"{' '.join(prose[start:end].split())!r}: {' '.join(found.message.split())}"
    for chain in CHAIN.finditer(prose):
        yield prose.count("\n", 0, chain.end()), "two semicolons in one sentence: write two sentences, or a list"
    for paragraph in LISTED.finditer(f"\n{text}"):
        if prose[paragraph.end()].strip():  # else it is code
            yield prose.count("\n", 0, paragraph.end()), "a list needs an empty line above it"


def list_files(names: Iterable[str]) -> Iterator[Path]:
    """The Markdown of folders, and files as they are named."""
    for name in map(Path, names):
        found = sorted(name.glob("*.md")) if name.is_dir() else [name]
        yield from (path for path in found if path.name not in ROWS)


def main(names: list[str]) -> int:
    """Print what is found, by file and line."""
    checks = list_checks()
    found = 0
    for path in list_files(names):
        text = path.read_text(encoding="utf-8")
        for line, message in sorted(set(lint(text, checks, toml=path.suffix == ".toml"))):
            print(f"{path}:{line}: {message}")
            found += 1
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
