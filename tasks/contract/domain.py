"""What a domain is: sources, anchors, families, and what it can tell of an anchor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

from counterfoil.storage.rows import Anchor, Reject
from counterfoil.tasks.contract.bounds import BOUNDS, Bounds
from counterfoil.tasks.contract.columns import Remark
from counterfoil.tasks.contract.context import Context, S
from counterfoil.tasks.contract.family import Family, Measure
from counterfoil.tasks.contract.verdict import Finding, Verdict
from counterfoil.tasks.contract.wording import Wording


class SourceError(Exception):
    """The input cannot be read. The message says what, where and what to do."""


@dataclass(frozen=True)
class SourceRow:
    """One row of a domain's input, before anything is made of it. ``payload`` is plain JSON data."""

    source: str
    source_id: str
    split: str
    payload: Mapping[str, Any]


def read_number(source_id: str, form: str = "{}") -> int:
    """The number of a row that is made up by number, whose ids have this form.

    >>> read_number("own-000012", "own-{:06d}")
    12

    Raises:
        ValueError: the id is not as such rows are called.
    """
    digits = re.search(r"[0-9]+$", source_id)
    if digits is None or form.format(int(digits[0])) != source_id:
        raise ValueError(f"no row is called {source_id!r}")
    return int(digits[0])


AnchorMaker = Callable[[SourceRow, Context[S]], Iterator[Anchor | Reject]]


@dataclass(frozen=True)
class Source(Generic[S]):
    """One kind of source: what a recipe writes as ``KIND:TARGET``, and how its rows are read and made anchors."""

    kind: str
    target: str
    """``PATH``, or ``N`` for a number of rows to make up."""
    describe: str
    read: Callable[[str, S, int, int | None], Iterator[SourceRow | Reject | Remark]]
    """From target, settings, seed and limit, streaming; a row that cannot be read is a `Reject`, and what is to be told
    of the source a `Remark`.

    Raises `SourceError` where the source itself cannot be read."""
    make_anchors: AnchorMaker[S]
    """The anchors of one row (one for a geometry problem, many for a granulated flowchart)."""
    anchors: tuple[str, str] = ("anchor", "anchors")
    """What its anchors are called where people read of them: one, several."""
    prompts: tuple[str, ...] = ()
    """Ids of the prompts that a language model answers for its anchors; where there are some, it needs an author."""
    splits: bool = False
    """Whether its rows name their split."""
    draw_split: Callable[[str, float, int], str] | None = None
    """The split that falls to a row of this id, by test_share and seed; None: to the group of each of its anchors."""
    options: tuple[str, ...] = ()
    """Settings keys that bear on this source alone."""
    number: Callable[[str, S, int], SourceRow] | None = None
    """The row of an id, by settings and seed, where rows are made up by number: `verify` makes its anchors again.

    Raises `ValueError` where no row has that id."""

    @property
    def form(self) -> str:
        """How a recipe writes it: ``geometry3k:PATH``."""
        return f"{self.kind}:{self.target}"


@dataclass(frozen=True)
class Question:
    """A question about an anchor whose answer follows from its verified facts."""

    kind: str
    text: str
    answer: str


def describe_yield(rows: int, anchors: int, rejected: Mapping[str, int]) -> str:
    """A line for the user on what became of the source's ``rows``; ``rejected`` counts rows by reason code."""
    refused = f"; set aside: {', '.join(f'{code} {n}' for code, n in rejected.items())}" if rejected else ""
    return f"{anchors:,} anchors of {rows:,} rows{refused}"


