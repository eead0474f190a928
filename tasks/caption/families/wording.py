"""What is checked of a caption in which a word was exchanged, from the two texts alone: that exactly the named words
changed, that what they mean excludes what stood there, that the sentence is as sound as before, and that no other
caption of the picture says the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NamedTuple

from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.caption.checks import split_words
from counterfoil.tasks.caption.concreteness import Ratings, is_expression
from counterfoil.tasks.caption.plan import doubts
from counterfoil.tasks.caption.plan.kinds import COLOURS, NUMBERS, can_pose, can_tell, find_kinds
from counterfoil.tasks.caption.plan.slots import Key, Slot, find_slots
from counterfoil.tasks.caption.plan.swaps import can_swap
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words.agreement import find_disagreement
from counterfoil.tasks.caption.words.forms import choose_article, singularise
from counterfoil.tasks.caption.words.interchange import list_relations
from counterfoil.tasks.caption.words.lexicon import Lexicon, open_lexicon
from counterfoil.tasks.caption.words.lists import DENYING, MASS
from counterfoil.tasks.caption.words.parse import Sentence, parse_one
from counterfoil.tasks.caption.words.replace import find_span
from counterfoil.tasks.caption.words.spatial import MOVING, exclude, is_spatial
from counterfoil.tasks.contract.verdict import CheckError, Checks
from counterfoil.tasks.contract.wording import list_captions

_ARTICLES = ("a", "an")
Span = tuple[int, int]
"""The first and the last of some words."""
PARSE_NOISE = 1
"""Words elsewhere in the sentence whose tag may change: a small model's parse is not quite stable."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A caption parsed, and its slots."""

    sentence: Sentence
    slots: list[Slot]


def read_sentence(text: str, settings: CaptionSettings) -> Reading:
    lexicon, ratings = open_lexicon(settings.wordnet), Ratings(settings.norms, visual=False)
    sentence = parse_one(text, settings.parser)
    return Reading(sentence, find_slots(sentence, lambda words: is_expression(words, ratings, lexicon)))


def check_rating(said: float | None, reading: Reading, spans: Sequence[Span], settings: CaptionSettings) -> None:
    """The concreteness, where a row says one, is that of the words that gave way; of several the highest.

    Raises:
        CheckError: it is another.
    """
    units = [slot.unit for slot in reading.slots if any(a <= slot.unit.last and slot.unit.first <= b for a, b in spans)]
    tables = [Ratings(settings.norms, visual) for visual in {False, settings.concreteness == "visual"}]
    due = [[rated for unit in units if (rated := ratings.rate_unit(unit)) is not None] for ratings in tables]
    if said is not None and said not in {max(rated, default=0.0) for rated in due} | {
        each for rated in due for each in rated
    }:
        raise CheckError(f"rating_true: the row says {said}, which is not how concrete the words are that gave way")


class Replaced(NamedTuple):
    """What an edit replaced in one of a picture's captions."""

    anchor: Anchor
    """with that caption as its own"""
    target: list[str]
    replacement: list[str]
    at: int
    """the first of the target's words"""


def find_replaced(text: str | None, edit: Edit, anchor: Anchor) -> Replaced | None:
    """Which of the picture's captions ``text`` is but for what the edit names, and where that stands."""
    new = split_words(text or "")
    if (edit.target, edit.replacement) != (edit.target.strip(), edit.replacement.strip()):
        return None
    target, replacement = split_words(edit.target), split_words(edit.replacement)
    for caption in list_captions(anchor):
        old = split_words(caption)
        for at in _find(target, old):
            if target != replacement and _same(
                _replace(old, at, len(target), replacement), new, [*old[:1], *target, *replacement]
            ):
                return Replaced(replace(anchor, caption=caption), target, replacement, at)
    return None


def check_replaced(checks: Checks, contrast: Contrast, anchor: Anchor) -> Replaced:
    """Exactly the words that the edit names were replaced in one of the picture's captions."""
    checks.require("edits_named", len(contrast.edits) == 1, "one exchange is one edit")
    edit = contrast.edits[0]
    found = find_replaced(contrast.text, edit, anchor)
    told = f"{edit.target!r} -> {edit.replacement!r} is not all that changed"
    checks.require("only_named_words_changed", found is not None, told)
    assert found is not None
    return found


