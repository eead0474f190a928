"""Croissant metadata of an export of Parquet files (mlcommons.org/croissant/1.0), so that tools can load it unseen.

Columns of structs other than pictures (facts, edits, provenance) are left out: Croissant has no plain form for them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from counterfoil.storage.schemas import IMAGE

CONTEXT: Mapping[str, Any] = json.loads(Path(__file__).with_name("croissant_context.json").read_text(encoding="utf-8"))
_TYPES = {"string": "sc:Text", "int64": "sc:Integer", "double": "sc:Float"}


def write_croissant(
    folder: Path, name: str, licence: str, description: str, citation: str, docs: Mapping[str, str]
) -> str:
    """The JSON-LD for the Parquet files below ``folder``: a record set for each, with the file's SHA-256."""
    files, records = [], []
    for path in sorted(folder.rglob("*.parquet")):
        place = path.relative_to(folder).as_posix()
        with path.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        files.append(
            {
                "@type": "cr:FileObject",
                "@id": place,
                "name": place,
                "contentUrl": place,
                "contentSize": f"{path.stat().st_size} B",
                "encodingFormat": "application/x-parquet",
                "sha256": digest,
            }
        )
        records.append(_describe_records(place, pq.read_schema(path), docs))
    whole = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "description": description,
        "license": licence,
        "citeAs": citation,
        "isLiveDataset": False,
        "distribution": files,
        "recordSet": records,
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _describe_records(place: str, schema: pa.Schema, docs: Mapping[str, str]) -> dict[str, Any]:
    name = place.removesuffix(".parquet")
    fields = [_describe_field(name, place, column, docs) for column in schema]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"The rows of {place}.",
        "field": [field for field in fields if field is not None],
    }


def _describe_field(record: str, place: str, column: pa.Field, docs: Mapping[str, str]) -> dict[str, Any] | None:
    listed = pa.types.is_list(column.type)
    kind = column.type.value_type if listed else column.type
    source: dict[str, Any] = {"fileObject": {"@id": place}, "extract": {"column": column.name}}
    if kind == IMAGE and not listed:
        source["transform"] = {"jsonPath": "bytes"}
        data_type = "sc:ImageObject"
    elif str(kind) in _TYPES:
        data_type = _TYPES[str(kind)]
    else:
        return None
    field = {
        "@type": "cr:Field",
        "@id": f"{record}/{column.name}",
        "name": column.name,
        "description": docs.get(column.name, ""),
        "dataType": data_type,
        "source": source,
    }
    return field | ({"repeated": True} if listed else {})
