"""Whether negatives that others made are negatives: false of whatever their anchor is true of, by the words alone.

Each is put before the verifiers of the domain that its text is of: captions of photographs, or statements of
mathematics. ``proved``: what differs makes it false. ``true``: it says what the anchor or a positive says, or less.
``open``: neither can be shown, which is so of most free text; it is no guess.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any, Literal

from counterfoil.storage.rows import Anchor, View, fingerprint
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.contract.verdict import Finding
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.foreign.errors import ForeignError
from counterfoil.tasks.foreign.groups import Group, Negative, Reading, check_some
from counterfoil.tasks.foreign.suspecting import Suspecting, Suspicion

Standing = Literal["proved", "true", "open"]
VERSION = 5
"""Of what is found of a text: a file of findings of another version is not gone on with."""
_STATEMENT = re.compile(r"\$|\\[a-zA-Z]+|[∀∃→ℝℕℤℚℂ≤≥]|\b(?:theorem|lemma)\s|[<>=]\s*-?\d")
_LOOKED_AT = 200
_AT_ONCE = 64
"""Anchors that are judged together: so many captions are parsed at once."""
_PLAIN: Mapping[bool | None, str] = {
    True: "it contradicts the anchor, or an instance refutes it",
    False: "it says the same in other words, or follows",
    None: "nothing decides it",
}


@dataclass(frozen=True, slots=True)
class Found:
    """What is shown of one negative."""

    file: str
    row: int
    """From 1, in its file."""
    column: str
    place: int | None
    """Its place in the column's list."""
    anchor: str
    negative: str
    standing: Standing
    why: str
    if_same: str = ""
    """Of what is open: what makes it false wherever it speaks of the same thing as the anchor. No proof: a picture of a
    dog may hold a cat as well."""
    similarity: float | None = None
    """By the model that was named (`tasks.foreign.suspecting`): a reason to look, no grade."""
    suspicion: float | None = None

    @property
    def where(self) -> tuple[str, int, str, int | None]:
        """The cell that it is about."""
        return self.file, self.row, self.column, self.place


def choose_domain(reading: Reading) -> str:
    """The domain that most of a file's first texts are of: ``theorem`` where they are formulas, else ``caption``."""
    seen = [bool(_STATEMENT.search(group.anchor)) for group, _ in zip(reading.read(), range(_LOOKED_AT), strict=False)]
    return "theorem" if sum(seen) > len(seen) / 2 else "caption"


def check_foreign(
    reading: Reading,
    domain: str = "",
    *,
    suspecting: Suspecting | None = None,
    keep: Path | None = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Iterator[Found]:
    """What is shown of each negative, in the file's order.

    Args:
        domain: ``caption`` or ``theorem``; left out, what most texts are of.
        suspecting: a model that scores each negative, beside what is shown of it.
        keep: a JSONL file of what is found; one that an earlier check of the same file left unfinished is gone on with.

    Raises:
        ForeignError: there are no negatives, or ``keep`` holds something else.
    """
    name = domain or choose_domain(reading)
    files = [(reading.name_file(each), each.stat().st_size) for each in reading.files]
    model = suspecting.name if suspecting else ""
    head = fingerprint(VERSION, name, files, reading.describe()[1], model)
    done = 0
    if keep is not None and keep.exists() and keep.stat().st_size:
        _mend(keep, head)
        for each in read_findings(keep):
            done += 1
            yield each
    found = _examine(reading, load_domain(name), suspecting, done, progress)
    if keep is None:
        yield from found
        return
    keep.parent.mkdir(parents=True, exist_ok=True)
    # Nothing is left of a file of which nothing can be judged.
    first = next(found, None)
    if first is None:
        return
    with keep.open("a", encoding="utf-8") as file:
        if not keep.stat().st_size:
            file.write(json.dumps({"findings": head}) + "\n")
        for each in chain((first,), found):
            file.write(json.dumps(asdict(each), ensure_ascii=False) + "\n")
            yield each


def read_findings(kept: Path) -> Iterator[Found]:
    """What a check found, one by one, in the order of the rows.

    Raises:
        ForeignError: the file holds something else.
    """
    with kept.open("rb") as file:
        file.readline()
        try:
            for line in file:
                yield Found(**json.loads(line))
        except (ValueError, TypeError) as error:
            raise ForeignError(f"{kept} holds no findings of a check ({error}): name another file") from error


def _mend(keep: Path, head: str) -> None:
    """Take off a last line that was cut, of what an earlier check of the same rows found."""
    with keep.open("rb") as file:
        first = file.readline(len(head) + 64)
    # Before anything is cut off: it may be the very file that is checked.
    if first.rstrip(b"\n") != json.dumps({"findings": head}).encode():
        other = first.startswith(b'{"findings": ')
        what = "findings of another file or of other columns" if other else "no findings of a check"
        raise ForeignError(f"{keep} exists and holds {what}: name another file")
    with keep.open("rb+") as file:
        whole = sum(len(line) for line in file if line.endswith(b"\n"))
        file.truncate(whole)


def _examine(
    reading: Reading,
    domain: Domain[Any],
    suspecting: Suspecting | None,
    done: int,
    progress: Callable[[str, int, int], None],
) -> Iterator[Found]:
    context = _open_context(domain)
    count = 0
    groups = reading.read(with_pictures=suspecting is not None and suspecting.sees)
    # Always the same ones together, wherever it goes on.
    while some := list(islice(groups, _AT_ONCE)):
        asked = [(group, negative) for group in some for negative in group.negatives if negative.text]
        before, count = count, count + len(asked)
        if count > done:
            anchors = {id(group): make_anchor(group, domain.name) for group in some}
            texts = [(negative.text, anchors[id(group)]) for group, negative in asked]
            scored = chain.from_iterable(suspecting.score(some)) if suspecting else repeat(None, len(asked))
            found = zip(asked, _judge(texts, domain, context), scored, strict=True)
            for (group, negative), finding, score in islice(found, max(0, done - before), None):
                yield _tell(reading, group, negative, finding, score)
        progress("negatives checked", len(asked), 0)
    check_some(reading, count)


def _tell(reading: Reading, group: Group, negative: Negative, finding: Finding, score: Suspicion | None) -> Found:
    standing: Standing = "open" if finding.false is None else "proved" if finding.false else "true"
    return Found(
        reading.name_file(group.row.file),
        group.row.number,
        negative.column,
        negative.place,
        group.anchor,
        negative.text,
        standing,
        finding.why,
        finding.if_same,
        score.similarity if score else None,
        score.suspicion if score else None,
    )


def make_anchor(group: Group, domain: str) -> Anchor:
    """An anchor of which nothing is known but texts that are true of it."""
    said = tuple(dict.fromkeys([group.anchor, *group.positives]))
    views = tuple(View(name, group.anchor) for name in ("informal", "lean_signature"))
    return Anchor(
        "foreign", domain, "foreign", group.sharing, "train", caption=group.anchor, captions=said, views=views
    )


def _judge(asked: Sequence[tuple[str, Anchor]], domain: Domain[Any], context: Context[Any]) -> Iterator[Finding]:
    if domain.examine is not None:
        yield from domain.examine(asked, context)
        return
    for text, anchor in asked:
        false = False if text in anchor.captions else domain.refutes(text, anchor, context)
        yield Finding(false, _PLAIN[false])


def _open_context(domain: Domain[Any]) -> Context[Any]:
    kind = next(iter(domain.sources))
    return Context(domain.settings_type(source=f"{kind}:1"), 0, MemoRenderer())
