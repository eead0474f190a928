"""Contrasts that others made, before the judges that see one side alone (`counterfoil.tasks.tells`)."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from counterfoil.storage.rows import Anchor, Contrast, Image, Modality, content_id
from counterfoil.storage.schemas import TableName
from counterfoil.tasks.encoders.fluency import open_language_model
from counterfoil.tasks.foreign.groups import Group, Reading, check_some
from counterfoil.tasks.tells.measure import MOST_ANCHORS, MOST_PICTURES, FamilyAudit, audit_family

MOST_FAMILIES = 20
"""Of more kinds of negatives than these all are judged as one."""
_SHARD = re.compile(r"[-_.]\d+(?:-of-\d+)?$")
_BESIDE = {"caption": "anchor", "captions": "anchor and positives", "solution": "positive"}
"""What an anchor's texts are called here; `counterfoil.tasks.tells` has names for those of our own tables."""
_MOST_CONTRASTS = 16
"""Negatives of one anchor that are kept, of each kind: as many as judges of sets look at."""


@dataclass
class _Family:
    """A sample of one kind's anchors by the hashes of their texts, so that the order of rows does not matter."""

    name: str
    most: int
    seen: set[int] = field(default_factory=set)
    """Hashes of all anchors, 8 bytes each: rows of one anchor may lie anywhere in a file."""
    anchors: dict[str, Anchor] = field(default_factory=dict)
    against: dict[str, list[Contrast]] = field(default_factory=dict)
    _worst: list[tuple[int, str]] = field(default_factory=list)

    def add(self, group: Group) -> None:
        name = content_id("foreign", group.anchor)
        weight = int(name[:15], 16)
        self.seen.add(weight)
        if name not in self.anchors:
            if len(self.anchors) >= self.most and weight >= -self._worst[0][0]:
                return
            heapq.heappush(self._worst, (-weight, name))
            picture = Image(group.picture, "picture") if group.picture else None
            self.anchors[name] = Anchor(
                name, "foreign", "foreign", group.sharing, "train", picture, caption=group.anchor
            )
            if len(self.anchors) > self.most:
                _, gone = heapq.heappop(self._worst)
                del self.anchors[gone]
                self.against.pop(gone, None)
        if name in self.anchors:
            self._tell(name, group)

    def _tell(self, name: str, group: Group) -> None:
        anchor = self.anchors[name]
        said = tuple(dict.fromkeys([*(anchor.captions or (group.anchor,)), *group.positives]))
        self.anchors[name] = replace(
            anchor, captions=said, solution=anchor.solution or next(iter(group.positives), None)
        )
        rows = self.against.setdefault(name, [])
        for negative in group.negatives:
            modality: Modality = "image" if negative.picture else "text"
            shown = negative.text or None, Image(negative.picture, "picture") if negative.picture else None
            row = Contrast(name, self.name, "negative", modality, text=shown[0], image=shown[1], rank=len(rows))
            if len(rows) < _MOST_CONTRASTS and all((each.text, each.image) != shown for each in rows):
                rows.append(replace(row, contrast_id=content_id(name, *shown[:1], negative.picture, len(rows))))

    def scan(
        self,
        table: TableName,
        columns: Sequence[str] | None = None,
        *,
        batch_size: int = 8192,
        partition: str | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Of the rows what `counterfoil.tasks.tells` asks for."""
        del batch_size, partition
        rows: Sequence[Anchor | Contrast]
        rows = list(self.anchors.values()) if table == "anchors" else list(self.contrasts())
        if rows:
            yield pa.RecordBatch.from_pylist([{name: getattr(row, name) for name in columns or ()} for row in rows])

    def get_anchors(self, anchor_ids: Sequence[str], domain: str | None = None) -> Mapping[str, Anchor]:
        """Those of these ids."""
        del domain
        return {name: self.anchors[name] for name in anchor_ids}

    def contrasts(self, family: str | None = None, anchor_ids: Sequence[str] | None = None) -> Iterator[Contrast]:
        """The negatives, or those of these anchors."""
        del family
        for name in self.against if anchor_ids is None else anchor_ids:
            yield from self.against.get(name, ())


def audit_foreign(
    reading: Reading,
    *,
    most: int | None = None,
    with_pictures: bool = True,
    language_model: str | None = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> list[FamilyAudit]:
    """Judge each kind of negatives: as the file names kinds, else by its files.

    Args:
        most: anchors of a kind that are judged; left out, as `tasks.tells.measure` has it. Rows are streamed, and no
            more than these are held.
        language_model: one that judges texts too (`counterfoil.tasks.encoders.fluency.open_language_model`).

    Raises:
        ForeignError: there are no negatives.
        EncoderError, MissingPackageError: there is no such language model, or what it needs is not installed.
    """
    read = open_language_model(language_model).measure if language_model else None
    has_pictures = with_pictures and any("negative_picture" in each.columns for each in reading.layouts.values())
    limit = most or (min(MOST_ANCHORS, MOST_PICTURES // 4) if has_pictures else MOST_ANCHORS)
    name_kind = _choose_names(reading)
    families: dict[str, _Family] = {}
    for group in reading.read(with_pictures=has_pictures):
        if group.negatives:
            name = name_kind(group)
            families.setdefault(name, _Family(name, limit)).add(group)
        progress("rows read", 1, 0)
    check_some(reading, len(families))
    found = []
    for name, family in sorted(families.items()):

        def tell(judges: int, name: str = name) -> None:
            progress(f"{name}: judges", 1, judges)

        for each in audit_family(
            family, name, most=limit, name=content_id(sorted(family.anchors)), pixels=True, read=read, tell=tell
        ):
            found.append(replace(each, having=len(family.seen), beside=_BESIDE.get(each.beside, each.beside)))
    return found


def _choose_names(reading: Reading) -> Callable[[Group], str]:
    """How kinds of negatives are called: what the file says, else its name."""
    stems = {path: _SHARD.sub("", path.stem) for path in reading.files}
    by_file = len(set(stems.values())) <= MOST_FAMILIES
    kinds: set[str] = set()
    for count, group in enumerate(reading.read()):
        kinds.add(group.kind)
        if count == 5000 or len(kinds) > MOST_FAMILIES:
            break
    by_kind = 1 < len(kinds) <= MOST_FAMILIES
    known = frozenset(kinds)

    def name(group: Group) -> str:
        if by_kind:
            return (group.kind if group.kind in known else "other kinds") or "no kind"
        return stems[group.row.file] if by_file else reading.target.stem

    return name
