"""Another relation of two things, or another act (``replace_rel``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from counterfoil.storage.plain import read_toml
from counterfoil.tasks.caption.near.miss import Miss, rewrite
from counterfoil.tasks.caption.near.said import PEOPLE, Said, find_kin
from counterfoil.tasks.caption.plan.kinds import can_tell
from counterfoil.tasks.caption.words.forms import find_lemma, inflect_verb, singularise
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.lists import may_name_one
from counterfoil.tasks.caption.words.parse import Sentence

_TABLE = read_toml(Path(__file__).with_name("relations.toml"))
_CLASSES: Mapping[str, frozenset[str]] = {name: frozenset(words) for name, words in _TABLE["classes"].items()}


@dataclass(frozen=True, slots=True)
class Row:
    """What excludes one phrase or verb.

    Attributes:
        of: the things that it leads to, or who does it; empty: any.
        others: what may come in its place.
        one: whether it must be said of one thing, person or animal alone.
        agreed: whether another caption must say the same.
        form: the tag by which a verb that comes is inflected; empty: as the other is.
    """

    of: frozenset[str]
    others: tuple[str, ...]
    one: bool
    agreed: bool
    form: str


def _read(rows: Sequence[Mapping[str, Any]], classes: bool) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        first, *others = row["words"]
        of = row.get("of", ())
        things = frozenset().union(*(_CLASSES[name] for name in of)) if classes else frozenset(of)
        things -= frozenset().union(*(_CLASSES[name] for name in row.get("never", ())))
        told = Row(things, tuple(others), bool(row.get("one")), bool(row.get("agreed")), row.get("form", ""))
        found.setdefault(first, []).append(told)
    return found


_PLACES, _ACTS, _STATES = _read(_TABLE["places"], True), _read(_TABLE["acts"], False), _read(_TABLE["states"], False)
_LONGEST = 3
_CONTACT = frozenset(
    {"hang", "attach", "mount", "paint", "write", "print", "display", "cover", "look", "lean", "depend"}
)
"""Verbs whose phrase is a part of what they say."""
_SPREAD = frozenset({"crowd", "group", "herd", "flock", "food", "grass", "snow", "water", "traffic", "bunch", "couple"})
"""What may be at several places at once."""
_TAKING = frozenset({"eat", "play", "look", "reach", "point", "work"})
"""Verbs whose phrase is not where their subject is, or is there in more than one way."""
_OF_LIVING = frozenset({"sleep", "dance", "swim", "jump", "run", "lie", "stand", "sit", "walk", "fight"})
_STATE_TAGS = ("VBG", "VBZ", "VBP")
_RIDDEN = frozenset({"ride", "rid", "surf", "surfer", "skate", "rider"})
_AT = frozenset({"in front of", "behind", "next to", "beside"})
_ALIKE = (
    ("on", "on top of", "atop", "upon"),
    ("in", "inside", "inside of", "within"),
    ("under", "underneath", "beneath", "below"),
    ("above", "over"),
    ("next to", "beside", "near", "by", "alongside"),
)
"""Phrases that say the same of a place."""
_BESIDE = frozenset({"next to", "beside"})
_MOVING = frozenset({"drive", "travel", "ride", "run", "walk", "move", "go", "pass", "graze", "pull"})
"""What nobody does on or in a building."""
_ROOFS = frozenset({"umbrella", "umbrellas", "canopy", "awning"})
"""Under which people are, and on which nobody is."""
_TALL = frozenset({"tree", "trees", "building", "buildings"})
"""What is between them may be under them as well."""
_TOWERS = frozenset({"tower", "clock", "steeple", "dome", "spire", "chimney", "roof", "sign"})
"""Parts of a building, which are on it and beside the rest of it."""
_POSES = ("sit", "stand", "lie", "sleep", "walk")
_FAR = 6
"""Words within which a phrase may speak of a noun behind it."""
_VEHICLES = frozenset({"bus", "train", "boat", "plane", "airplane", "car", "truck", "jet", "motorcycle"})
_BEHIND_ACT = ("up", "down", "out", "off", "like", "for", "at", "with", "to")
_NEAR_ACTS = {
    "sit": ("lounge", "perch", "recline", "crouch", "kneel", "squat", "ride", "seat"),
    "sleep": ("lie", "lay", "rest", "nap", "asleep"),
    "lie": ("sleep", "rest", "lay", "sprawl", "asleep"),
    "run": ("jog", "race", "gallop", "walk", "chase", "play", "trot"),
    "jump": ("leap", "air", "trick", "hop", "fly", "catch"),
    "swim": ("water", "surf", "river", "lake", "pond", "wade", "pool", "ocean"),
    "dance": ("jump", "perform", "party"),
    "walk": ("step", "stand", "stroll", "run", "cross", "lead", "wander", "herd", "march"),
    "stand": ("walk", "pose", "wait", "lean", "play", "graze", "eat", "jump"),
    "ride": ("board", "surf", "skate"),
    "make": ("cook", "prepare", "bake", "create"),
    "prepare": ("cook", "make", "bake", "ready"),
    "eat": ("bite", "taste", "chew", "lick"),
    "park": ("stop", "stand", "sit", "still", "lot"),
    "drive": ("travel", "move", "go", "ride", "turn", "pass"),
    "catch": ("reach", "jump", "grab", "receive", "try"),
    "throw": ("toss", "pitch", "serve", "release", "pitcher"),
    "watch": ("look", "crowd", "fan", "spectator"),
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
            things = [c for c in sentence.children(last, "pobj") if tokens[c].pos == "NOUN"]
            if len(things) != 1 or not _is_free(sentence, at):
                break
            noun = words[things[0]]
            agent = phrase == "by" and tokens[tokens[at].head].tag == "VBN"
            home = noun == "plate" and words[things[0] - 1] == "home"
            ridden = noun in _CLASSES["mount"] and not _RIDDEN.isdisjoint(said.words | frozenset().union(*said.verbs))
            if noun in words[:at] or sentence.children(things[0], "conj") or agent or home or ridden:
                break  # of a bus beside a bus the other is so as well
            of_part = _is_of_part(sentence, things[0])
            poses = [*_list_poses(said, sentence, at)]
            acted = phrase in ("on", "on top of") and _is_acted_on(sentence, at)
            for row in _PLACES[phrase]:
                if noun not in row.of or of_part or (row.one and not _is_of_one(said, sentence, at)):
                    continue
                for other in row.others:
                    odd = (acted and other in _AT) or (noun in _ROOFS and other.startswith("on"))
                    if phrase == "between" and other == "under":
                        odd |= noun in _TALL
                    if other in ("on", "on top of", "inside") and noun in _CLASSES["upright"]:
                        odd |= not _MOVING.isdisjoint(said.verbs[caption])
                    if phrase.startswith("on") and other in _BESIDE:
                        odd |= bool(_TOWERS.intersection(words[:at]))
                    if not odd and not _is_said_so(said, caption, other, noun):
                        text, edit = rewrite(sentence, [(at, last, other)], "replace_rel")
                        yield Miss(caption, "relation", edit, text)
                        for posed in poses:
                            text, edit = rewrite(sentence, [(at - 1, last, f"{posed} {other}")], "replace_rel")
                            yield Miss(caption, "relation", edit, text)
            break


def _is_free(sentence: Sentence, first: int) -> bool:
    """Whether what stands before the phrase is a thing, or what one does anywhere."""
    head = sentence.tokens[sentence.tokens[first].head]
    if head.pos == "ADV":
        head = sentence.tokens[head.head]
    return head.pos in ("NOUN", "VERB", "AUX", "PROPN") and head.lemma not in _CONTACT


def _list_poses(said: Said, sentence: Sentence, first: int) -> Iterator[str]:
    """How else somebody or something is said to be at a place, where the verb right before it says no more: what is
    false of the place is so of whoever stands, sits or lies there."""
    verb = first - 1
    token = sentence.tokens[verb]
    if verb < 1 or sentence.tokens[first].head != verb or sentence.children(verb, "dobj", "neg", "prt", "auxpass"):
        return
    own = find_lemma(token)
    tag = "VBG" if token.tag == "VBN" else token.tag
    if own not in (*_POSES, "seat", "perch", "park", "walk", "rest", "lay") or tag not in _STATE_TAGS:
        return
    subject = next(iter(sentence.children(verb, "nsubj")), token.head)
    lemma = find_lemma(sentence.tokens[subject])
    field = open_lexicon(said.wordnet).find_field(lemma, "n")
    lives = field in ("noun.animal", "noun.person")
    for pose in _POSES:
        if pose != own and (lives or pose not in ("sleep", "walk")) and (pose != "stand" or field != "noun.food"):
            yield inflect_verb(pose, tag)
    if lemma in _VEHICLES and own != "park" and tag == "VBG":
        yield "parked"


def _is_acted_on(sentence: Sentence, first: int) -> bool:
    """Whether somebody does something to what is there, and may be at the place: "bends over a pan on a stove"."""
    tokens = sentence.tokens
    head = tokens[first].head
    while tokens[head].pos not in ("VERB", "AUX") and tokens[head].head != head:
        head = tokens[head].head
    return any(each < first for each in sentence.children(head, "dobj", "prep"))


def _is_of_part(sentence: Sentence, noun: int) -> bool:
    """Whether it is some part of a thing: "on the side of a table", "on the street corner"."""
    return any(sentence.tokens[c].text.lower() == "of" for c in sentence.children(noun, "prep"))


def _is_of_one(said: Said, sentence: Sentence, first: int) -> bool:
    """Whether what is there is one thing, of which no caption says that there are several."""
    tokens = sentence.tokens
    head = tokens[first].head
    if tokens[head].pos == "ADV":
        head = tokens[head].head
    if tokens[head].pos in ("VERB", "AUX"):
        if tokens[head].lemma in _TAKING:
            return False
        head = next(iter(sentence.children(head, "nsubj", "nsubjpass")), tokens[head].head)
    return _is_one(said, sentence, head) and find_lemma(tokens[head]) not in _SPREAD


def _is_one(said: Said, sentence: Sentence, noun: int) -> bool:
    token = sentence.tokens[noun]
    if token.tag not in ("NN", "NNP") or sentence.children(noun, "conj"):
        return False
    lemma = find_lemma(token)
    if open_lexicon(said.wordnet).find_field(lemma, "n") == "noun.person" and said.several_people:
        return False
    return (lemma, True) not in said.nouns


def _is_said_so(said: Said, caption: int, phrase: str, noun: str) -> bool:
    """Whether another caption puts something there, or on some thing that this may be, in whatever words."""
    alike = next((group for group in _ALIKE if phrase in group), (phrase,))
    return any(_is_said(said, caption, each, noun) for each in alike)


def _is_said(said: Said, caption: int, phrase: str, noun: str) -> bool:
    size = len(phrase.split())
    for i, sentence in enumerate(said.sentences):
        words = sentence.words()
        for at in range(len(words) - size if i != caption else 0):
            if " ".join(words[at : at + size]) == phrase and any(
                find_kin(noun, singularise(word), said.wordnet) is not None
                for word in words[at + size : at + size + _FAR]
                if word.isalpha() and len(word) > 1
            ):
                return True
    return False


def _list_acts(said: Said, caption: int, sentence: Sentence, i: int) -> Iterator[Miss]:
    token = sentence.tokens[i]
    lemma = find_lemma(token)
    if not {"while", "as"}.isdisjoint(sentence.words()):
        return  # "sleeping while hugging a bear"
    things = sentence.children(i, "dobj")
    subject = next(iter(sentence.children(i, "nsubj", "nsubjpass")), token.head)
    if things:
        if len(things) != 1 or sentence.tokens[things[0]].tag in ("PRP", "WP"):
            return
        if sentence.words()[things[0] + 1 : things[0] + 2] == ["to"]:
            return  # "swinging a bat to hit the ball"
        noun = sentence.words()[things[0]]
        for row in _ACTS.get(lemma, ()):
            fits = noun in row.of and token.tag in (*_STATE_TAGS, "VB")
            if fits and (not row.one or _is_one(said, sentence, subject)):
                yield from _write(said, caption, sentence, i, row)
    elif lemma in _STATES and _lives(said, sentence, subject):
        if sentence.words()[i + 1 : i + 2] in ([each] for each in _BEHIND_ACT):
            return
        busy = any(k != i and each.tag == "VBG" and each.pos == "VERB" for k, each in enumerate(sentence.tokens))
        for row in _STATES[lemma]:
            if busy and "sleep" in row.others:
                row = replace(row, others=tuple(other for other in row.others if other != "sleep"))
            if token.tag not in (("VBN",) if row.form == "VBG" else _STATE_TAGS):
                continue
            if not row.agreed or _is_agreed(said, caption, sentence, subject, lemma, row):
                yield from _write(said, caption, sentence, i, row)


def _is_agreed(said: Said, caption: int, sentence: Sentence, subject: int, verb: str, row: Row) -> bool:
    """Whether another caption has the verb too, of somebody whom the row is for."""
    lemma = find_lemma(sentence.tokens[subject])
    if lemma not in row.of and not (lemma in PEOPLE and not row.form and verb not in ("fly", "swim")):
        return False
    return any(verb in verbs for i, verbs in enumerate(said.verbs) if i != caption)


def _lives(said: Said, sentence: Sentence, subject: int) -> bool:
    """Whether who does it is one person, animal or vehicle."""
    lemma = find_lemma(sentence.tokens[subject])
    lexicon = open_lexicon(said.wordnet)
    if not _is_one(said, sentence, subject):
        return False
    living = lexicon.find_field(lemma, "n") in ("noun.animal", "noun.person") and can_tell("dog", lexicon)
    return living or lemma in _VEHICLES


def _write(said: Said, caption: int, sentence: Sentence, i: int, row: Row) -> Iterator[Miss]:
    token = sentence.tokens[i]
    subjects = sentence.children(i, "nsubj") or [token.head]
    vehicle = find_lemma(sentence.tokens[subjects[0]]) in _VEHICLES
    verbs = frozenset().union(*said.verbs)
    own = find_lemma(token)
    for other in row.others:
        near = (other, *_NEAR_ACTS.get(other, ()))
        if any(each in verbs or each in said.words for each in near) or may_name_one(own, other, "v"):
            continue
        if vehicle and other in _OF_LIVING:
            continue
        text, edit = rewrite(sentence, [(i, i, inflect_verb(other, row.form or token.tag))], "replace_rel")
        yield Miss(caption, "relation", edit, text)
