"""The dataset card of an export: README.md with the YAML front matter that Hugging Face reads."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

from counterfoil.storage.changes import UNMEASURED, ChangeTally
from counterfoil.storage.grades import MEANINGS, OPEN, name_grade, order_grades, tell_grades
from counterfoil.storage.hub import CITATION
from counterfoil.storage.reading import Counts
from counterfoil.storage.samples import Sample
from counterfoil.storage.schemas import DOCS, SCHEMAS, TableName
from counterfoil.storage.triplets import TRIPLET_DOCS, TRIPLETS

_PRIVATE = ("host", "pid", "user", "path", "cwd")
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass
class Tally:
    """What an export counts while rows pass by, for the card."""

    splits: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    """(table, partition) to split to rows."""
    kinds: dict[str, Counter[str]] = field(default_factory=dict)
    """Family to "role modality" to rows."""
    sources: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(domain, source) to anchors."""
    checks: dict[str, Counter[str]] = field(default_factory=dict)
    """Family to check to the contrasts that passed it."""
    grades: dict[str, Counter[str]] = field(default_factory=dict)
    """Family to grade to contrasts."""
    changes: dict[str, ChangeTally] = field(default_factory=dict)
    """Family to what its negatives change."""
    authors: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(author, model) to rows."""

    def count_grades(self) -> dict[str, int]:
        """Grade to contrasts of all families, the surest first."""
        return order_grades(sum(self.grades.values(), Counter()))

    def add(self, table: str, partition: str, row: Mapping[str, Any]) -> None:
        """Count one row of ``table``, of which at least the columns that are counted are given."""
        if table == "anchors":
            self.sources[(partition, row["source"])] += 1
        if table == "contrasts":
            self.kinds.setdefault(partition, Counter())[f"{row['role']} {row['modality']}"] += 1
            self.grades.setdefault(partition, Counter())[name_grade(row["grade"])] += 1
            self.checks.setdefault(partition, Counter()).update(row["checks"] or ())
            changes = self.changes.setdefault(partition, ChangeTally(partition.partition(".")[0]))
            changes.add(row["role"], row["changes"])
        self.authors[(row["provenance"]["author"], row["provenance"]["model"] or "")] += 1


LIES_PATH = "lies.json"
"""Where a dataset keeps what `python -m benchmarks.lies DATASET --keep` found."""


@dataclass(frozen=True)
class CardFacts:
    """All that a card tells."""

    title: str
    licence: str
    source_licences: Mapping[str, str]
    format: str
    pictures: str
    counts: Counts
    versions: Mapping[str, int]
    runs: Sequence[Mapping[str, Any]]
    descriptions: Mapping[str, str]
    tables: tuple[TableName, ...]
    tally: Tally
    samples: Sequence[Sample] = ()
    tasks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Domain to the Hub's task categories."""
    lies: Mapping[str, Any] = field(default_factory=dict)
    """What `benchmarks.lies` found of the dataset, where it was asked (`LIES_PATH`)."""


def write_card(facts: CardFacts) -> str:
    """The card as Markdown. It depends on the dataset alone: exporting again gives the same text."""
    parts = [_write_front_matter(facts), f"# {facts.title}\n", describe_dataset(facts) + "\n", _show_samples(facts)]
    parts += [
        _tabulate_anchors(facts),
        _tabulate_families(facts),
        _tabulate_grades(facts),
        _tabulate_changes(facts),
        _tabulate_checks(facts),
        _tabulate_gate(facts),
        _tabulate_rejects(facts),
    ]
    parts += [_tell_how_to_load(facts), LIMITS, _tell_licences(facts), _tell_making(facts), _tabulate_columns(facts)]
    parts += [f"## Citation\n\n```bibtex\n{CITATION}\n```\n"]
    return "\n".join(part for part in parts if part)


def _write_front_matter(facts: CardFacts) -> str:
    rows = sum(facts.counts.anchors.values()) + sum(facts.counts.contrasts.values())
    size = next((name for limit, name in _SIZES if rows < limit), "n>1M")
    tasks = dict.fromkeys(task for domain in facts.counts.anchors for task in facts.tasks.get(domain, ("other",)))
    lines = [
        "---",
        f"pretty_name: {json.dumps(facts.title)}",
        f"license: {json.dumps(facts.licence)}",
        "language: [en]",
        "tags: [hard-negatives, contrastive-learning, counterfoil]",
        f"size_categories: [{json.dumps(size)}]",
        f"task_categories: [{', '.join(tasks)}]",
    ]
    if facts.format != "webdataset":
        lines.append("configs:")
        for name, paths in list_configs(facts).items():
            lines += [f"- config_name: {json.dumps(name)}", "  data_files:"]
            for split, globs in paths.items():
                lines += [f"  - split: {json.dumps(split)}", f"    path: {json.dumps(globs)}"]
    return "\n".join([*lines, "---", ""])


