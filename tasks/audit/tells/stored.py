"""An audit's figures as JSON, and beside the dataset that they are about, for its report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter, ValidationError

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.reading import Snapshot
from counterfoil.tasks.audit.tells.measure import fingerprint_rows
from counterfoil.tasks.tells.measure import FamilyAudit

PATH = "audit.json"
"""Where the last audit lies in a dataset's folder."""
_DIGITS = 6
_AUDITS = TypeAdapter(list[FamilyAudit])


def describe_audits(audits: Sequence[FamilyAudit]) -> list[dict[str, Any]]:
    """Plain data of the figures, to six decimals."""
    plain: list[dict[str, Any]] = _round([asdict(audit) for audit in audits])
    return plain


def _round(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return {key: _round(each) for key, each in value.items()}
    return [_round(each) for each in value] if isinstance(value, list | tuple) else value


def keep_audits(dataset: Dataset, audits: Sequence[FamilyAudit]) -> None:
    """Write the figures beside the dataset; those of families that were not audited now stay."""
    known = set(dataset.snapshot().partitions("contrasts"))
    anew = {each.family for each in audits}
    kept = [each for each in _read(dataset) if each.family in known and each.family not in anew]
    plain = describe_audits(sorted([*kept, *audits], key=lambda each: (each.family, each.modality, each.beside)))
    dataset.store.write(PATH, (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode())


def find_audits(dataset: Dataset, snapshot: Snapshot) -> list[FamilyAudit]:
    """The figures that were kept of the rows as they are in ``snapshot``; those of older rows are left out."""
    return [each for each in _read(dataset) if each.rows == fingerprint_rows(snapshot, each.family)]


def _read(dataset: Dataset) -> list[FamilyAudit]:
    try:
        return _AUDITS.validate_json(dataset.store.read(PATH))
    except FileNotFoundError:
        return []
    except ValidationError:
        # Written by another version, or cut short: an audit is measured anew, never guessed.
        return []
