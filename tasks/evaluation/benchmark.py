"""A benchmark as its protocol reads it: what is shown, what is asked, and which files it came of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material, is_picture
from counterfoil.tasks.evaluation.probe import Probe
from counterfoil.tasks.evaluation.tasks import Choices, Retrieval

Task = Choices | Retrieval | Probe
_NAMED = 5


class MissingPicturesError(EvaluationError):
    """Pictures that a benchmark names are not there. ``names`` are all of them."""

    def __init__(self, benchmark: str, names: Sequence[str], total: int) -> None:
        self.names = tuple(names)
        some = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
        super().__init__(
            f"{benchmark}: {len(names)} of {total} pictures are not there: {some}. A score without them would be of "
            "another benchmark: put them next to the annotations, or name their folder with --images"
        )


@dataclass(frozen=True)
class Options:
    """What a user may say about how a benchmark is read."""

    images: Path | None = None
    """Folder of the pictures, where they are not beside the annotations."""
    split: str | None = None
    """Of our own datasets; left out: test where there is one."""
    instruction: str = ""
    """Put before each query of text retrieval, and before no document."""


@dataclass(frozen=True)
class DataFile:
    """A file that the benchmark was read from."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Layout:
    """Texts whose places in the plane are drawn: pairs that mean the same, and the field that each is worded in."""

    title: str
    nodes: tuple[tuple[int, int], ...]
    fields: tuple[tuple[str, str], ...]
    panels: tuple[str, ...]


@dataclass(frozen=True)
class Benchmark:
    """Everything of a benchmark but the systems that it is tried on."""

    name: str
    title: str
    protocol: str
    """The authors' rules, in a sentence or two."""
    material: Material
    tasks: tuple[Task, ...]
    files: tuple[DataFile, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader must know: parts that are absent, counts that are not the authors'."""
    layout: Layout | None = None

    def list_nodes(self) -> np.ndarray:
        """``int64``: all nodes that its tasks show, rising."""
        empty = np.zeros(0, dtype=np.int64)
        return np.unique(np.concatenate([empty, *(list_nodes_of(task) for task in self.tasks)]))

    def hash_data(self, *, pictures: bool) -> str:
        """SHA-256 of all that is shown; of the pictures only where they were looked at."""
        nodes = self.list_nodes()
        seen = [self.material.pictures[place] for place in (nodes[is_picture(nodes)] // 2).tolist() if pictures]
        shown = [_hash_picture(each.path, each.content, each.box) for each in seen]
        asked = [_describe_task(task) for task in self.tasks]
        return fingerprint(self.name, self.material.texts, shown, asked)


def hash_file(path: Path, base: Path) -> DataFile:
    """A file's SHA-256, under its name in the benchmark's folder."""
    name = path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name
    with path.open("rb") as opened:
        return DataFile(name, hashlib.file_digest(opened, "sha256").hexdigest())


def hash_files(paths: Iterable[Path], base: Path) -> tuple[DataFile, ...]:
    """`hash_file` of each."""
    return tuple(hash_file(path, base) for path in paths)


def list_nodes_of(task: Task) -> np.ndarray:
    """``int64``: all nodes that a task shows."""
    if isinstance(task, Choices):
        return np.unique(np.concatenate([task.query, task.candidate]))
    if isinstance(task, Retrieval):
        return np.unique(np.concatenate([task.query, task.documents]))
    return np.unique(np.concatenate([task.learn, task.judged]))


def _describe_task(task: Task) -> list[object]:
    if isinstance(task, Choices):
        return [task.name, task.item.tolist(), task.query.tolist(), task.candidate.tolist(), task.right.tolist()]
    if isinstance(task, Retrieval):
        relevant = [columns.tolist() for columns in task.relevant]
        return [task.name, task.query.tolist(), task.documents.tolist(), relevant]
    return [task.name, task.learn.tolist(), task.judged.tolist(), task.learnt.tolist(), task.truth.tolist()]


def _hash_picture(path: Path | None, content: bytes | None, box: tuple[int, int, int, int] | None) -> list[object]:
    if content is not None:
        return [hashlib.sha256(content).hexdigest(), box]
    assert path is not None
    return [hash_file(path, path.parent).sha256, box]
