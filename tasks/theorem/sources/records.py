"""Statements in JSON lines: pairs of an informal and a Lean form, mathlib's, nodes of blueprints, problems."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil.storage.plain import parse_json
from counterfoil.storage.rows import Reject
from counterfoil.tasks.contract.columns import Columns, Remark
from counterfoil.tasks.contract.domain import SourceError, SourceRow
from counterfoil.tasks.theorem.settings import TheoremSettings

LONGEST = 6000
_INFORMAL = (
    "informal",
    "informal_statement",
    "informal_description",
    "informal_prefix",
    "informal_stmt",
    "nl_statement",
    "natural_language",
    "statement",
    "latex",
    "text",
    "problem",
    "question",
)
_REPHRASED = ("rephrasing", "rephrased", "paraphrase")
_FORMAL = ("formal", "formal_statement", "lean", "lean_statement", "lean_code", "lean4", "signature")
_TYPES = ("type", "lean_type")
_NAMES = ("name", "id", "full_name", "label", "title")
_ANSWERS = ("answer", "solution_answer", "final_answer")
_OTHERS = ("split", "module", "module_name")


def read_pairs(
    path: str, settings: TheoremSettings, seed: int, limit: int | None
) -> Iterator[SourceRow | Reject | Remark]:
    """Rows with an informal statement, a Lean one, or both.

    Raises:
        SourceError: the file cannot be read.
    """
    del seed
    yield from _number(_read(Path(path), "pairs", settings), limit)


def read_problems(
    path: str, settings: TheoremSettings, seed: int, limit: int | None
) -> Iterator[SourceRow | Reject | Remark]:
    """Informal statements alone: JSON lines, or plain text with a blank line between statements.

    Raises:
        SourceError: the file cannot be read.
    """
    del seed
    file = Path(path)
    if file.suffix in (".jsonl", ".json"):
        yield from _number(_read(file, "problems", settings), limit)
        return
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{file}: cannot be read: {error}; give a text file in UTF-8, or JSON lines") from error
    parts = [each for each in re.split(r"\n\s*\n", text) if each.strip()]
    yield from _number(
        (_make_row("problems", {"informal": each}, f"{i}", settings) for i, each in enumerate(parts, 1)), limit
    )


def _read(file: Path, kind: str, settings: TheoremSettings) -> Iterator[SourceRow | Reject | Remark]:
    """One row for each line; a JSON file may hold one list. Of a folder, a file that cannot be read is one reject."""
    found = (each for each in file.rglob("*") if each.suffix in (".jsonl", ".lean")) if file.is_dir() else [file]
    files = sorted(found)
    if not files:
        raise SourceError(f"{file}: the folder holds no .jsonl file and no .lean file")
    columns = Columns((*_INFORMAL, *_REPHRASED, *_FORMAL, *_TYPES, *_NAMES, *_ANSWERS, *_OTHERS))
    for each in files:
        try:
            if each.suffix == ".lean":
                yield from _read_lean(each, kind, settings)
            else:
                yield from _read_lines(each, kind, settings, columns)
        except SourceError as error:
            if each == file:
                raise
            yield _reject(each.name, f"file_unreadable: {error}", each.name)


def _read_lines(
    file: Path, kind: str, settings: TheoremSettings, columns: Columns
) -> Iterator[SourceRow | Reject | Remark]:
    try:
        with file.open(encoding="utf-8-sig") as opened:
            first = opened.read(1)
            opened.seek(0)
            lines: Iterator[str] = iter(opened)
            if first == "[" and file.suffix != ".jsonl":
                lines = (json.dumps(row) for row in parse_json(opened.read()))
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield from _read_line(line, f"{file.name}:{number}", kind, settings, columns)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise SourceError(f"{file}: cannot be read: {error}; give JSON lines in UTF-8") from error


_DECLARED = re.compile(
    r"(?:/--(?P<doc>(?:(?!-/).)*)-/\s*)?(?:@\[[^\]]*\]\s*)?^(?:@\[[^\]]*\]\s*)?(?:(?:private|protected|nonrec) +)*"
    r"(?P<said>(?:theorem|lemma)\s+(?P<name>[^\s({\[:]+).*?)(?=^(?:@\[|/--|/-!|[a-z]+ )|\Z)",
    re.DOTALL | re.MULTILINE,
)


def _read_lean(file: Path, kind: str, settings: TheoremSettings) -> Iterator[SourceRow | Reject]:
    """The theorems of a Lean file, each with the comment before it as its words; proofs and definitions are left out.

    Raises:
        SourceError: the file cannot be read.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{file}: cannot be read: {error}; give Lean source in UTF-8") from error
    for match in _DECLARED.finditer(text):
        said = _cut_proof(re.sub(r"--[^\n]*", "", match["said"]))
        where = f"{file.name}:{text.count(chr(10), 0, match.start('said')) + 1}"
        yield _make_row(kind, {"informal": match["doc"] or "", "formal": said, "name": match["name"]}, where, settings)