def check_swapped(checks: Checks, contrast: Contrast, anchor: Anchor) -> tuple[Anchor, Span, Span]:
    """Exactly the two that the edit names changed places in one of the captions; the anchor with that caption as its
    own, and the words that each covers."""
    checks.require("edits_named", len(contrast.edits) == 1, "one exchange is one edit")
    edit = contrast.edits[0]
    new = split_words(contrast.text or "")
    for caption in list_captions(anchor):
        found = _find_swapped(split_words(caption), new, split_words(edit.target), split_words(edit.replacement))
        if found:
            checks.require("only_named_words_changed", True, "")
            return replace(anchor, caption=caption), *found
    told = f"{edit.target!r} and {edit.replacement!r} did not change places, or something else changed"
    checks.require("only_named_words_changed", False, told)
    raise AssertionError("a check that fails ends the verdict")


def _find_swapped(
    old: Sequence[str], new: Sequence[str], first: Sequence[str], second: Sequence[str]
) -> tuple[Span, Span] | None:
    for a in _find(first, old):
        for b in _find(second, old):
            if a + len(first) <= b:
                changed = _replace(_replace(old, b, len(second), first), a, len(first), second)
                if _same(changed, new, [*old[:1], *first, *second]) and not _same(old, new, old):
                    return (a, a + len(first) - 1), (b, b + len(second) - 1)
    return None


def check_meaning(
    checks: Checks,
    target: Sequence[str],
    replacement: Sequence[str],
    at: int,
    before: Reading,
    lexicon: Lexicon,
    seen: bool,
) -> str:
    """The new words exclude the old ones: no synonym, nothing more general or narrower, no part of it; returns the part
    of speech. ``seen``: whether what is true is looked up in the picture; else a noun must be told by sight."""
    old, new = " ".join(target).lower(), " ".join(replacement).lower()
    slot = _slot_at(before, at, len(target))
    checks.require("unit_replaced", slot is not None, f"{old!r} is no word or expression that can be exchanged")
    assert slot is not None
    part = slot.unit.part
    others = frozenset() if seen else list_relations(slot.unit.lemma, part, slot.right)
    if part == "p":
        still = seen or MOVING.isdisjoint({old, new})
        sound = new in others or (is_spatial(new) and exclude(old, new, seen) and still)
        checks.require("excludes_original", sound, f"{new!r} can be true where {old!r} is")
        return part
    if part == "c":
        counted = old in NUMBERS and new in NUMBERS
        checks.require("word_known", counted, f"{old!r} or {new!r} is no number from two to ten")
        more = NUMBERS.index(new) > NUMBERS.index(old)
        checks.require("excludes_original", more, f"where {old!r} are, {new!r} are as well")
        return part
    lemmas = list(list_lemmas(new, part, lexicon))
    checks.require("word_known", bool(lemmas), f"WordNet does not know {new!r}")
    for lemma in lemmas:
        kin = lexicon.find_kin(slot.unit.lemma, lemma, part)
        checks.require("excludes_original", kin is None, f"{new!r} is a {kin} of {old!r}")
    posed = seen or can_pose(slot, lexicon)
    checks.require("can_pose", posed, f"of what has no posture, {old!r} says no more than {new!r}")
    keys = [Key(part, lemma, slot.key.form) for lemma in lemmas]
    # What "a bouquet of" holds is of a narrow kind.
    free = not slot.left.endswith(" of")
    alike = not others.isdisjoint(lemmas) or any(
        key in find_kinds([slot.key, key], lexicon, seen, by_field=free).get(slot.key, ()) for key in keys
    )
    told = seen or part != "n" or any(can_tell(lemma, lexicon) for lemma in lemmas)
    checks.require("told_by_sight", told, f"{new!r} may be where {old!r} is")
    checks.require("of_a_kind", alike, f"{new!r} is nothing of the kind of {old!r}, and may be true beside it")
    return part


