"""The linter of prose: proselint's checks of padding and cliches, and this project's own vocabulary.

    python docs/.tools/prose.py README.md docs tasks/engine/reasons.toml

Code, links' targets and HTML are left out. ``vocabulary.toml`` beside this file has the words that mean something to
their authors alone, each with what to say. Exit code 1 if anything is found.
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
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]+`|\]\([^)\n]*\)|<[^>\n]+>|^---\n.*?^---$", re.MULTILINE | re.DOTALL)
CHAIN = re.compile(r";[^;.:|\n]*(?:\n[^;.:|\n]+)*;")  # two semicolons in one sentence


def read_vocabulary(path: Path) -> list[Check]:
    """Our own words to avoid, as checks of proselint's."""
    return [
        Check(types.ExistenceSimple(Padding.WORDS_IN_TEXT.format(word)), Fast(), f"vocabulary.{word}", instead)
        for word, instead in tomllib.loads(path.read_text(encoding="utf-8"))["avoid"].items()
    ]


def blank(text: str) -> str:
    """The text with code, targets of links and HTML as blanks, so that places stay."""
    return CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def lint(text: str, checks: Iterable[Check]) -> Iterator[tuple[int, str]]:
    """Lines with what to change there."""
    prose = f"\n{blank(text)}\n"
    for check in checks:
        for found in check.check_with_flags(prose):
            start, end = found.span
            line = prose.count("\n", 0, start + 1)
            yield line, f"{' '.join(prose[start:end].split())!r}: {' '.join(found.message.split())}"
    for chain in CHAIN.finditer(prose):
        yield prose.count("\n", 0, chain.end()), "two semicolons in one sentence: write sentences"


def list_files(names: Iterable[str]) -> Iterator[Path]:
    """The Markdown of folders, and files as they are named."""
    for name in map(Path, names):
        yield from sorted(name.glob("*.md")) if name.is_dir() else [name]


def main(names: list[str]) -> int:
    """Print what is found, by file and line."""
    checks = [check for check in everything if any(check.matches_partial(name) for name in CHOSEN)]
    checks += read_vocabulary(Path(__file__).with_name("vocabulary.toml"))
    found = 0
    for path in list_files(names):
        for line, message in sorted(set(lint(path.read_text(encoding="utf-8"), checks))):
            print(f"{path}:{line}: {message}")
            found += 1
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