def list_configs(facts: CardFacts) -> dict[str, dict[str, list[str]]]:
    """Config to split to file patterns: one config per table, and one per family."""
    configs: dict[str, dict[str, list[str]]] = {}
    for (table, partition), splits in sorted(facts.tally.splits.items()):
        names = (table,) if table != "contrasts" else (table, partition)
        for split in sorted(splits):
            for name in names:
                configs.setdefault(name, {}).setdefault(split, []).append(f"{table}/{partition}/{split}-*.parquet")
    return configs


def describe_dataset(facts: CardFacts) -> str:
    """The dataset in one paragraph."""
    anchors, grades = sum(facts.counts.anchors.values()), facts.tally.count_grades()
    left = {grade: count for grade, count in grades.items() if grade in OPEN}
    shown = sum(grades.values()) - sum(left.values())
    apart = (
        f"Another {tell_grades(left)} are not shown to be what their role says: leave them out by `grade`. "
        if left
        else ""
    )
    return (
        f"{anchors:,} anchors (positives) and {shown:,} contrasts (their hard negatives and hard positives). "
        f"A contrast is here only if it passed the checks that its `checks` column names. {apart}"
        f"{_HOW_JOINED[facts.format]} Pictures are {facts.pictures}."
    )


_HOW_JOINED = {
    "hf": "Join the two on `anchor_id`.",
    "triplets": "Each row is an anchor with lists of its negatives and positives.",
    "webdataset": "Each sample is a picture with a text; a contrast's sample has one of the two from its anchor.",
}


def _show_samples(facts: CardFacts) -> str:
    """One anchor of each domain beside a negative of it."""
    if not facts.samples:
        return ""
    rows = []
    for sample in facts.samples:
        shown = f"![negative]({sample.negative_picture})" if sample.negative_picture else ""
        told = f"`{sample.family}` {escape_markdown(sample.negative_text or '')}" if sample.family else ""
        rows.append((f"![anchor]({sample.picture})", escape_markdown(sample.caption), shown, told))
    return "## Samples\n\n" + _tabulate(("anchor", "its caption", "hard negative", "family and text"), rows)


def escape_markdown(text: str) -> str:
    """Foreign text as Markdown shows it letter by letter.

    >>> escape_markdown("<b>*A*</b>")
    '&lt;b&gt;&#42;A&#42;&lt;/b&gt;'
    """
    return re.sub(r"[&<>\\`*_\[\]#!$~]", lambda match: _ENTITIES.get(match[0], f"&#{ord(match[0])};"), text)


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def _tabulate_grades(facts: CardFacts) -> str:
    """How far the contrasts are shown to be what their role says: what nobody proved is not passed off as proved."""
    grades = facts.tally.count_grades()
    if not grades:
        return ""
    rows = [
        (f"`{family}`", *(f"{found[grade]:,}" if found[grade] else "" for grade in grades))
        for family, found in sorted(facts.tally.grades.items())
    ]
    meanings = "".join(f"- `{grade}`: {MEANINGS[grade]}\n" for grade in grades)
    return "## Grades\n\n" + _tabulate(("family", *grades), rows) + "\n" + meanings


def _tabulate_changes(facts: CardFacts) -> str:
    """What the negatives change, where that is measured."""
    measured = {family: each for family, each in sorted(facts.tally.changes.items()) if {*each.kinds} - {UNMEASURED}}
    if not measured:
        return ""
    rows = [(f"`{family}`", f"{each.negatives:,}", each.describe()) for family, each in measured.items()]
    return (
        "## What the negatives change\n\nMeasured on what was drawn or written; one negative may change several kinds "
        "(the column `changes`).\n\n" + _tabulate(("family", "negatives", "change"), rows)
    )


def _tabulate_checks(facts: CardFacts) -> str:
    rows = [
        (f"`{family}`", ", ".join(f"`{name}`" for name in sorted(checks)))
        for family, checks in sorted(facts.tally.checks.items())
    ]
    if not rows:
        return ""
    return "## Checks\n\nWhat the contrasts of each family passed.\n\n" + _tabulate(("family", "checks"), rows)


