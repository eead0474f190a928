"""The Arrow schemas of the three tables, and rows to tables and back without loss.

Images are ``struct<bytes: binary, path: string>``, which Hugging Face ``datasets`` shows as pictures. The partition
column (``domain`` or ``family``) is in every table in memory; on disk it is in the path alone, as Delta wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Literal, cast, overload

import pyarrow as pa

from counterfoil.storage.errors import StorageError
from counterfoil.storage.plain import read_toml
from counterfoil.storage.rows import (
    Anchor,
    Contrast,
    Edit,
    Fact,
    Image,
    Provenance,
    Reject,
    View,
    fingerprint,
    keep_storable,
)

TableName = Literal["anchors", "contrasts", "rejects"]
Row = Anchor | Contrast | Reject

TABLES: tuple[TableName, ...] = ("anchors", "contrasts", "rejects")
PARTITION_COLUMN: Mapping[str, str] = {"anchors": "domain", "contrasts": "family", "rejects": "family"}
ID_COLUMN: Mapping[str, str] = {"anchors": "anchor_id", "contrasts": "contrast_id", "rejects": "reject_id"}

IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
FACTS = pa.list_(pa.struct([("predicate", pa.string()), ("arguments", pa.list_(pa.string())), ("value", pa.string())]))
EDITS = pa.list_(pa.struct([("kind", pa.string()), ("target", pa.string()), ("replacement", pa.string())]))
VIEWS = pa.list_(pa.struct([("name", pa.string()), ("text", pa.string())]))
PROVENANCE = pa.struct(
    [
        ("author", pa.string()),
        ("model", pa.string()),
        ("prompt_id", pa.string()),
        ("prompt_sha256", pa.string()),
        ("request_sha256", pa.string()),
        ("seed", pa.int64()),
        ("attempts", pa.int64()),
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("cost_usd", pa.float64()),
        ("code_version", pa.string()),
    ]
)

DOCS: Mapping[str, str] = read_toml(Path(__file__).with_name("columns.toml"))


def _describe_columns(columns: Iterable[tuple[str, pa.DataType]]) -> pa.Schema:
    return pa.schema([pa.field(name, kind, metadata={"description": DOCS[name]}) for name, kind in columns])


_DIGEST = ("digest", pa.string())
_CONTRAST_COLUMNS: tuple[tuple[str, pa.DataType], ...] = (
    ("contrast_id", pa.string()),
    ("anchor_id", pa.string()),
    ("family", pa.string()),
    ("role", pa.string()),
    ("modality", pa.string()),
    ("rank", pa.int64()),
    ("text", pa.string()),
    ("image", IMAGE),
    ("vector", pa.string()),
    ("code", pa.string()),
    ("edits", EDITS),
    ("concreteness", pa.float64()),
    ("similarity", pa.float64()),
    ("checks", pa.list_(pa.string())),
    ("provenance", PROVENANCE),
    ("grade", pa.string()),
    ("witness", pa.string()),
    ("changes", pa.list_(pa.string())),
)

ANCHORS = _describe_columns(
    [
        ("anchor_id", pa.string()),
        ("domain", pa.string()),
        ("source", pa.string()),
        ("source_id", pa.string()),
        ("split", pa.string()),
        ("image", IMAGE),
        ("vector", pa.string()),
        ("caption", pa.string()),
        ("captions", pa.list_(pa.string())),
        ("code", pa.string()),
        ("code_language", pa.string()),
        ("question", pa.string()),
        ("answer", pa.string()),
        ("solution", pa.string()),
        ("facts", FACTS),
        ("group", pa.string()),
        ("provenance", PROVENANCE),
        ("views", VIEWS),
        ("steps", pa.int64()),
        _DIGEST,
    ]
)
CONTRASTS = _describe_columns([*_CONTRAST_COLUMNS, _DIGEST])
REJECTS = _describe_columns(
    [
        ("reject_id", pa.string()),
        *_CONTRAST_COLUMNS,
        ("reasons", pa.list_(pa.string())),
        ("source", pa.string()),
        ("source_id", pa.string()),
        ("source_row", pa.string()),
        ("raw", pa.string()),
        _DIGEST,
    ]
)
SCHEMAS: Mapping[str, pa.Schema] = {"anchors": ANCHORS, "contrasts": CONTRASTS, "rejects": REJECTS}


def to_table(rows: Iterable[Row], kind: TableName) -> pa.Table:
    """The rows as an Arrow table with the columns of ``SCHEMAS[kind]``, in the order given.

    A reject's contrast is flattened into the columns that a contrast has; `from_table` puts it together again. The
    two share one provenance column: the reject's own, or its contrast's where the reject has the default one.

    Raises:
        StorageError: a row is of another kind, or a value does not fit its column.
    """
    encode, expected = _ENCODERS[kind]
    encoded = []
    for position, row in enumerate(rows):
        if not isinstance(row, expected):
            raise StorageError(f"row {position} of {kind} is a {type(row).__name__}, not a {expected.__name__}")
        encoded.append(encode(row))
    try:
        return add_digests(pa.Table.from_pylist(encoded, schema=SCHEMAS[kind]))
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError, UnicodeEncodeError) as error:
        raise StorageError(f"a row of {kind} does not fit its schema: {error}") from error


def add_digests(table: pa.Table) -> pa.Table:
    """The table, or batch, with the digest of each row as it is now."""
    digests = pa.array([digest_row(row) for row in table.to_pylist()], _DIGEST[1])
    return table.set_column(table.schema.get_field_index(_DIGEST[0]), table.schema.field(_DIGEST[0]), digests)


def find_altered(table: pa.Table) -> list[int]:
    """The rows, from 0, that are not as their digest says; what an older version wrote has none, and is passed over."""
    return [
        number
        for number, row in enumerate(table.to_pylist())
        if row[_DIGEST[0]] is not None and row[_DIGEST[0]] != digest_row(row)
    ]


def digest_row(row: Mapping[str, Any]) -> str:
    """SHA-256 of all other columns of a row as Arrow gives them, as 64 hex digits.

    What is null does not enter, so that a column of later leaves it as it is; bytes enter by their own SHA-256
    (`counterfoil.storage.rows.fingerprint`).

    >>> digest_row({"text": "a", "code": None, "digest": "b"}) == digest_row({"text": "a"})
    True
    """
    return fingerprint({name: value for name, value in row.items() if value is not None and name != _DIGEST[0]})


@overload
def from_table(table: pa.Table | pa.RecordBatch, kind: Literal["anchors"]) -> list[Anchor]: ...
@overload
def from_table(table: pa.Table | pa.RecordBatch, kind: Literal["contrasts"]) -> list[Contrast]: ...
@overload
def from_table(table: pa.Table | pa.RecordBatch, kind: Literal["rejects"]) -> list[Reject]: ...
def from_table(table: pa.Table | pa.RecordBatch, kind: TableName) -> list[Any]:
    """The dataclasses of a table or batch with all of its columns; the inverse of `to_table`."""
    return list(_decode(table, kind))


def _decode(table: pa.Table | pa.RecordBatch, kind: TableName) -> Iterator[Row]:
    missing = [name for name in SCHEMAS[kind].names if name not in table.schema.names]
    if missing:
        raise StorageError(f"cannot make {kind} of a table without the columns {', '.join(missing)}")
    decode = _DECODERS[kind]
    for values in table.drop_columns([_DIGEST[0]]).to_pylist():
        yield decode(values)


def _encode_anchor(row: Row) -> dict[str, Any]:
    anchor = cast(Anchor, row)
    return {
        **_encode_fields(anchor, Anchor),
        "image": _encode_image(anchor.image),
        "captions": list(anchor.captions),
        "facts": [{"predicate": f.predicate, "arguments": list(f.arguments), "value": f.value} for f in anchor.facts],
        "views": [asdict(view) for view in anchor.views],
        "provenance": asdict(anchor.provenance),
    }


def _encode_contrast(row: Row) -> dict[str, Any]:
    contrast = cast(Contrast, row)
    return {
        **_encode_fields(contrast, Contrast),
        "image": _encode_image(contrast.image),
        "edits": [asdict(edit) for edit in contrast.edits],
        "checks": list(contrast.checks),
        "changes": None if contrast.changes is None else list(contrast.changes),
        "provenance": asdict(contrast.provenance),
    }


def _encode_reject(row: Row) -> dict[str, Any]:
    reject = cast(Reject, row)
    contrast = reject.contrast
    anchor_id = reject.anchor_id if contrast is None else contrast.anchor_id
    if contrast is not None and (contrast.family != reject.family or reject.anchor_id not in (None, anchor_id)):
        raise StorageError(
            f"a reject of {reject.family} for anchor {reject.anchor_id} holds a contrast of "
            f"{contrast.family} for anchor {contrast.anchor_id}: they must agree"
        )
    shared = contrast is not None and reject.provenance == Provenance()
    return {
        **(_encode_contrast(contrast) if contrast else {}),
        "reject_id": reject.reject_id,
        "family": reject.family,
        "anchor_id": anchor_id,
        "reasons": [keep_storable(reason) for reason in reject.reasons],
        "source": reject.source,
        "source_id": reject.source_id,
        "source_row": _keep_storable(reject.source_row),
        "raw": _keep_storable(reject.raw),
        "provenance": asdict(contrast.provenance if contrast is not None and shared else reject.provenance),
    }


def _keep_storable(text: str | None) -> str | None:
    return keep_storable(text) if text is not None else None


def _encode_fields(row: Row, kind: type) -> dict[str, Any]:
    return {field.name: getattr(row, field.name) for field in fields(kind)}


def _encode_image(image: Image | None) -> dict[str, Any] | None:
    return {"bytes": image.bytes, "path": image.path} if image is not None else None


def _decode_anchor(values: dict[str, Any]) -> Anchor:
    return Anchor(
        **{
            **values,
            "image": _decode_image(values["image"]),
            "captions": tuple(values["captions"]),
            "facts": tuple(Fact(f["predicate"], tuple(f["arguments"]), f["value"]) for f in values["facts"]),
            # Tables of before have no views, and null where they were written beside some that have.
            "views": tuple(View(**view) for view in values["views"] or ()),
            "provenance": Provenance(**values["provenance"]),
        }
    )


def _decode_contrast(values: dict[str, Any]) -> Contrast:
    return Contrast(
        **{
            **values,
            "image": _decode_image(values["image"]),
            "edits": tuple(Edit(**edit) for edit in values["edits"]),
            "checks": tuple(values["checks"]),
            "changes": None if values["changes"] is None else tuple(values["changes"]),
            "provenance": Provenance(**values["provenance"]),
        }
    )


def _decode_reject(values: dict[str, Any]) -> Reject:
    contrast = None
    if values["role"] is not None:
        contrast = _decode_contrast({name: values[name] for name, _ in _CONTRAST_COLUMNS})
    return Reject(
        family=values["family"],
        reasons=tuple(values["reasons"]),
        source=values["source"],
        source_id=values["source_id"],
        anchor_id=values["anchor_id"],
        contrast=contrast,
        source_row=values["source_row"],
        raw=values["raw"],
        provenance=Provenance(**values["provenance"]),
    )


def _decode_image(value: dict[str, Any] | None) -> Image | None:
    return Image(value["bytes"], value["path"]) if value is not None else None


_ENCODERS: Mapping[str, tuple[Callable[[Row], dict[str, Any]], type]] = {
    "anchors": (_encode_anchor, Anchor),
    "contrasts": (_encode_contrast, Contrast),
    "rejects": (_encode_reject, Reject),
}
_DECODERS: Mapping[str, Callable[[dict[str, Any]], Row]] = {
    "anchors": _decode_anchor,
    "contrasts": _decode_contrast,
    "rejects": _decode_reject,
}
