"""Contrasts that others made, from Python: audited, checked and cleaned.

Each takes a path (see `counterfoil check`), a `datasets.Dataset` or `DatasetDict`, or a polars or pandas table.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterfoil.tasks.foreign.check import Found
    from counterfoil.tasks.foreign.groups import Reading
    from counterfoil.tasks.tells.measure import FamilyAudit

__all__ = ["audit", "check", "clean"]


def audit(data: Any, *, columns: Mapping[str, str] | None = None, anchors: int | None = None) -> Sequence[FamilyAudit]:
    """How often judges that see one side alone tell a negative from its anchor, by kind of negative.

    Args:
        data: a path, a `datasets.Dataset` or `DatasetDict`, or a polars or pandas table.
        columns: which column is what, where names do not say: ``{"anchor": "query", "negative": "neg_1 neg_2"}``.
        anchors: how many are judged of each kind, at most; left out, 1,500.

    Raises:
        counterfoil.tasks.foreign.errors.ForeignError: it cannot be understood.
    """
    from counterfoil.tasks.foreign.audit import audit_foreign

    with _open(data, columns) as reading:
        return audit_foreign(reading, most=anchors)


def check(
    data: Any,
    *,
    columns: Mapping[str, str] | None = None,
    domain: str = "",
    encoder: str = "",
    cross_encoder: str = "",
) -> list[Found]:
    """What is shown of each negative: ``proved`` false, ``true``, or ``open``, and why.

    Args:
        data, columns: see `audit`.
        domain: ``caption`` or ``theorem``; left out, what most texts are.
        encoder, cross_encoder: a model that scores each negative too, as ``similarity`` and ``suspicion`` beside what
            is shown: one of them, as `counterfoil check` takes it.

    Raises:
        counterfoil.tasks.foreign.errors.ForeignError: it cannot be understood.
        counterfoil.tasks.encoders.base.EncoderError: there is no such model.
    """
    from counterfoil.tasks.foreign.check import check_foreign
    from counterfoil.tasks.foreign.suspecting import open_suspecting

    suspecting = open_suspecting(encoder, cross_encoder)
    with _open(data, columns) as reading:
        return list(check_foreign(reading, domain, suspecting=suspecting))


def clean(
    data: Any,
    to: str | Path | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    domain: str = "",
    refine: bool = False,
) -> Any:
    """The same rows without the negatives that are true, with two columns of what was found of the others.

    Args:
        data, columns, domain: see `check`.
        to: where a path's rows are written, in its format; of a table, left out.
        refine: also drop what judges of the texts alone tell.

    Returns:
        What ``data`` is: a path, a `datasets.Dataset` or `DatasetDict`, a polars or a pandas table.

    Raises:
        counterfoil.tasks.foreign.errors.ForeignError: it cannot be understood, or ``to`` exists.
        ValueError: ``data`` is a path, and ``to`` is missing.
    """
    from counterfoil.tasks.foreign.clean import clean_foreign

    if isinstance(data, str | Path):
        if to is None:
            raise ValueError("name the file to write: clean(PATH, to=PATH)")
        with _open(data, columns) as reading:
            return clean_foreign(reading, Path(to), domain, refine=refine).to
    with tempfile.TemporaryDirectory(prefix="counterfoil-") as folder, _open(data, columns) as reading:
        name = "clean" if isinstance(data, Mapping) else "clean.parquet"
        made = clean_foreign(reading, Path(folder) / name, domain, refine=refine)
        return _read_like(data, made.to)


@contextmanager
def _open(data: Any, columns: Mapping[str, str] | None) -> Iterator[Reading]:
    from counterfoil.tasks.foreign.errors import ForeignError
    from counterfoil.tasks.foreign.groups import open_foreign

    if isinstance(data, str | Path):
        yield open_foreign(str(data), columns)
        return
    with tempfile.TemporaryDirectory(prefix="counterfoil-") as folder:
        # A DatasetDict is a folder of its splits.
        splits = isinstance(data, Mapping) and hasattr(data, "save_to_disk")
        path = Path(folder) / ("rows" if splits else "rows.parquet")
        write = getattr(data, "write_parquet", None) or getattr(data, "to_parquet", None)
        write = data.save_to_disk if splits else write
        if write is None:
            kinds = "a path, a datasets.Dataset or DatasetDict, a polars or a pandas table"
            raise TypeError(f"{kinds}, and not {type(data).__name__}")
        write(path)
        try:
            reading = open_foreign(str(path), columns)
        except ForeignError as error:
            # Nobody knows the file that the table was written to.
            raise ForeignError(str(error).replace(str(path), "the table")) from None
        yield reading


def _read_like(data: Any, path: Path) -> Any:
    package = type(data).__module__.partition(".")[0]
    if package == "polars":
        import polars

        return polars.read_parquet(path)
    if package == "pandas":
        import pandas

        return pandas.read_parquet(path)
    import datasets
    import pyarrow.parquet

    if path.is_dir():
        return datasets.load_from_disk(str(path), keep_in_memory=True)
    # Held in memory: the file goes with the call.
    return datasets.Dataset(pyarrow.parquet.read_table(path))
