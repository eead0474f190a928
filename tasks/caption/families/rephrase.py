"""``caption.rephrase``: a caption in other words, a hard positive.

What a caption and its rephrasing claim is read by one reader, and must be equal as a graph: nothing is lost, nothing
added, nobody changes parts. Of scenes the reader of scenes says so, and the picture shows the rephrasing to be true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain, zip_longest

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.caption.checks import check_kept, is_scene, open_sight, read_text, split_words
from counterfoil.tasks.caption.rewording.claims import Claims, UnclearError, claim_alike, read_claims, tell_apart
from counterfoil.tasks.caption.rewording.phrases import Reworded, find_unsound
from counterfoil.tasks.caption.rewording.rules import KINDS, STRUCTURE, reword
from counterfoil.tasks.caption.rewording.scenes import claim_scene, reword_scene
from counterfoil.tasks.caption.scenes.sight.judge import judge
from counterfoil.tasks.caption.settings import WORD_KEYS, CaptionSettings
from counterfoil.tasks.caption.words.lexicon import Lexicon, open_lexicon
from counterfoil.tasks.caption.words.parse import Sentence, parse
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked
from counterfoil.tasks.contract.wording import list_captions

NAME = "caption.rephrase"
PLAIN = frozenset({"there_is", "clause", "relative", "aspect", "front"})
"""Rules that nearly any caption allows: drawn less often where another one fits."""
PREFERENCE = 4.0
TWICE = 2
"""Of how many rephrasings further ones are made where far ones are asked for."""


def make_rephrase(anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Candidate | Reject]:
    """Rephrasings of the captions by turns."""
    rng = context.rng(NAME, anchor.anchor_id)
    found = list_rephrasings(anchor, rng, context)
    yield from map(_draft, _take_turns(found))
    if not any(found):
        yield reject_contrast(
            NAME, anchor, "exhausted: no rule puts any of its captions otherwise, and keeps its claims"
        )


def sample_rephrase(
    anchor: Anchor, rng: np.random.Generator, count: int, context: Context[CaptionSettings]
) -> Sequence[Draft]:
    """Rephrasings that are drawn anew."""
    drafts = [_draft(each) for each in _take_turns(list_rephrasings(anchor, rng, context))]
    return drafts[:count]


def _draft(made: Reworded) -> Draft:
    return Draft(text=made.text, edits=(made.edit,))


def _take_turns(found: Sequence[Sequence[Reworded]]) -> Iterator[Reworded]:
    return filter(None, chain.from_iterable(zip_longest(*found)))


def list_rephrasings(
    anchor: Anchor, rng: np.random.Generator, context: Context[CaptionSettings]
) -> list[list[Reworded]]:
    """Of each caption those that claim the same, one of each rule first, two of structure before one of a word."""
    found = []
    for caption in list_captions(anchor):
        same = _find_same(caption, context.settings.parser, context.settings.wordnet, is_scene(anchor))
        found.append(_order([each for each in same if not _is_said(each.text, anchor)], rng))
    return found


def _order(made: Sequence[Reworded], rng: np.random.Generator) -> list[Reworded]:
    weights = np.array([1.0 if each.edit.kind in PLAIN else PREFERENCE for each in made])
    drawn = [made[int(i)] for i in np.argsort(rng.exponential(size=len(made)) / weights)]
    firsts: dict[str, Reworded] = {}
    for each in drawn:
        firsts.setdefault(each.edit.kind, each)
    drawn = [*firsts.values(), *(each for each in drawn if firsts[each.edit.kind] is not each)]
    structure = [each for each in drawn if each.edit.kind in STRUCTURE]
    words = [each for each in drawn if each.edit.kind not in STRUCTURE]
    ordered = []
    while structure or words:
        ordered += [*structure[:2], *words[:1]]
        structure, words = structure[2:], words[1:]
    return ordered


def _is_said(text: str, anchor: Anchor) -> bool:
    return any(_spell(text) == _spell(caption) for caption in anchor.captions)


def _spell(text: str) -> list[str]:
    return [word for word in split_words(text.casefold()) if word.isalnum() and word not in ("a", "an", "the")]


@lru_cache(maxsize=4096)
def _find_same(caption: str, parser: str, wordnet: str | None, scene: bool) -> tuple[Reworded, ...]:
    """All rephrasings of a caption that claim the same. Remembered: training asks again in every epoch."""
    sentence = next(parse([_clean(caption)], parser))
    lexicon = open_lexicon(wordnet)
    made = _reword(caption, sentence, lexicon, scene)
    try:
        if scene:
            claims = claim_scene(read_text(caption))
            return tuple(each for each in made if _claims_scene(each.text, claims))
        claims = read_claims(sentence)
    except (CheckError, UnclearError):
        return ()
    parsed = parse([each.text for each in made], parser)
    return tuple(
        each
        for each, other in zip(made, parsed, strict=True)
        if not find_unsound(other, lexicon) and _claims_same(other, claims)
    )


def _reword(caption: str, sentence: Sentence, lexicon: Lexicon, scene: bool) -> list[Reworded]:
    """What the rules make of a caption, each text once."""
    made = [*reword(sentence, lexicon), *(reword_scene(caption) if scene else ())]
    return list({each.text: each for each in reversed(made)}.values())[::-1]


def reword_text(text: str, anchor: Anchor, context: Context[CaptionSettings]) -> Sequence[str]:
    """Texts that claim what a caption, or a near miss of it, claims; two rules after each other too. First those whose
    words, and their order, are farthest: what keeps the order would teach that to keep it is to mean the same."""
    known = context.settings.parser, context.settings.wordnet, is_scene(anchor)
    found = [each.text for each in _find_same(text, *known)]
    found.sort(key=lambda each: (_measure_likeness(text, each), each))
    again = [each.text for first in found[:TWICE] for each in _find_same(first, *known)]
    made = {each for each in (*found, *again) if not _is_said(each, anchor) and _spell(each) != _spell(text)}
    return sorted(made, key=lambda each: (_measure_likeness(text, each), each))


def _measure_likeness(text: str, other: str) -> float:
    return SequenceMatcher(None, _spell(text), _spell(other), autojunk=False).ratio()


def _claims_scene(text: str, claims: Claims) -> bool:
    try:
        return claim_alike(claim_scene(read_text(text)), claims)
    except CheckError:
        return False


def _claims_same(sentence: Sentence, claims: Claims) -> bool:
    try:
        return claim_alike(read_claims(sentence), claims)
    except UnclearError:
        return False


def _clean(text: str) -> str:
    return " ".join(text.split())


@checked
def verify_rephrase(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CaptionSettings]) -> None:
    """It claims what one of the captions claims, is sound, and is none of them."""
    check_kept(checks, contrast)
    text = contrast.text or ""
    checks.require("edits_named", len(contrast.edits) == 1 and contrast.edits[0].kind in KINDS, "no rule is named")
    checks.require("reworded", not _is_said(text, anchor), "one of the captions says it in these words")
    if is_scene(anchor):
        reading = read_text(text)
        finding = judge(reading, open_sight(anchor.vector or ""))
        checks.require("true_of_anchor", finding.holds is True, f"not seen in the picture: {finding.claim}")
        said = claim_scene(reading)
        same = any(_claims_scene(caption, said) for caption in list_captions(anchor))
        checks.require("same_claims", same, "no caption of the scene states just that")
        _check_edit(checks, contrast, anchor, context.settings)
        return
    settings = context.settings
    sentence, *captions = parse([text, *map(_clean, list_captions(anchor))], settings.parser)
    unsound = find_unsound(sentence, open_lexicon(settings.wordnet))
    checks.require("sound", unsound is None, f"{unsound!r} does not agree")
    try:
        claims = read_claims(sentence)
    except UnclearError as error:
        raise CheckError(f"claims_read: {error}") from error
    checks.require("claims_read", True, "")
    same = any(_claims_same(caption, claims) for caption in captions)
    checks.require("same_claims", same, lambda: _explain(claims, captions))
    _check_edit(checks, contrast, anchor, settings)


def _check_edit(checks: Checks, contrast: Contrast, anchor: Anchor, settings: CaptionSettings) -> None:
    """The rule that the row names makes its text of one of the captions."""
    captions, lexicon = list_captions(anchor), open_lexicon(settings.wordnet)
    sentences = parse(list(map(_clean, captions)), settings.parser)
    made = any(
        (each.text, each.edit) == (contrast.text, contrast.edits[0])
        for caption, sentence in zip(captions, sentences, strict=True)
        for each in _reword(caption, sentence, lexicon, is_scene(anchor))
    )
    checks.require("edits_named", made, "the rule that is named makes no such text of a caption")


def _explain(claims: Claims, captions: Sequence[Sentence]) -> str:
    """What differs from the caption that is nearest."""
    read = []
    for caption in captions:
        try:
            read.append(read_claims(caption))
        except UnclearError:
            continue
    if not read:
        return "none of the captions can be read"
    near = max(read, key=lambda each: (each.list_said() & claims.list_said()).total())
    return tell_apart(near, claims)


FAMILIES = (
    Family[CaptionSettings](
        NAME,
        "positive",
        "text",
        paper="SugarCrepe++",
        how="a caption in other words: form of the clause, voice, the other side of a relation, order, words alike",
        make=make_rephrase,
        verify=verify_rephrase,
        count=lambda settings: settings.rephrasings,
        uses=("rephrasings", *WORD_KEYS),
        sample=sample_rephrase,
        version=2,
    ),
)
