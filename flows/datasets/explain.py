"""`counterfoil explain`: everything about one row, from the tables alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.syntax import Syntax

from counterfoil.flows.datasets.versions import open_dataset
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.grades import MEANINGS, name_grade
from counterfoil.storage.rows import Anchor, Contrast, Provenance, Reject
from counterfoil.tasks.engine.history import find_run
from counterfoil.tasks.showing.terminal import join_lines


def explain_row(url: str, row_id: str, out: Console) -> None:
    """Print the row whose id starts with ``row_id``, or that came of that source row, its anchor, and how it was made.

    Raises:
        StorageError: no row, or several, have that id.
    """
    dataset = open_dataset(url)
    row = dataset.find_row(row_id)
    if isinstance(row, Anchor):
        _explain_anchor(row, out)
        _list_contrasts(dataset, row.anchor_id, out)
    elif isinstance(row, Contrast):
        _explain_contrast(row, out)
        _explain_anchor(_anchor_of(dataset, row.anchor_id), out)
    else:
        _explain_reject(row, out)
        if row.anchor_id and row.contrast:
            _explain_anchor(_anchor_of(dataset, row.anchor_id), out)
    _explain_run(dataset, out)


def describe_row(url: str, row_id: str) -> dict[str, Any]:
    """The row and its anchor as plain data; a picture is its name and its size in bytes.

    Raises:
        StorageError: no row, or several, have that id.
    """
    dataset = open_dataset(url)
    row = dataset.find_row(row_id)
    contrast = row.contrast if isinstance(row, Reject) else row if isinstance(row, Contrast) else None
    anchor = row if isinstance(row, Anchor) else _anchor_of(dataset, contrast.anchor_id) if contrast else None
    told = {"kind": type(row).__name__.lower(), "row": asdict(row), "anchor": asdict(anchor) if anchor else None}
    plain: dict[str, Any] = _without_bytes(told)
    return plain


def _without_bytes(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_bytes(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_bytes(each) for each in value]
    return len(value) if isinstance(value, bytes) else value


def _anchor_of(dataset: Dataset, anchor_id: str) -> Any:
    return dataset.find_row(anchor_id)


def _explain_anchor(anchor: Anchor, out: Console) -> None:
    out.rule(f"anchor {anchor.anchor_id}")
    _print_fields(
        out,
        domain=anchor.domain,
        source=f"{anchor.source}, row {anchor.source_id}, split {anchor.split}",
        caption=anchor.caption,
        question=anchor.question,
        answer=anchor.answer,
        solution=anchor.solution,
        picture=_describe_picture(anchor.image),
        facts="\n".join(str(fact) for fact in anchor.facts),
        views="\n".join(f"{view.name}: {view.text}" for view in anchor.views) or None,
        group=anchor.group,
    )
    _explain_provenance(anchor.provenance, out)
    _print_code(anchor.code, anchor.code_language, out)


def _explain_contrast(contrast: Contrast, out: Console) -> None:
    out.rule(f"contrast {contrast.contrast_id or '(rejected)'}")
    _print_fields(
        out,
        family=f"{contrast.family} ({contrast.role} {contrast.modality}, rank {contrast.rank})",
        anchor=contrast.anchor_id,
        text=contrast.text,
        grade=_tell_grade(contrast.grade),
        edits="\n".join(f"{edit.kind}: {edit.target!r} -> {edit.replacement!r}" for edit in contrast.edits),
        checks="\n".join(contrast.checks),
        picture=_describe_picture(contrast.image),
        similarity=contrast.similarity,
        concreteness=contrast.concreteness,
    )
    _explain_provenance(contrast.provenance, out)
    _print_code(contrast.code, None, out)


def _tell_grade(grade: str | None) -> str:
    name = name_grade(grade)
    return f"{name}: {MEANINGS[name]}"


def _explain_reject(reject: Reject, out: Console) -> None:
    out.rule(f"reject {reject.reject_id} of {reject.family}")
    _print_fields(
        out,
        reasons="\n".join(reject.reasons),
        source=f"{reject.source}, row {reject.source_id}",
        anchor=reject.anchor_id,
        source_row=reject.source_row,
        raw=reject.raw,
    )
    if reject.contrast is not None:
        _explain_contrast(reject.contrast, out)
    else:
        _explain_provenance(reject.provenance, out)


def _list_contrasts(dataset: Dataset, anchor_id: str, out: Console) -> None:
    out.rule("its contrasts")
    for each in dataset.snapshot().contrasts_of(anchor_id):
        text = join_lines((each.text or "")[:100])
        line = f"{each.contrast_id}  {each.family}  {each.rank}  {name_grade(each.grade)}  {text}"
        out.print(line, markup=False, highlight=False)


def _explain_run(dataset: Dataset, out: Console) -> None:
    metadata = find_run(dataset)
    out.rule("the run")
    _print_fields(
        out,
        code_version=metadata.get("code_version"),
        sandbox_level=metadata.get("sandbox_level"),
        finished_at=metadata.get("finished_at"),
        seed=(metadata.get("recipe") or {}).get("dataset", {}).get("seed"),
    )


def _explain_provenance(provenance: Provenance, out: Console) -> None:
    _print_fields(out, **{key: value for key, value in asdict(provenance).items() if value not in (None, "")})


def _print_code(code: str | None, language: str | None, out: Console) -> None:
    if code:
        shown = Syntax(code, language or ("mermaid" if code.startswith("flowchart") else "python"), word_wrap=True)
        # Set in, so that no line of it can pass for one of ours.
        out.print(Padding(shown, (0, 0, 0, 2)))


def _print_fields(out: Console, **fields: Any) -> None:
    for name, value in fields.items():
        if value is None or value == "":
            continue
        text = str(value).replace("\n", "\n" + " " * 16)
        out.print(f"[bold]{name:<15}[/] {escape(text)}", highlight=False, soft_wrap=True)


def _describe_picture(image: Any) -> str | None:
    return f"{image.path}, {len(image.bytes)} bytes" if image is not None else None