def check_sentence(
    checks: Checks, before: Reading, after: Reading, old: Sequence[Span], new: Sequence[Span], lexicon: Lexicon
) -> None:
    """As well formed as before: outside of what changed (``old`` in the one, ``new`` in the other) the words are read
    as the same parts of speech, within it the part of speech is kept, and articles agree."""
    outside = [_tags(reading.sentence, spans) for reading, spans in ((before, old), (after, new))]
    changed = sum(a != b for a, b in zip_longest(*outside))
    checks.require("parse_kept", changed <= PARSE_NOISE, f"{changed} other words are read as another part of speech")
    for (_, last), (_, last_new) in zip(old, new, strict=True):
        head, head_before = after.sentence.tokens[last_new], before.sentence.tokens[last]
        tags = _form(head_before.tag), _form(head.tag)
        # "orange" is taken for the fruit now and then.
        adjectives = all(lexicon.knows(each.text.lower(), "a") for each in (head, head_before))
        kept = tags[0] == tags[1] or (set(tags) == {"JJ", "NN"} and adjectives)
        checks.require("part_of_speech_kept", kept, f"{tags[1]} in the place of {tags[0]}")
    roots, roots_before = (sum(token.dep == "ROOT" for token in r.sentence.tokens) for r in (after, before))
    checks.require("one_sentence", roots <= roots_before, "it falls into more sentences than before")
    tokens = after.sentence.tokens
    for first, last in new:
        determiners = {tokens[c].text.lower() for c in after.sentence.children(last, "det")}
        plain = tokens[last].dep != "compound" and not any(
            tokens[c].dep == "compound" for c in after.sentence.children(last)
        )
        countable = not (plain and tokens[last].text.lower() in MASS and determiners & {*_ARTICLES, "another", "each"})
        checks.require("countable", countable, f'nobody says "a {tokens[last].text}"')
        disagrees = find_disagreement(after.sentence, (first, last), lexicon)
        checks.require("number_agrees", disagrees is None, disagrees or "")
        if first and tokens[first - 1].text.lower() in _ARTICLES:
            article, word = tokens[first - 1].text, tokens[first].text
            checks.require("article_agrees", choose_article(word) == article.lower(), f"{article!r} before {word!r}")


def check_undenied(checks: Checks, before: Reading) -> None:
    """The caption does not deny anything, nor leave open which of two things it speaks of."""
    denying = [word for word in before.sentence.words() if word in DENYING]
    checks.require("denies_nothing", not denying, lambda: f"with {denying[0]!r} in it, it may be true either way")


def check_unsaid(checks: Checks, words: Sequence[str], part: str, anchor: Anchor, lexicon: Lexicon) -> None:
    """The caption itself does not say the new words elsewhere, but for prepositions and numbers; no other caption of
    the picture says them, or what means the same or is a kind of it."""
    new = " ".join(words).lower()
    own = [word.lower() for word in split_words(anchor.caption or "")]
    repeated = part in ("n", "v", "a") and any(True for _ in _find([w.lower() for w in words], own))
    checks.require("said_once", not repeated, f"the caption says {new!r} already")
    lemmas = set(list_lemmas(new, part, lexicon)) | {new}
    for caption in anchor.captions:
        if caption == anchor.caption:
            continue
        said = [word.lower() for word in split_words(caption)]
        found = bool(list(_find([w.lower() for w in words], said)))
        checks.require("unsaid_elsewhere", not found, f"another caption says {new!r}: {caption}")
        if part not in ("n", "v", "a"):
            continue
        for word in said:
            for other in list_lemmas(word, part, lexicon):
                same = other in lemmas or any(
                    lexicon.find_kin(lemma, other, part) in ("synonym", "hyponym") for lemma in lemmas
                )
                checks.require("unsaid_elsewhere", not same, f"another caption says {word!r}: {caption}")


