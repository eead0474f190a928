"""Another relation of two things, or another act (``replace_rel``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from counterfoil.storage.plain import read_toml
from counterfoil.tasks.caption.near.miss import Miss, rewrite
from counterfoil.tasks.caption.near.said import Said
from counterfoil.tasks.caption.plan.kinds import can_tell
from counterfoil.tasks.caption.words.forms import find_lemma, inflect_verb
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.lists import may_name_one
from counterfoil.tasks.caption.words.parse import Sentence

_TABLE = read_toml(Path(__file__).with_name("relations.toml"))
_CLASSES: Mapping[str, frozenset[str]] = {name: frozenset(words) for name, words in _TABLE["classes"].items()}


def _read(
    rows: Sequence[Mapping[str, Sequence[str]]], classes: bool
) -> dict[str, list[tuple[frozenset[str], tuple[str, ...]]]]:
    found: dict[str, list[tuple[frozenset[str], tuple[str, ...]]]] = {}
    for row in rows:
        first, *others = row["words"]
        of = row.get("of", ())
        things = frozenset().union(*(_CLASSES[name] for name in of)) if classes else frozenset(of)
        found.setdefault(first, []).append((things, tuple(others)))
    return found


_PLACES, _ACTS, _STATES = _read(_TABLE["places"], True), _read(_TABLE["acts"], False), _read(_TABLE["states"], False)
_LONGEST = 3
_CONTACT = frozenset(
    {"hang", "attach", "mount", "paint", "write", "print", "display", "cover", "look", "lean", "depend"}
)
"""Verbs whose phrase is a part of what they say."""
_STATE_TAGS = ("VBG", "VBZ", "VBP")
_NEAR_ACTS = {
    "sit": ("crouch", "kneel", "squat", "ride", "seat"),
    "sleep": ("lie", "lay", "rest", "nap", "asleep"),
    "lie": ("sleep", "rest", "lay", "sprawl", "asleep"),
    "run": ("jog", "race", "gallop", "walk", "chase", "play", "trot"),
    "jump": ("leap", "air", "trick", "hop", "fly", "catch"),
    "swim": ("water", "surf", "river", "lake", "pond", "wade", "pool", "ocean"),
    "dance": ("jump", "perform", "party"),
    "walk": ("stroll", "run", "cross", "lead", "wander", "herd", "march"),
    "stand": ("walk", "pose", "wait"),
    "fight": ("play", "wrestle", "spar", "box"),
    "burn": ("fire", "smoke", "flame", "steam"),
    "sink": ("water",),
    "land": ("runway", "fly", "ground", "tarmac", "down"),
    "crash": ("wreck", "fall"),
    "race": ("run", "compete"),
    "march": ("parade", "walk"),
    "fish": ("rod",),
    "ski": ("snow",),
}
"""What may be said of who does the one, and may have been meant."""


def list_relations(said: Said, caption: int) -> Iterator[Miss]:
    sentence = said.sentences[caption]
    yield from _list_places(said, caption, sentence)
    for i, token in enumerate(sentence.tokens):
        if token.pos == "VERB" and not sentence.children(i, "prt", "neg", "auxpass", "dative"):
            yield from _list_acts(said, caption, sentence, i)


def _list_places(said: Said, caption: int, sentence: Sentence) -> Iterator[Miss]:
    tokens, words = sentence.tokens, sentence.words()
    covered = -1
    for at in range(len(tokens)):
        if at <= covered:
            continue
        for size in range(_LONGEST, 0, -1):
            phrase = " ".join(words[at : at + size])
            last = at + size - 1
            if phrase not in _PLACES or last >= len(tokens) or tokens[last].pos not in ("ADP", "SCONJ", "ADV"):
                continue
            covered = last
            things = [c for c in sentence.children(last, "pobj") if tokens[c].pos in ("NOUN", "PRON")]
            if len(things) != 1 or not _is_free(sentence, at):
                break
            noun = words[things[0]]
            if noun in words[:at] or sentence.children(things[0], "conj"):
                break  # of a bus beside a bus the other is so as well
            for kinds, others in _PLACES[phrase]:
                if noun in kinds and not _is_of_part(sentence, things[0]):
                    for other in others:
                        if not _is_said_so(said, caption, other, noun):
                            text, edit = rewrite(sentence, [(at, last, other)])
                            yield Miss(caption, "relation", replace(edit, kind="replace_rel"), text)
            break


def _is_free(sentence: Sentence, first: int) -> bool:
    """Whether what stands before the phrase is a thing, or what one does anywhere."""
    head = sentence.tokens[sentence.tokens[first].head]
    if head.pos == "ADV":
        head = sentence.tokens[head.head]
    return head.pos in ("NOUN", "VERB", "AUX", "PROPN") and head.lemma not in _CONTACT


def _is_of_part(sentence: Sentence, noun: int) -> bool:
    """Whether it is some part of a thing: "on the side of a table", "on the street corner"."""
    return any(sentence.tokens[c].text.lower() == "of" for c in sentence.children(noun, "prep"))


def _is_said_so(said: Said, caption: int, phrase: str, noun: str) -> bool:
    """Whether another caption puts something there."""
    head = phrase.split()[0]
    return any(
        i != caption and f" {head} " in f" {' '.join(sentence.words())} " and phrase in " ".join(sentence.words())
        for i, sentence in enumerate(said.sentences)
    ) and bool(noun)


def _list_acts(said: Said, caption: int, sentence: Sentence, i: int) -> Iterator[Miss]:
    token = sentence.tokens[i]
    lemma = find_lemma(token)
    things = sentence.children(i, "dobj")
    if things:
        if len(things) != 1 or sentence.tokens[things[0]].tag in ("PRP", "WP"):
            return
        noun = sentence.words()[things[0]]
        for of, others in _ACTS.get(lemma, ()):
            if noun in of and token.tag in ("VBG", "VBZ", "VBP", "VB"):
                yield from _write(said, caption, sentence, i, others)
    elif lemma in _STATES and token.tag in _STATE_TAGS and _lives(said, sentence, i):
        behind = sentence.words()[i + 1 : i + 2]
        if behind in (["up"], ["down"], ["out"], ["off"], ["like"], ["for"], ["at"], ["with"], ["to"]):
            return
        for _, others in _STATES[lemma]:
            yield from _write(said, caption, sentence, i, others)


def _lives(said: Said, sentence: Sentence, i: int) -> bool:
    """Whether who does it is one person or animal."""
    subjects = sentence.children(i, "nsubj") or [sentence.tokens[i].head]
    token = sentence.tokens[subjects[0]]
    lemma = find_lemma(token)
    lexicon = open_lexicon(said.wordnet)
    vehicle = lemma in ("bus", "train", "boat", "plane", "airplane", "car", "truck", "jet", "motorcycle")
    field = lexicon.find_field(lemma, "n")
    one = token.tag in ("NN", "NNP") and not sentence.children(subjects[0], "conj")
    if not one or (field == "noun.person" and said.several_people):
        return False
    return (field in ("noun.animal", "noun.person") and can_tell("dog", lexicon)) or vehicle


def _write(said: Said, caption: int, sentence: Sentence, i: int, others: Sequence[str]) -> Iterator[Miss]:
    token = sentence.tokens[i]
    subjects = sentence.children(i, "nsubj") or [token.head]
    vehicle = find_lemma(sentence.tokens[subjects[0]]) in (
        "bus",
        "train",
        "boat",
        "plane",
        "airplane",
        "car",
        "truck",
        "jet",
    )
    verbs = {find_lemma(each) for other in said.sentences for each in other.tokens if each.pos == "VERB"}
    own = find_lemma(token)
    for other in others:
        near = (other, *_NEAR_ACTS.get(other, ()))
        if any(each in verbs or each in said.words for each in near) or may_name_one(own, other, "v"):
            continue
        if vehicle and other in ("sleep", "dance", "swim", "jump", "run", "lie", "stand", "sit", "fight"):
            continue
        text, edit = rewrite(sentence, [(i, i, inflect_verb(other, token.tag))])
        yield Miss(caption, "relation", replace(edit, kind="replace_rel"), text)