def _cut_proof(source: str) -> str:
    """A declaration up to its ``:=`` outside of all brackets."""
    depth = 0
    for match in re.finditer(r"[(\[{⟨]|[)\]}⟩]|:=", source):
        if match[0] == ":=" and not depth:
            return source[: match.start()].strip()
        depth += (match[0] in "([{⟨") - (match[0] in ")]}⟩")
    return source.strip()


def _read_line(
    line: str, where: str, kind: str, settings: TheoremSettings, columns: Columns
) -> Iterator[SourceRow | Reject | Remark]:
    try:
        data = parse_json(line)
    except ValueError as error:
        yield _reject(where, f"bad_json: {error}", line)
        return
    if not isinstance(data, Mapping):
        yield _reject(where, "bad_record: not an object with 'informal' or 'formal'", line)
        return
    yield from columns.see(data, where)
    yield _make_row(kind, data, where, settings)


def _make_row(kind: str, data: Mapping[str, Any], where: str, settings: TheoremSettings) -> SourceRow | Reject:
    raw = json.dumps(data, ensure_ascii=False)
    informal, formal, lean_type = (_find(data, names) for names in (_INFORMAL, _FORMAL, _TYPES))
    name = _name(data)
    if kind == "problems":
        formal = ""
    informal = clean_informal(informal)
    if not informal and not formal and not lean_type:
        known = ", ".join(sorted(map(str, data))[:8])
        return _reject(where, f"no_statement: neither 'informal' nor 'formal'; there are: {known}", raw)
    long = max(len(informal), len(formal), len(lean_type), len(_find(data, _REPHRASED)))
    if long > LONGEST:
        return _reject(where, f"too_long: {long:,} characters, over {LONGEST:,}", raw)
    module = _dot(data.get("module_name") or data.get("module") or "")
    second = module.split(".")[1] if "." in module else ""
    if second and second not in settings.modules:
        return _reject(where, f"other_module: {module} is none of the modules that are read", raw)
    split = str(data.get("split") or "").lower()
    split = {"valid": "val", "validation": "val"}.get(split, split)
    answer = _find(data, _ANSWERS)
    payload = {
        "informal": informal,
        "formal": formal.strip(),
        "type": lean_type.strip(),
        "rephrasing": clean_informal(_find(data, _REPHRASED)),
        "answer": answer,
        "name": name,
    }
    # The name alone is not enough: two books number their exercises alike.
    source_id = f"{name or where}-{hashlib.sha256(raw.encode()).hexdigest()[:8]}"
    return SourceRow(kind, source_id, split, payload)


def clean_informal(text: str) -> str:
    """One line without Lean's comment marks, wiki markup and stray spaces.

    >>> clean_informal("/-- Let $x$ be a [[real number]].\\n-/")
    'Let $x$ be a real number.'
    """
    text = text.strip().replace("\u00a0", " ")
    text = re.sub(r"^\s*/--?|-+/\s*$", "", text)
    text = re.sub(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]", r"\1", text)
    text = re.sub(r"</?(?:center|div|br|p)\b[^>]*>", " ", text)
    text = re.sub(r"''+", "", text)
    text = re.sub(r"^\s*\(Hungary\)", "", text)
    return re.sub(r"\s+", " ", text).strip()


def _find(data: Mapping[str, Any], names: Sequence[str]) -> str:
    for name in names:
        value = data.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _name(data: Mapping[str, Any]) -> str:
    value = next((data[name] for name in _NAMES if data.get(name)), "")
    return _dot(value)


def _dot(value: Any) -> str:
    """mathlib_informal writes names as lists of their parts."""
    return ".".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _reject(where: str, reason: str, raw: str) -> Reject:
    return Reject("theorem.anchor", (reason,), source="pairs", source_id=where, raw=raw[:2000])


def _number(rows: Iterator[SourceRow | Reject | Remark], limit: int | None) -> Iterator[SourceRow | Reject | Remark]:
    """At most ``limit`` rows, and the rejects and remarks on the way there; a row that is there twice is there once."""
    count = 0
    seen: set[str] = set()
    for row in rows:
        if limit is not None and count >= limit:
            return
        if isinstance(row, SourceRow):
            if row.source_id in seen:
                yield _reject(
                    row.source_id, "repeated: the row is in the source already", json.dumps(dict(row.payload))
                )
                continue
            seen.add(row.source_id)
            count += 1
        yield row