def _tabulate_gate(facts: CardFacts) -> str:
    """What the newest run says that blind judges found of the families of negatives that are here."""
    gate: Mapping[str, Any] = next((run["gate"] for run in facts.runs if run.get("gate")), {})
    rows = []
    for family, found in sorted(gate.get("families", {}).items()):
        if family not in facts.counts.contrasts:
            continue
        for look in found["looks"] if not found["unjudged"] else ():
            shares = (_tell_share(look.get(key)) for key in ("told", "picked", "fluent"))
            verdict = f"{found['verdict']}, inverted" if look.get("inverted") else found["verdict"]
            rows.append((f"`{family}`", look["beside"], f"{look['anchors']:,}", *shares, verdict))
        if found["unjudged"]:
            rows.append((f"`{family}`", "", "", found["unjudged"], "", "", ""))
    if not rows:
        return ""
    return (
        "## Blind judges\n\nBlind accuracy is how often a judge that sees one side alone recognises the negative next "
        "to its anchor (chance: 50 %). An anchor is identified in its set if a judge that sees the whole set, without "
        "the question, names it. Likelier is how often a language model finds the anchor's text likelier. All are "
        "measured on a sample, with 95 % intervals. `over`: the whole interval lies more than "
        f"{100 * (gate['limit'] - 0.5):.0f} points over chance. `inverted`: some judges are wrong more often than "
        "chance allows, which is as much of a cue.\n\n"
        + _tabulate(
            ("family", "compared with", "anchors", "blind accuracy", "identified in its set", "likelier", "limit"), rows
        )
    )