def check_doubts(
    checks: Checks,
    target: Sequence[str],
    replacement: Sequence[str],
    at: int,
    before: Reading,
    anchor: Anchor,
    lexicon: Lexicon,
) -> None:
    """Of a photograph: that the exchange is not true of another thing or person that may be in it, nor something that
    one would say of it and another would not."""
    slot = _slot_at(before, at, len(target))
    assert slot is not None
    new = " ".join(replacement).lower()
    words = [word.lower() for word in split_words(anchor.caption or "")]
    listed = doubts.may_stand_beside(slot, lexicon)
    checks.require("named_alone", not listed, f"{new!r} may be there beside what else the caption lists")
    captions = [
        [word.lower() for word in split_words(caption)] for caption in anchor.captions if caption != anchor.caption
    ]
    # In one order: of several that are found the first is told, in a reject too.
    others = sorted({word for caption in captions for word in caption})
    alike = doubts.relates_alike(slot, before.slots)
    checks.require("relates_unlike", not alike, "the one thing is to the other as the caption says, or the other to it")
    checks.require("said_of_one", not doubts.is_of_many(slot), f"one of many may be {new!r}")
    checks.require("said_of_whole", not doubts.is_of_a_part(slot), f"a part of the {slot.right} may be {new!r}")
    herd = doubts.is_one_of_herd(slot, captions, lexicon) or (
        "animals" in words and lexicon.find_field(slot.unit.lemma, slot.unit.part) == "noun.animal"
    )
    checks.require("one_kind", not herd, f"another caption speaks of animals, of which {new!r} may be true")
    at_board = doubts.is_at_board(slot, lexicon)
    checks.require("relates_unlike", not at_board, f"who is at the {slot.right} may be {new!r} it")
    disputed = doubts.is_number_disputed(slot, captions, words)
    checks.require("agreed_upon", not disputed, f"another caption counts otherwise than {slot.unit.lemma!r}")
    posed = doubts.is_posture_disputed(slot, captions, words)
    checks.require("agreed_upon", not posed, f"who does not {slot.unit.lemma!r} to all may be {new!r}")
    deed = doubts.find_deed(new, others, lexicon)
    checks.require("unsaid_elsewhere", deed is None, f"another caption says {deed!r}, as of a {new}")
    if doubts.needs_second(slot):
        agreed = doubts.says_as_well(slot, captions, lexicon)
        checks.require("agreed_upon", agreed, f"only one caption says {slot.unit.lemma!r}")
    if slot.unit.part == "a" and new in COLOURS:
        near = doubts.find_near_colour(new, others)
        checks.require("unsaid_elsewhere", near is None, f"another caption says {near!r}, which may be {new!r}")
    said = sorted({*others, *words})
    nouns = [(lemma, lemma != word) for word in said for lemma in list_lemmas(word, "n", lexicon)]
    worn = doubts.is_worn_among_others(slot, nouns, lexicon)
    checks.require("said_of_one", not worn, f"another's {slot.right} may be {new!r}")
    if doubts.is_one_of_people(slot):
        near = doubts.find_near_age(new, others)
        checks.require("unsaid_elsewhere", near is None, f"another caption says {near!r}, who may be a {new}")
        crowd = next(doubts.name_crowds(nouns, slot.unit.lemma, lexicon), None)
        checks.require("one_person", crowd is None, f"there are others ({crowd}), of whom {new!r} may be true")


def check_swappable(
    checks: Checks, a: tuple[int, int], b: tuple[int, int], before: Reading, lexicon: Lexicon, seen: bool
) -> None:
    """The two are words of one sort of which the sentence says another thing the other way round."""
    first, second = (_slot_at(before, place[0], place[1] - place[0] + 1) for place in (a, b))
    checks.require("unit_replaced", first is not None and second is not None, "they are no words that can be exchanged")
    assert first is not None and second is not None
    kinds = find_kinds([first.key, second.key], lexicon, seen)
    sound = can_swap(first, second, before.slots, kinds, lexicon)
    checks.require("says_something_else", sound, "the sentence says the same either way, or it cannot be told")


