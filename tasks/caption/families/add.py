"""``caption.add``: something is added to a caption that its picture does not show (SugarCrepe's ``add_obj``).

What is added is a thing that nearly everybody names who sees it, and that none of the picture's captions names. It
takes the place of what the caption says besides ("in a hat", "on a beach"), so that no length tells which one it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from types import MappingProxyType

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.caption.checks import check_kept, is_scene, split_words
from counterfoil.tasks.caption.settings import CHOICE_KEYS, WORD_KEYS, CaptionSettings
from counterfoil.tasks.caption.words.agreement import find_disagreement
from counterfoil.tasks.caption.words.besides import TABLE, find_phrases
from counterfoil.tasks.caption.words.forms import choose_article, pluralise
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.lists import CLOSED
from counterfoil.tasks.caption.words.parse import Sentence, parse
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.contract.wording import list_captions

NAME = "caption.add"
KIND = "add_obj"
FARTHEST = 1
"""Words by which lengths may differ."""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that is named wherever it is seen."""

    noun: str
    alike: frozenset[str]
    """what it is called, and of what it might be one"""
    company: frozenset[str]
    places: tuple[str, ...]


def _read_things() -> Mapping[str, Thing]:
    return MappingProxyType(
        {
            row["noun"]: Thing(
                row["noun"],
                frozenset([row["noun"], pluralise(row["noun"]), *row["alike"]]),
                frozenset(row["with"]),
                tuple(row["places"]),
            )
            for row in TABLE["things"]
        }
    )


THINGS = _read_things()
_GENERAL = frozenset(
    {"animal", "animals", "wildlife", "creature", "creatures", "pets", "livestock", "zoo", "various", "items"}
)
_ANIMALS = frozenset({"dog", "cat", "elephant", "giraffe", "zebra", "bear", "sheep"})


def may_add(thing: Thing, anchor: Anchor) -> bool:
    """Whether no caption of the picture speaks of it, or of what it might be one of."""
    said = {word.lower() for caption in list_captions(anchor) for word in split_words(caption)}
    said |= {part for word in said for part in word.split("-")}
    general = thing.noun in _ANIMALS and not _GENERAL.isdisjoint(said)
    return not general and thing.alike.isdisjoint(said)


def is_usual(thing: Thing, sentence: Sentence, first: int, last: int) -> bool:
    """Whether what the caption says but for these words is of the thing's company."""
    words = sentence.words()
    return not thing.company.isdisjoint([*words[:first], *words[last + 1 :]])


def make_add(anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Candidate | Reject]:
    """Captions with something added, by turns of the captions."""
    drafts = [] if is_scene(anchor) else list_additions(anchor, context)
    yield from drafts
    reason = "the additions are used up" if drafts else "nothing that is always named may be added"
    yield reject_contrast(NAME, anchor, f"exhausted: {reason}")


def list_additions(anchor: Anchor, context: Context[CaptionSettings]) -> list[Draft]:
    rng = context.rng(NAME, anchor.anchor_id)
    things = [thing for thing in THINGS.values() if may_add(thing, anchor)]
    captions = list_captions(anchor)
    turns = []
    for sentence in parse([" ".join(each.split()) for each in captions], context.settings.parser):
        if sentence.text not in captions:
            continue
        made = [
            each
            for first, last in find_phrases(sentence)
            for thing in things
            if is_usual(thing, sentence, first, last)
            for each in _write(sentence, first, last, thing)
        ]
        turns.append([made[int(i)] for i in rng.permutation(len(made))])
    order = [turns[int(i)] for i in rng.permutation(len(turns))]
    return [each for row in zip_longest(*order) for each in row if each is not None]


def _write(sentence: Sentence, first: int, last: int, thing: Thing) -> Iterator[Draft]:
    tokens = sentence.tokens
    old = _quote(sentence, first, last)
    for place in thing.places:
        words = f"{place} {choose_article(thing.noun)} {thing.noun}"
        if abs(len(words.split()) - len(old.split())) <= FARTHEST:
            text = sentence.text[: tokens[first].start] + words + sentence.text[tokens[last].end :]
            yield Draft(text=text, edits=(Edit(KIND, old, words),))


def _quote(sentence: Sentence, first: int, last: int) -> str:
    return sentence.text[sentence.tokens[first].start : sentence.tokens[last].end]


@checked
def verify_add(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CaptionSettings]) -> None:
    """A phrase of a caption is another that brings in a thing; whoever sees that thing says so, and no caption does."""
    check_kept(checks, contrast)
    checks.require("photograph", not is_scene(anchor), "a scene is looked at: caption.scene changes what it holds")
    checks.require("edits_named", len(contrast.edits) == 1 and contrast.edits[0].kind == KIND, "one thing is added")
    edit = contrast.edits[0]
    text = contrast.text or ""
    words = edit.replacement.split()
    placed = " ".join(words[:-2])
    thing = THINGS.get(words[-1] if words else "")
    added = thing is not None and placed in thing.places and words[-2] == choose_article(thing.noun)
    checks.require("thing_named", added, f"{edit.replacement!r} is no thing that is always named")
    caption = next(
        (
            each
            for each in list_captions(anchor)
            if edit.target
            and any(
                text == each[:at] + edit.replacement + each[at + len(edit.target) :] for at in _find(edit.target, each)
            )
        ),
        None,
    )
    checks.require("only_named_words_changed", caption is not None, f"{edit.target!r} is not all that went")
    assert caption is not None and thing is not None
    settings = context.settings
    before, after = parse([caption, text], settings.parser)
    phrases = [(a, b) for a, b in find_phrases(before) if _quote(before, a, b) == edit.target]
    checks.require("phrase_adds", bool(phrases), f"the caption says nothing without {edit.target!r}")
    usual = any(is_usual(thing, before, *phrase) for phrase in phrases)
    checks.require("usual_there", usual, f"nothing that the caption says goes with {thing.noun!r}")
    closed = CLOSED.isdisjoint(word.lower() for word in split_words(text))
    checks.require("said_to_be_there", closed, "it does not plainly say that it is there")
    checks.require("unsaid_elsewhere", may_add(thing, anchor), f"a caption says {thing.noun!r}, or what may be one")
    disagrees = find_disagreement(after, (0, 0), open_lexicon(settings.wordnet))
    checks.require("number_agrees", disagrees is None, disagrees or "")
    kept = [[t.tag for t in s.tokens] for s in (before, after)]
    roots = [sum(t.dep == "ROOT" for t in s.tokens) for s in (before, after)]
    first = next(i for i, pair in enumerate(zip_longest(*kept)) if pair[0] != pair[1]) if kept[0] != kept[1] else 0
    behind = after.tokens[first:] if kept[0] != kept[1] else ()
    checks.require(
        "parse_kept", roots[1] <= roots[0] and not any(t.dep == "dep" for t in behind), "it is read otherwise"
    )
    checks.grade = "undecided"  # what no caption speaks of is seldom there, and yet may be


def _find(part: str, text: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


FAMILIES = (
    Family[CaptionSettings](
        NAME,
        "negative",
        "text",
        paper="SugarCrepe",
        how="a thing that nearly everybody mentions who sees it, in place of a phrase that only adds detail",
        make=make_add,
        verify=verify_add,
        count=lambda settings: settings.negatives,
        spare=CaptionSettings.count_spare,
        fluency=lambda settings: settings.fluency,
        uses=("negatives", *WORD_KEYS, *CHOICE_KEYS),
        version=2,
    ),
)