def _tell_share(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "–"
    share, low, high, chance = (f"{100 * found[key]:.1f}" for key in ("share", "low", "high", "chance"))
    return f"{share} % ({low} to {high}, chance {chance})"


LIMITS = """## Limits

- A check proves what it measures: that a claim holds or fails on what was drawn, that two graphs differ, that certain
  words changed. What no check looks at may still be wrong; no person has read every row.
- A model that does well on these negatives has learnt these differences, not every difference that matters.
- Where a language model wrote rows, its habits are in them; `provenance` says which.
- A negative is one of its own anchor. It may be true of another anchor: use `group` to keep equal ones out of a batch.
"""


def _tabulate_anchors(facts: CardFacts) -> str:
    rows = [(domain, source, f"{count:,}") for (domain, source), count in sorted(facts.tally.sources.items())]
    splits = [
        (domain, split, f"{count:,}")
        for domain, found in sorted(facts.counts.splits.items())
        for split, count in found.items()
    ]
    return (
        "## Anchors\n\n"
        + _tabulate(("domain", "source", "anchors"), rows)
        + "\n"
        + _tabulate(("domain", "split", "anchors"), splits)
    )


def _tabulate_families(facts: CardFacts) -> str:
    rows = []
    for family, count in facts.counts.contrasts.items():
        anchors = facts.counts.anchors.get(family.partition(".")[0], 0)
        kinds = ", ".join(sorted(facts.tally.kinds.get(family, {})))
        each = f"{count / anchors:.2f}" if anchors else ""
        rows.append((f"`{family}`", kinds, f"{count:,}", each, facts.descriptions.get(family, "")))
    return "## Families\n\n" + _tabulate(("family", "what", "contrasts", "per anchor", "how"), rows)


def _tabulate_rejects(facts: CardFacts) -> str:
    rows = [
        (f"`{family}`", f"`{code}`", f"{count:,}")
        for family, codes in sorted(facts.counts.reasons.items())
        for code, count in codes.items()
    ]
    if not rows:
        return ""
    where = "the `rejects` config" if "rejects" in facts.tables else "the dataset's `rejects` table, not in this export"
    return f"## Thrown away\n\nKept, with the reasons, in {where}.\n\n" + _tabulate(("family", "reason", "times"), rows)


def _tell_how_to_load(facts: CardFacts) -> str:
    family = next(iter(facts.counts.contrasts), "contrasts")
    split = next((s for (t, p), c in sorted(facts.tally.splits.items()) for s in sorted(c) if p == family), "train")
    if facts.format == "triplets":
        body = (
            "```python\nfrom datasets import load_dataset\n\n"
            'rows = load_dataset("PATH", "triplets")  # PATH: this folder\n'
            'row = rows["train"][0]  # image, caption, negative_captions, negative_images, ...\n```\n'
        )
    elif facts.format == "hf":
        body = (
            "```python\nfrom datasets import load_dataset\n\n"
            'anchors = load_dataset("PATH", "anchors")      # PATH: this folder\n'
            f'contrasts = load_dataset("PATH", "contrasts")  # all families; one alone by its name: "{family}"\n```\n'
        )
    else:
        body = (
            "One sample per row, its key the row's id: `.png` or `.jpg` the picture, `.txt` the text, `.json` the "
            "other columns. A contrast takes what it lacks from its anchor: `picture_of` and `text_of` in `.json` say "
            "what. "
            "One folder per domain or family.\n\n"
            '```python\nimport webdataset\n\nsamples = webdataset.WebDataset("PATH/contrasts/'
            f'{family}/{split}-000000.tar").decode("pil")\n```\n'
        )
    return "## How to load it\n\n" + body


def _tell_licences(facts: CardFacts) -> str:
    sources = sorted({source for _, source in facts.tally.sources})
    rows = [(f"`{source}`", facts.source_licences.get(source, "not stated: look it up")) for source in sources]
    return (
        f"## Licences\n\nThis dataset: `{facts.licence}`. Questions, captions and pictures derive from the sources, "
        "whose licences hold for them; a language model's terms may hold for what it wrote.\n\n"
        + _tabulate(("source", "licence"), rows)
    )


def _tell_making(facts: CardFacts) -> str:
    authors = [(author, model or "", f"{count:,}") for (author, model), count in sorted(facts.tally.authors.items())]
    versions = ", ".join(f"`{table}` {version}" for table, version in facts.versions.items())
    runs = "".join(
        "```json\n"
        + json.dumps(_drop_private(run), indent=2, sort_keys=True, ensure_ascii=False, default=str)
        + "\n```\n"
        for run in facts.runs
        if run
    )
    return (
        "## How it was made\n\nBy Counterfoil: each row is made, then "
        "checked again from its stored bytes by code that knows nothing of how it was made.\n\n"
        + _tabulate(("author", "model", "rows"), authors)
        + f"\nTable versions: {versions}.\n\n"
        + _tell_lies(facts)
        + runs
    )


def _tell_lies(facts: CardFacts) -> str:
    """What `verify` catches: measured on this dataset, and of the other domains what the package was measured by."""
    own: Mapping[str, Any] = facts.lies.get("domains", {})
    rows = [
        (name, "this dataset", found["visible"], f"{found['refused']} of {found['honest']:,}")
        for name, found in own.items()
    ]
    measured = read_measured()
    rows += [
        (
            each["domain"],
            f"{each['rows']}, version {measured['version']}",
            each,
            f"{each['refused']} of {each['honest']:,}",
        )
        for each in measured["lies"]
        if each["domain"] in facts.counts.anchors and each["domain"] not in own
    ]
    if not rows:
        return ""
    head = ("domain", "measured on", "lies caught, 95 % interval", "honest rows refused")
    told = "Lies were planted in a copy, with ids and digests made anew, and `counterfoil verify` was asked:\n\n"
    return f"{told}{_tabulate(head, [(name, where, _bound(share), ok) for name, where, share, ok in rows])}\n"


def _bound(share: Mapping[str, Any]) -> str:
    low, high = (f"{100 * share[key]:.1f}" for key in ("low", "high"))
    return f"{share['caught']} of {share['planted']} ({low} to {high} %)"


@lru_cache(maxsize=1)
def read_measured() -> Mapping[str, Any]:
    """What share of planted lies `counterfoil verify` of this version caught, by domain (`benchmarks.lies`)."""
    found: Mapping[str, Any] = json.loads(files("counterfoil.storage").joinpath("measured.json").read_text("utf-8"))
    return found


def _tabulate_columns(facts: CardFacts) -> str:
    parts = ["## Columns\n"]
    schemas = {"triplets": TRIPLETS} if facts.format == "triplets" else {name: SCHEMAS[name] for name in facts.tables}
    for table, schema in schemas.items():
        rows = [(f"`{name}`", {**DOCS, **TRIPLET_DOCS}[name]) for name in schema.names]
        parts.append(f"### {table}\n\n" + _tabulate(("column", "meaning"), rows))
    return "\n".join(parts)


def _tabulate(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    lines += [
        f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in row)} |" for row in rows
    ]
    return "\n".join(lines) + "\n"


def _drop_private(value: Any) -> Any:
    """Metadata without what names a machine or a person's folders: a card is published."""
    if isinstance(value, Mapping):
        return {key: _drop_private(each) for key, each in value.items() if key not in _PRIVATE}
    return value