@dataclass(frozen=True)
class Domain(Generic[S]):
    """A domain. Everything outside it reaches it through these fields alone."""

    name: str
    version: int
    settings_type: type[S]
    sources: Mapping[str, Source[S]]
    families: Mapping[str, Family[S]]
    anchor_uses: tuple[str, ...]
    """Settings keys that decide the anchors' content (``families``, ``negatives`` never do)."""
    verify_anchor: Callable[[Anchor, Context[S]], Verdict]
    """Re-checks an anchor from its stored bytes alone."""
    refutes: Callable[[str, Anchor, Context[S]], bool | None]
    """Whether a text is false of an anchor, by the domain's own verifier: True where it is shown to be false (by a
    witness, a measurement, a contradiction), False where it is shown to be true, None else. To differ is not to be
    false."""
    questions: Callable[[Anchor], Sequence[Question]]
    """Questions with answers from the anchor's facts."""
    name_anchor: Callable[[Anchor, Context[S]], str | None] = lambda _anchor, _context: None
    """The id that an anchor has by its own content; None where that alone does not decide it."""
    changes: Measure[S] | None = None
    """What differs between a negative and its anchor, for all families that have no measure of their own (retrieval
    too); None: nothing measures it, and the column is null."""
    examine: Callable[[Sequence[tuple[str, Anchor]], Context[S]], Iterator[Finding]] | None = None
    """As ``refutes`` of each text and the anchor beside it, with the reason; a text is shown true also where it says
    the same as the anchor's own words, or less. For texts that others made; None: ``refutes`` alone is asked."""
    reword: Callable[[str, Anchor, Context[S]], Sequence[str]] | None = None
    """A text in other words, by the domain's own verifier, those first that are farthest from it; of such an anchor, or
    a near miss of it. For training on texts; None: nothing is put in other words."""
    judges: Callable[[Anchor], bool] = lambda _: True
    """Whether ``refutes`` decides most texts about such an anchor: not of photographs. What it leaves undecided is then
    no negative by default; where it does not, negatives stand by how near they may be, as ``undecided``."""
    shard_size: int = 256
    """Source rows in a shard, where the recipe does not say: so many that a shard is hundreds of rows."""
    bounds: Bounds = BOUNDS
    """What the making of one row may take; beyond it the row is a reject."""
    runs_scripts: bool = False
    """Whether it runs scripts in the sandbox: a run then probes one as it begins."""
    describe_yield: Callable[[int, int, Mapping[str, int]], str] = describe_yield
    verify_picture: Callable[[Anchor, Context[S]], Verdict] | None = None
    """Whether an anchor's picture is sound and is what its code or SVG draws, without its caption and facts; None for a
    domain without pictures. Retrieval asks it of the pictures that it finds."""
    example: Mapping[str, Any] = field(default_factory=dict)
    """The least of its section that makes a few rows of every family without keys, network or data: what golden
    digests are of."""
    card_tasks: tuple[str, ...] = ("other",)
    """The Hugging Face Hub's task categories that its datasets are for."""
    vocabulary: Callable[[], Mapping[str, object]] = dict
    """What its prompts are filled with that no row holds, such as the predicates that a model may write."""
    wording: Wording[S] | None = None
    """How it words single statements; None: it gets no families that judge a statement beside another."""
    traits: Callable[[Anchor], Mapping[str, str]] = lambda _: {}
    """What sort of thing an anchor is, for the report: a value by the name of each trait."""
    usual: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    """Shares of the values of each trait in sets that people made, by their names, to read beside."""
    retrieval: bool = True
    """Whether the family ``retrieval`` is made for it: other anchors' captions and pictures as negatives."""

    def find_source(self, settings: S) -> tuple[Source[S], str]:
        """The source that ``settings`` name, and its target.

        Raises:
            ValueError: no such kind, or no target; the message lists the kinds.
        """
        kind, _, target = settings.source.partition(":")
        source = self.sources.get(kind)
        if source is None or not target:
            allowed = ", ".join(each.form for each in self.sources.values())
            raise ValueError(f"{settings.source!r} is no source; allowed: {allowed}")
        if source.target == "N" and (not target.isdecimal() or int(target) < 1):
            raise ValueError(f"{settings.source!r}: N must be a whole number of at least 1, as in {kind}:200")
        return source, target

    def read(
        self, settings: S, seed: int, limit: int | None, tell: Callable[[str], None] | None = None
    ) -> Iterator[SourceRow | Reject]:
        """The rows of the source that ``settings`` name, streaming; a row that cannot be read is a `Reject`. ``tell``
        hears what its reader remarks.

        Raises:
            SourceError: the source itself cannot be read (what, where, what to do).
            ValueError: see `find_source`.
        """
        source, target = self.find_source(settings)
        found: Any = source.read(target, settings, seed, limit)
        return _tell_remarks(found, tell) if isinstance(found, Iterable) else found


def _tell_remarks(found: Iterable[Any], tell: Callable[[str], None] | None) -> Iterator[Any]:
    for row in found:
        if not isinstance(row, Remark):
            yield row
        elif tell is not None:
            tell(row.text)


def list_sources(sources: Sequence[Source[S]]) -> Mapping[str, Source[S]]:
    """The sources by kind, in order."""
    return {source.kind: source for source in sources}
