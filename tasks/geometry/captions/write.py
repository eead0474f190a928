r"""Captions from facts alone, after the rules of MMCLIP Fig. 7: exact, nothing inferred, and as people write them.

A caption states every relational fact and every mark of the figure. A number that the picture does not show
(``markings = false``) is not in the caption either. Each thing is called by any of its names alike (AB and BA, ABC and
BCA), so that a name's order tells nothing. `plan` says in which order claims come; here they become sentences, in one
of three registers. Each caption is read back, and one that does not read as what it was to state is not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.atoms import ClaimError
from counterfoil.tasks.geometry.captions.mentions import Claims
from counterfoil.tasks.geometry.captions.plan import ORDERS, REGISTERS, Register, arrange, join_kin
from counterfoil.tasks.geometry.captions.read import parse_claims
from counterfoil.tasks.geometry.captions.select import is_part, select_claims
from counterfoil.tasks.geometry.captions.templates import UNNAMED_CIRCLE, CaptionStyle
from counterfoil.tasks.geometry.captions.wordings import (
    SAYS,
    Wording,
    choose_wording,
    find_owner,
    list_owned,
    list_wordings,
    word_claims,
)
from counterfoil.tasks.geometry.facts.names import list_spellings
from counterfoil.tasks.geometry.facts.predicates import BARE, PREDICATES, SHAPES
from counterfoil.tasks.geometry.figure.claims import list_meanings
from counterfoil.tasks.geometry.figure.scene import Scene

_LISTED = 0.85
"""How often numbers in a row are written in signs, as a list."""
_COLON = 0.25
_AHEAD = 5
"""From how many of the clauses that follow a sentence takes its next."""
_SHORT = 4
"""Words of clauses that are joined without a comma."""
_TRIES = 4
"""Captions that are tried for one that is wanted: what does not read back, or was written before, falls."""
_SAFE = Register("safe", signs=0.5, together=0.0, opened=0.0, owned=0.0, joined=0.0, longest=1, words=0)


def write_caption(facts: Sequence[Fact], rng: np.random.Generator, style: CaptionStyle = "latex") -> str:
    """One caption of a figure with these facts (drawn and relational); empty where there is nothing to state."""
    captions = write_captions(facts, rng, 1, style)
    return captions[0] if captions else ""


def write_captions(
    facts: Sequence[Fact], rng: np.random.Generator, count: int = 3, style: CaptionStyle = "latex"
) -> tuple[str, ...]:
    """Up to ``count`` captions with the same claims, of other plans and registers; fewer where the words run out."""
    given = list(facts)
    claims = select_claims(given, rng)
    if not claims:
        return ()
    scene = Scene.from_facts(given)
    meaning = list_meanings(claim for clause in claims for claim in clause)
    registers, orders = rng.permutation(len(REGISTERS)), rng.permutation(len(ORDERS))
    captions: dict[str, None] = {}
    for at in range(_TRIES * count):
        if len(captions) == count:
            break
        register = REGISTERS[registers[at % len(registers)]]
        order = ORDERS[orders[(at + at // len(orders)) % len(orders)]]
        text = _write(claims, order, register, scene, rng, style)
        if _reads_as(text, meaning):
            captions[text] = None
    for _ in range(0 if captions else _TRIES):
        captions[_write(claims, "sorts", _SAFE, scene, rng, style)] = None
        if len(captions) == count:
            break
    return tuple(captions)


def _reads_as(text: str, meaning: frozenset[Fact]) -> bool:
    try:
        return list_meanings(parse_claims(text)) == meaning
    except ClaimError:
        return False


def respell(claims: Claims, rng: np.random.Generator) -> Claims:
    """The same claims with each thing under one of its names, all equally likely."""
    return tuple(spellings[int(rng.integers(len(spellings)))] for spellings in map(list_spellings, claims))


def _write(
    clauses: Sequence[Claims],
    order: str,
    register: Register,
    scene: Scene,
    rng: np.random.Generator,
    style: CaptionStyle,
) -> str:
    arranged = join_kin(arrange(clauses, order, rng), register.together, rng)
    writer = _Writer([respell(claims, rng) for claims in arranged], register, scene, rng, style)
    return " ".join(map(str, writer.write()))


@dataclass
class _Sentence:
    """Clauses, and what each says in passing of the thing that it speaks of."""

    parts: list[str]
    """Clauses that stand beside each other."""
    subject: frozenset[str] = frozenset()
    """The letters of the polygon or the circle that the sentence is about."""
    head: Wording | None = None
    said: list[Claims] = field(default_factory=list)
    lead: str = ""
    """``In square ABCD, ``."""
    signs: bool = False
    """Whether its last clause is in signs."""
    leaning: str = ""
    """The frame of what was said last in passing; with ``such that`` what follows hangs on it."""
    before: frozenset[str] = frozenset()
    """The letters that earlier sentences name."""

    @property
    def names(self) -> frozenset[str]:
        """The letters of what was said last."""
        return _list_names(self.said[-1]) if self.said else frozenset()

    @property
    def ends_in_list(self) -> bool:
        """Whether its last words are ``respectively``, on which nothing can hang."""
        return self.parts[-1].endswith("respectively")

    def brings(self, point: str) -> bool:
        """Whether the last clause that is no place is the first to name a point, and says nothing of where it lies:
        that may then be said in passing."""
        at = max((at for at, each in enumerate(self.said) if not _is_placed(each)), default=-1)
        if at < 0 or self.said[at][0].predicate in SHAPES | {"on_circle"}:
            return False
        known = self.before.union(*map(_list_names, self.said[:at]), *map(_places_point, self.said[at:]))
        return point in _list_names(self.said[at]) - known

    def add(self, text: str, signs: bool) -> None:
        """Another clause beside those before."""
        self.parts.append(text)
        self.signs, self.leaning = signs, ""

    def append(self, joint: str, text: str, frame: str, signs: bool = False) -> None:
        """What hangs on the last clause."""
        self.parts[-1] += f"{joint}{text}"
        self.signs, self.leaning = signs, frame

    def __str__(self) -> str:
        *most, last = self.parts
        short = all(len(part.split()) <= _SHORT for part in self.parts)
        joint = " and " if short else ", and "
        return f"{capitalise(self.lead + (', '.join(most) + joint if most else '') + last)}."


@dataclass
class _Writer:
    """Clauses in their order, on their way to sentences."""

    left: list[Claims]
    register: Register
    scene: Scene
    rng: np.random.Generator
    style: CaptionStyle

    def __post_init__(self) -> None:
        claims = [claim for each in self.left for claim in each]
        self.polygons = {frozenset(claim.arguments) for claim in claims if claim.predicate in SHAPES}
        self.circles = {
            name
            for claim in claims
            for i, name in enumerate(claim.arguments)
            if PREDICATES[claim.predicate].role(i) == "c"
        }

    def write(self) -> list[_Sentence]:
        """All of it."""
        sentences: list[_Sentence] = []
        while self.left:
            # ``Let ABC be a triangle. AM is its median.`` is two sentences of which the second says nothing alone.
            spoken = bool(sentences) and not sentences[-1].parts[0].startswith(SAYS)
            sentence = self._begin(sentences[-1].subject if spoken else frozenset())
            sentence.before = frozenset().union(*(_list_names(said) for each in sentences for said in each.said))
            sentences.append(sentence)
            self._go_on(sentence)
        return sentences

    def _begin(self, before: frozenset[str]) -> _Sentence:
        claims = self.left.pop(0)
        if len(claims) == 1 and claims[0].predicate in SHAPES:
            at = next((at for at, each in enumerate(self.left) if self._is_about(each, claims)), None)
            # That a shape of no sort is there is said with what is said of it.
            if at is not None and (claims[0].predicate in BARE or self._is_drawn("opened")):
                return self._open(claims, self.left.pop(at))
        owned = [each for each in list_owned(claims) if each.frame == "its"]
        if owned and before and self._is_only(before) and self._owns(before, claims) and self._is_drawn("owned"):
            return _Sentence([self._pick(owned).write(claims, self.style)], before, said=[claims])
        wording = choose_wording(claims, self.style, self.rng, self._find_share(claims))
        if wording is None:
            return _Sentence([word_claims(claims, self.style, self.rng, self.register.signs)[0]], said=[claims])
        text, subject = wording.write(claims, self.style), self._find_subject(claims, wording)
        return _Sentence([text], subject, wording, [claims], signs=wording.symbolic)

    def _open(self, shape: Claims, claims: Claims) -> _Sentence:
        """``In square ABCD, ...``, ``Square ABCD has AB = 8``, and in few words ``Square ABCD: AB = 8``."""
        words, symbolic = word_claims(claims, self.style, self.rng, self._find_share(claims))
        inside, owner = (each.write(shape, self.style) for each in list_wordings(shape, self.style) if each.opening)
        lead = f"{inside}, "
        if self.register.name == "terse" and self._is_drawn(_COLON):
            lead = f"{owner}: "
        elif symbolic and " = " in words and self._is_drawn(0.5):
            lead = f"{owner} has "
        return _Sentence([words], said=[shape, claims], lead=lead, signs=symbolic)

    def _find_share(self, claims: Claims) -> float:
        """How often claims are in signs: numbers in a row are listed, not told one by one."""
        listed = _is_measured(claims) and bool(self.left) and _is_measured(self.left[0])
        return max(self.register.signs, _LISTED) if listed else self.register.signs

    def _go_on(self, sentence: _Sentence) -> None:
        """Further clauses, as many as the register likes: of those that follow the first that belongs there."""
        while self._has_room(sentence):
            ahead = list(enumerate(self.left[:_AHEAD]))
            # What hangs on the last clause must follow it at once.
            joined = next((at for at, claims in ahead if self._hang(sentence, claims)), None)
            if joined is None:
                joined = next((at for at, claims in ahead if self._join(sentence, claims)), None)
            if joined is None:
                return
            sentence.said.append(self.left.pop(joined))

    def _has_room(self, sentence: _Sentence) -> bool:
        size = sum(0.5 if _is_measured(claims) else 1.0 for claims in sentence.said)
        return size < self.register.longest and len(str(sentence).split()) < self.register.words

    def _hang(self, sentence: _Sentence, claims: Claims) -> bool:
        """Whether claims are said now of what the sentence is about."""
        owned = self._list_owned(claims, sentence)
        if not owned or not self._is_drawn("owned"):
            return False
        picked = self._pick(owned)
        if picked.frame == "its" and sentence.parts[0].startswith(SAYS):
            return False
        text = picked.write(claims, self.style)
        if picked.frame == "its":
            sentence.add(text, False)
        else:
            sentence.append(" and " if picked.frame == "on" else " ", text, "with")
        return True

    def _join(self, sentence: _Sentence, claims: Claims) -> bool:
        """Whether a clause is said in this sentence now."""
        if not self._belongs(claims, sentence):
            return False
        listed = _is_measured(claims) and _is_measured(sentence.said[-1])
        if not self._is_drawn(_LISTED if listed else self.register.joined):
            return False
        share = max(self.register.signs, _LISTED) if _is_measured(claims) else self.register.signs
        words, signs = word_claims(claims, self.style, self.rng, share)
        if ", " in words or words.startswith(SAYS):
            # Its list would run into that of the clauses.
            return False
        joint = self._find_joint(claims, sentence, signs and " = " in words)
        if joint:
            sentence.append(joint, words, "that", signs)
        elif sentence.parts[0].startswith(SAYS):
            return False
        else:
            sentence.add(words, signs)
        return True

    def _belongs(self, claims: Claims, sentence: _Sentence) -> bool:
        """Whether a clause may go on with these claims: they speak of what it names, and no place or relation follows a
        number."""
        if not _is_measured(claims) and _is_measured(sentence.said[-1]):
            return False
        shape = claims[0].predicate in SHAPES
        if claims[0].predicate in BARE or (shape and any(self._is_about(each, claims) for each in self.left)):
            # It opens a sentence of its own.
            return False
        if _places_point(claims) & _places_point(sentence.said[-1]):
            # Never ``E is a point on DA, and E is a point on FG``.
            return False
        return any(_list_names(claims) & _list_names(each) for each in sentence.said)

    def _find_joint(self, claims: Claims, sentence: _Sentence, equation: bool) -> str:
        """What a clause hangs on the one before by; nothing where it stands beside it."""
        last = sentence.said[-1]
        closed = sentence.leaning or sentence.signs or sentence.ends_in_list
        if closed or {last[0].predicate, claims[0].predicate} & (_OF_SHAPES | SHAPES):
            return ""
        lengths = all(each.predicate in _LENGTHS and {*each.arguments} <= sentence.names for each in claims)
        joints = []
        if last[0].predicate == "collinear" and (lengths or PREDICATES[claims[0].predicate].group == "relation"):
            joints += [" such that "] if all(_places_point(last) & {*each.arguments} for each in claims) else []
        if equation and lengths and not _is_measured(last):
            # Never ``angle A measures 30 degrees with BC = 5``.
            joints.append(" with ")
        if joints:
            return [*joints, ""][int(self.rng.integers(len(joints) + 1))]
        explained = _is_placed(claims) and not _is_placed(last) and sentence.brings(*_places_point(claims))
        return ", where " if explained and self._is_drawn(0.5) else ""

    def _list_owned(self, claims: Claims, sentence: _Sentence) -> list[Wording]:
        """The ways to say a claim of what the sentence is about."""
        loose = claims[0].predicate in _PLACED and len(claims) == 1
        related = not _is_measured(sentence.said[-1]) and not sentence.leaning and not sentence.ends_in_list
        on_it = loose and sentence.brings(claims[0].arguments[_PLACED[claims[0].predicate]])
        fitting = []
        for each in list_owned(claims):
            if each.frame == "on":
                if on_it and sentence.leaning == "with" and _is_placed(sentence.said[-1]):
                    fitting.append(each)
            elif loose:
                if on_it and related and not _is_placed(sentence.said[-1]):
                    fitting.append(each)
            elif sentence.head is not None and sentence.subject and self._owns(sentence.subject, claims):
                # Only what follows the head at once can lean on it.
                after_head = len(sentence.said) == 1 and not sentence.head.symbolic and sentence.head.ends_in_noun
                if each.frame == "its" or after_head:
                    fitting.append(each)
        return fitting

    def _owns(self, subject: frozenset[str], claims: Claims) -> bool:
        claim = claims[0]
        if find_owner(claim) != subject:
            return False
        if claim.predicate != "intersection":
            return True
        first, second = frozenset(claim.arguments[1:3]), frozenset(claim.arguments[3:])
        ring = next((ring for ring in self._list_rings() if set(ring) == set(subject)), ())
        return len(ring) == 4 and {first, second} == {frozenset(ring[::2]), frozenset(ring[1::2])}

    def _list_rings(self) -> list[tuple[str, ...]]:
        return [fact.arguments for fact in self.scene.facts if fact.predicate in SHAPES]

    def _find_subject(self, claims: Claims, wording: Wording) -> frozenset[str]:
        if claims[0].predicate in SHAPES:
            return frozenset(claims[0].arguments)
        slots = wording.template.slots
        if slots and slots[0].sort == "circle" and len(self.circles) == 1 and wording.template.text.startswith("<"):
            return frozenset(self.circles)
        return frozenset()

    def _is_only(self, subject: frozenset[str]) -> bool:
        """Whether ``its`` can mean nothing else."""
        return {subject} == self.polygons if len(subject) > 1 else subject == self.circles

    def _is_about(self, following: Claims, shape: Claims) -> bool:
        """Whether a shape may open the next clause: one that names two of its corners and nothing beyond it."""
        if following[0].predicate in SHAPES | _OF_SHAPES:
            return False
        ring = shape[0].arguments
        names = {name for claim in following for name in claim.arguments if name in self.scene.points}
        if UNNAMED_CIRCLE in {name for claim in following for name in claim.arguments} or len(ring) > 4:
            return False
        return all(len({*claim.arguments} & {*ring}) >= 2 for claim in following) and all(
            is_part(name, ring, self.scene) for name in names
        )

    def _is_drawn(self, share: float | str) -> bool:
        odds = getattr(self.register, share) if isinstance(share, str) else share
        return bool(self.rng.random() < odds)

    def _pick(self, wordings: Sequence[Wording]) -> Wording:
        return wordings[int(self.rng.integers(len(wordings)))]


_OF_SHAPES = {"congruent", "similar", "altitude", "median", "midsegment", "inside"} | {
    "orthocentre",
    "incentre",
    "centroid",
    "circumcentre",
}
"""Claims that name a shape themselves: ``in triangle ABC, triangle ABC has median AM``."""
_LENGTHS = frozenset(("length", "equal_length"))
_PLACED = {"midpoint": 0, "collinear": 1}
"""Which argument of a claim is the point that it places."""


def _is_placed(claims: Claims) -> bool:
    return len(claims) == 1 and claims[0].predicate in _PLACED


def _places_point(claims: Claims) -> set[str]:
    """The points that claims say the place of."""
    return {claim.arguments[_PLACED[claim.predicate]] for claim in claims if claim.predicate in _PLACED}


def _is_measured(claims: Claims) -> bool:
    return all(PREDICATES[claim.predicate].group == "measure" for claim in claims)


def _list_names(claims: Claims) -> frozenset[str]:
    return frozenset(name for claim in claims for name in claim.arguments)


def capitalise(text: str) -> str:
    """A clause as it begins a sentence."""
    return text[0].upper() + text[1:] if text[0].islower() else text
