"""`counterfoil audit`, `check` and `clean` on files that others made: what is opened and what is printed."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from counterfoil.flows.datasets.audit import show_audits
from counterfoil.flows.showing.terminal import print_json
from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.audit.tells.stored import describe_audits
from counterfoil.tasks.foreign.audit import audit_foreign
from counterfoil.tasks.foreign.check import Found, check_foreign
from counterfoil.tasks.foreign.clean import Cleaned, clean_foreign
from counterfoil.tasks.foreign.errors import ForeignError
from counterfoil.tasks.foreign.files import has_rows
from counterfoil.tasks.foreign.groups import Reading, open_foreign
from counterfoil.tasks.foreign.suspecting import open_suspecting
from counterfoil.tasks.packages import import_package

Progress = Callable[[str, int, int], None]
_HUB = "hub:"
_IF_SAME = "false if of the same thing"
_SUSPECTED = "suspected"
_UNREAD = "it is not read"
_SHOWN = 8
"""Rows that are printed of each standing."""


def is_foreign(target: str) -> bool:
    """Whether ``target`` is something that others made: a file, a folder with files of rows that is no dataset of ours,
    or ``hub:OWNER/NAME``."""
    path = Path(target)
    if path.is_file() or target.startswith(_HUB):
        return True
    return path.is_dir() and has_rows(path) and not Dataset(target).exists()


@contextmanager
def open_target(target: str, columns: str = "", pictures: Path | None = None) -> Iterator[Reading]:
    """A file, a folder, or a dataset of the Hugging Face Hub as ``hub:OWNER/NAME``, of several configurations
    ``hub:OWNER/NAME/CONFIGURATION``.

    Raises:
        ForeignError: it cannot be understood.
        MissingPackageError: a hub id needs the package `datasets`.
    """
    said = read_columns(columns)
    if not target.startswith(_HUB):
        yield open_foreign(target, said, pictures)
        return
    datasets = import_package("datasets", "a dataset of the hub")
    owner, _, rest = target.removeprefix(_HUB).partition("/")
    name, _, configuration = rest.partition("/")
    with tempfile.TemporaryDirectory(prefix="counterfoil-") as folder:
        try:
            whole = datasets.load_dataset("/".join(filter(None, (owner, name))), configuration or None)
            whole.save_to_disk(folder)
        except (OSError, ValueError, RuntimeError) as error:
            # "Config name is missing.", and in the next line which ones there are.
            reason = " ".join(str(error).splitlines()[:2]) or type(error).__name__
            told = f"{target}: the hub gives no such dataset ({reason})"
            raise ForeignError(f"{told}: write hub:OWNER/NAME, or hub:OWNER/NAME/CONFIGURATION") from error
        yield open_foreign(folder, said, pictures)


def read_columns(text: str) -> dict[str, str]:
    """``anchor=query,negative=neg_1 neg_2`` as parts and columns.

    Raises:
        ForeignError: it is written otherwise.
    """
    pairs = [each.partition("=") for each in text.split(",") if each.strip()]
    if any(not sign or not column.strip() for _, sign, column in pairs):
        raise ForeignError(f"--columns {text!r}: write PART=COLUMN, several by commas")
    return {part.strip(): column.strip() for part, _, column in pairs}


def show_reading(reading: Reading, out: Console) -> None:
    """What was understood of the file, in three lines."""
    for line in reading.describe():
        out.print(line, markup=False, highlight=False, soft_wrap=True)


def audit_target(
    reading: Reading,
    out: Console,
    *,
    most: int | None,
    language_model: str | None,
    as_json: bool,
    progress: Progress,
) -> list[Any]:
    """Judge the contrasts and print what was found; the audits."""
    audits = audit_foreign(reading, most=most, language_model=language_model, progress=progress)
    if as_json:
        print_json({"read": reading.describe(), "families": describe_audits(audits)})
    else:
        show_reading(reading, out)
        show_audits(audits, out, as_json=False)
    return audits


def check_target(
    reading: Reading,
    domain: str,
    keep: Path | None,
    out: Console,
    *,
    models: tuple[str, str] = ("", ""),
    as_json: bool,
    progress: Progress,
) -> None:
    """Check the contrasts and print how many are proved, true and open, with examples. ``models``: an encoder or a
    cross-encoder that scores them too."""
    suspecting = open_suspecting(*models)
    counts: Counter[str] = Counter()
    unread: Counter[str] = Counter()
    shown: dict[str, dict[tuple[str, str], Found]] = {"proved": {}, "true": {}, "open": {}, _SUSPECTED: {}}
    for each in check_foreign(reading, domain, suspecting=suspecting, keep=keep, progress=progress):
        counts[each.standing] += 1
        counts[_IF_SAME] += bool(each.if_same)
        if each.suspicion == 1:
            counts[_SUSPECTED] += 1
            if len(shown[_SUSPECTED]) < _SHOWN:
                shown[_SUSPECTED].setdefault((each.anchor, each.negative), each)
        if each.why.startswith(_UNREAD):
            unread[each.why] += 1
        if len(shown[each.standing]) < _SHOWN and (each.if_same or each.standing != "open"):
            # Of rows that are alike one is enough.
            shown[each.standing].setdefault((each.anchor, each.negative), each)
    if as_json:
        examples = {name: [asdict(each) for each in rows.values()] for name, rows in shown.items()}
        print_json({"read": reading.describe(), "negatives": counts, "examples": examples})
        return
    show_reading(reading, out)
    _show_counts(counts, out)
    for why, count in unread.items():
        out.print(f"{count:,} of the open ones: {why}", markup=False, highlight=False, soft_wrap=True)
    if suspecting is not None:
        said = f"suspected: {counts[_SUSPECTED]:,}, as they score no lower than all that is known to be true"
        line = f"{said}: a reason to look, and no proof"
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    for standing in ("true", "proved", "open"):
        for each in shown[standing].values():
            why = f"of one thing {each.if_same}" if each.if_same else each.why
            _show_row(standing, each, why, out)
    for each in shown[_SUSPECTED].values():
        _show_row(_SUSPECTED, each, f"{each.standing}; similarity {each.similarity}", out)
    if keep is not None:
        out.print(f"all of them: {keep}", markup=False, highlight=False, soft_wrap=True)


def _show_row(standing: str, found: Found, why: str, out: Console) -> None:
    line = f"{standing}: {found.file} row {found.row}: {found.anchor} | {found.negative} ({why})"
    out.print(line, markup=False, highlight=False, soft_wrap=True)


def _show_counts(counts: Mapping[str, int], out: Console) -> None:
    total = sum(counts[name] for name in ("proved", "true", "open"))
    meant = {
        "proved": "false of whatever the anchor is true of",
        "true": "false negatives: they say what the anchor or a positive says, or less",
        "open": f"the words decide neither; {counts[_IF_SAME]:,} of them are false if they speak of the same thing",
    }
    for name, meaning in meant.items():
        count = counts.get(name, 0)
        line = f"{name}: {count:,} of {total:,} ({100 * count / total:.1f} %), {meaning}"
        out.print(line, markup=False, highlight=False, soft_wrap=True)


def clean_target(
    reading: Reading, to: Path, domain: str, out: Console, *, refine: bool, as_json: bool, progress: Progress
) -> Cleaned:
    """Write the contrasts without those that are true, and print what went."""
    made = clean_foreign(reading, to, domain, refine=refine, progress=progress)
    if as_json:
        print_json({name: str(value) if isinstance(value, Path) else value for name, value in asdict(made).items()})
        return made
    show_reading(reading, out)
    lines: Sequence[str] = (
        f"true of their anchors, and dropped: {made.true:,} of {made.negatives:,} negatives",
        *([f"recognised by blind judges, and dropped: {made.telling:,}"] if refine else []),
        f"rows: {made.rows:,} written, {made.rows_gone:,} had no negative left",
        f"why: {made.findings}",
        f"file: {made.to}",
    )
    for line in lines:
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    return made
