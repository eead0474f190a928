"""The two anchors that a composite shows: stored in its code but for their pictures, which are cut out of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from counterfoil.storage.rows import Anchor, Fact, Image, Provenance, View
from counterfoil.tasks.composite.picture import Size, cut_apart, join_pictures, read_pixels, write_pixels
from counterfoil.tasks.composite.saying import join_captions, list_readings, name_places
from counterfoil.tasks.composite.settings import CompositeSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.contract.memo import Memo
from counterfoil.tasks.contract.verdict import CheckError

LANGUAGE = "composite"
"""The code language of composites."""
_LEFT_OUT = ("image", "group", "split", "provenance")
_REMEMBERED = 4096


@dataclass(frozen=True)
class Composite:
    """Two anchors of one domain in one picture."""

    halves: tuple[Anchor, Anchor]
    """Left and right, or top and bottom; without pictures where they were read from code."""
    sizes: tuple[Size, Size]
    beside: bool
    first: int
    """Whose caption comes first."""
    placed: bool
    """Whether the caption says where each half is."""

    @property
    def places(self) -> tuple[str, str] | None:
        return name_places(self.beside) if self.placed else None

    @property
    def captions(self) -> tuple[str, str]:
        return self.halves[0].caption or "", self.halves[1].caption or ""

    def say(self, captions: Sequence[str], first: int | None = None) -> str:
        """These captions of the halves as one text."""
        return join_captions(captions, self.first if first is None else first, self.places)

    def write(self) -> str:
        """All but the pixels, as JSON in one form."""
        plain = {
            "beside": self.beside,
            "first": self.first,
            "placed": self.placed,
            "sizes": self.sizes,
            "halves": [write_half(each) for each in self.halves],
        }
        return json.dumps(plain, ensure_ascii=False, sort_keys=True)


def read_composite(anchor: Anchor) -> Composite:
    """The composite of an anchor, each half with its picture cut out of the anchor's.

    Raises:
        CheckError: code or picture is no composite's, or the picture has pixels that are no half's.
    """
    return _read.recall(lambda: _open(anchor), anchor.code or "", anchor.image.bytes if anchor.image else b"")


def _open(anchor: Anchor) -> Composite:
    try:
        plain = json.loads(anchor.code or "")
        one, other = (read_half(each) for each in plain["halves"])
        (a, b), (c, d) = plain["sizes"]
        found = Composite((one, other), ((a, b), (c, d)), plain["beside"], plain["first"], plain["placed"])
        sound = found.write() == anchor.code and found.first in (0, 1)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CheckError(f"halves_read: the code is no composite: {error}") from error
    if not sound:
        raise CheckError("halves_read: the code holds more than a composite, or is written otherwise")
    try:
        joined = read_pixels(anchor.image.bytes if anchor.image else b"")
    except OSError as error:
        raise CheckError("picture_joined: the row has no picture that can be read") from error
    cut = cut_apart(joined, found.sizes, found.beside)
    shapes = [(each.shape[1], each.shape[0]) for each in cut]
    assert anchor.image is not None
    if shapes != list(found.sizes) or write_pixels(join_pictures(cut, found.beside)) != anchor.image.bytes:
        raise CheckError("picture_joined: the picture is not its two halves on white and nothing else")
    shown = [
        replace(half, image=Image(write_pixels(each), f"{half.anchor_id}.png"))
        for half, each in zip(found.halves, cut, strict=True)
    ]
    return replace(found, halves=(shown[0], shown[1]))


_read = Memo[Composite](64)


def write_half(half: Anchor) -> Mapping[str, Any]:
    plain = {name: value for name, value in asdict(half).items() if name not in _LEFT_OUT and value not in (None, ())}
    made = half.provenance
    return plain | {"made": [made.author, made.model, made.seed]}


def read_half(plain: Mapping[str, Any]) -> Anchor:
    author, model, seed = plain["made"]
    own = {name: value for name, value in plain.items() if name != "made"}
    facts = tuple(Fact(each["predicate"], tuple(each["arguments"]), each["value"]) for each in own.pop("facts", ()))
    views = tuple(View(each["name"], each["text"]) for each in own.pop("views", ()))
    captions = tuple(own.pop("captions", ()))
    made = Provenance(author=author, model=model, seed=seed)
    return Anchor(split="", facts=facts, views=views, captions=captions, provenance=made, **own)


class Halves:
    """The domains of the halves, reached through the registry alone."""

    def __init__(self, load: Callable[[str], Domain[Any]]) -> None:
        self.load = load
        self._refuted = Memo[bool | None](_REMEMBERED)

    def find(self, half: Anchor, context: Context[CompositeSettings]) -> tuple[Domain[Any], Context[Any]]:
        """A half's domain and what its makers and verifiers are given, by the seed of the run that made it."""
        domain = self.load(half.domain)
        return domain, self.open(domain, context, half.provenance.seed)

    def open(self, domain: Domain[Any], context: Context[CompositeSettings], seed: int) -> Context[Any]:
        """The context of a domain's own makers and verifiers."""
        settings = read_settings(domain, context.settings)
        return Context(settings, seed, context.renderer, bounds=domain.bounds, code_version=context.code_version)

    def refutes(self, text: str, half: Anchor, context: Context[CompositeSettings]) -> bool | None:
        """Whether a text is false of a half, by the half's own reader."""
        domain, own = self.find(half, context)
        picture = half.image.bytes if half.image else b""
        return self._refuted.recall(
            lambda: domain.refutes(text, half, own),
            text,
            half.anchor_id,
            picture,
            half.code,
            half.captions,
            own.settings.model_dump_json(),
        )

    def contradicts(self, text: str, half: Anchor, context: Context[CompositeSettings]) -> bool:
        """Whether a text that nobody can decide is false wherever it speaks of the same thing as a half's captions."""
        domain, own = self.find(half, context)
        wording = domain.wording
        return wording is not None and wording.contradicts is not None and wording.contradicts(text, half, own)

    def share_names(self, one: Anchor, other: Anchor) -> bool:
        """Whether two halves call things by one name, so that only their places tell which is meant."""
        wording = self.load(one.domain).wording
        return wording is not None and bool(wording.names(one.caption or "") & wording.names(other.caption or ""))

    def split(self, text: str, half: Anchor) -> Sequence[str]:
        """The sentences of a text, as the half's domain ends them."""
        wording = self.load(half.domain).wording
        assert wording is not None
        return wording.split(text)

    def refutes_all(self, text: str, anchor: Anchor, context: Context[CompositeSettings]) -> bool | None:
        """Whether a text is false of a composite however it is read: of every reading one part is false of its half."""
        try:
            shown = read_composite(anchor)
        except CheckError:
            return None
        readings = list_readings(text, name_places(shown.beside), lambda said: self.split(said, shown.halves[0]))
        found: list[bool | None] = []
        for parts in readings:
            false = [self.refutes(part, half, context) for part, half in zip(parts, shown.halves, strict=True)]
            if not any(each is not False for each in false):
                return False
            found.append(True if True in false else None)
        return True if found and None not in found else None


def read_settings(domain: Domain[Any], settings: CompositeSettings) -> Any:
    """A half's own section: its defaults, and what ``sections`` says.

    Raises:
        ValueError: it says what the domain's section may not.
    """
    own = settings.sections.get(domain.name, {})  # type: ignore[call-overload]
    return domain.settings_type.model_validate({"source": "procedural:1"} | dict(own))