def list_lemmas(words: str, part: str, lexicon: Lexicon) -> Iterator[str]:
    """Base forms that the words may have, as far as WordNet knows them."""
    *before, word = words.split(" ")
    bases = [word]
    if part == "n":
        bases += [word[:-1]] * word.endswith("s") + [word[:-2]] * word.endswith("es")
        bases += [word[:-3] + "y"] * word.endswith("ies") + [word[:-3] + "f"] * word.endswith("ves")
        bases += [word[:-3] + "fe"] * word.endswith("ves") + [singularise(word)]
    if part == "v":
        for ending in ("s", "es", "ing", "ed"):
            if word.endswith(ending):
                stem = word.removesuffix(ending)
                bases += [stem, stem + "e"] + [stem[:-1]] * (stem[-1:] == stem[-2:-1])
    if irregular := lexicon.find_base(word, part):
        bases.append(irregular)
    known = False
    for base in dict.fromkeys(filter(None, bases)):
        whole = " ".join([*before, base])
        if lexicon.knows(whole, part):
            known = True
            yield whole
    if before and not known:
        yield from list_lemmas(word, part, lexicon)


def _slot_at(reading: Reading, at: int, length: int) -> Slot | None:
    """The slot that covers exactly the words ``at`` to ``at + length`` of `split_words`."""
    starts: list[int] = []
    position = 0
    for word in split_words(reading.sentence.text):
        position = reading.sentence.text.index(word, position)
        starts.append(position)
        position += len(word)
    last_word = split_words(reading.sentence.text)[at + length - 1]
    span = starts[at], starts[at + length - 1] + len(last_word)
    return next((slot for slot in reading.slots if find_span(reading.sentence, slot.unit) == span), None)


def _find(part: Sequence[str], whole: Sequence[str]) -> Iterator[int]:
    """Where the words stand in a row, in any case of letters."""
    wanted = [word.lower() for word in part]
    lowered = [word.lower() for word in whole]
    for at in range(len(whole) - len(wanted) + 1):
        if wanted and lowered[at : at + len(wanted)] == wanted:
            yield at


def _replace(words: Sequence[str], at: int, length: int, new: Sequence[str]) -> list[str]:
    """The words with others in a place, and the article before it as the new words want it."""
    head = list(words[:at])
    if head and head[-1].lower() in _ARTICLES:
        head[-1] = choose_article(new[0])
    return [*head, *new, *words[at + length :]]


def _same(words: Sequence[str], others: Sequence[str], moved: Sequence[str]) -> bool:
    """Whether words are the same; the case of the first and of those that ``moved`` may differ."""
    free = {word.lower() for word in moved}
    return len(words) == len(others) and all(
        one == other or (one.lower() == other.lower() and (at == 0 or one.lower() in free))
        for at, (one, other) in enumerate(zip(words, others, strict=True))
    )


def _tags(sentence: Sentence, spans: Sequence[Span]) -> list[str]:
    """Coarse tags outside of the spans."""
    inside = {i for first, last in spans for i in range(first, last + 1)}
    return [_coarse(token.tag) for i, token in enumerate(sentence.tokens) if i not in inside]


def _coarse(tag: str) -> str:
    """A tag without what a small model often confuses: names and nouns, finite forms, punctuation's kinds."""
    return "VB" if tag.startswith("VB") else "NN" if tag.startswith("NN") else tag[:2]


def _form(tag: str) -> str:
    """A tag with its number and tense, without the difference of names and nouns."""
    return tag.replace("NNP", "NN")


def span_of(reading: Reading, at: int, length: int) -> Span:
    """The words of the parse that the words ``at`` to ``at + length`` of `split_words` are."""
    text = reading.sentence.text
    position = 0
    start = end = 0
    for index, word in enumerate(split_words(text)):
        position = text.index(word, position)
        if index == at:
            start = position
        position += len(word)
        if index == at + length - 1:
            end = position
    inside = [i for i, token in enumerate(reading.sentence.tokens) if token.start >= start and token.end <= end]
    return (inside[0], inside[-1]) if inside else (0, 0)
