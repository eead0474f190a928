"""Statements about scenes that stand alone: "There is a red ball.", "There is a woman holding a kite." """

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import product

from counterfoil.storage.rows import Anchor, Edit
from counterfoil.tasks.caption.scenes.catalogue import NOUNS
from counterfoil.tasks.caption.scenes.fitting import may_host, may_join
from counterfoil.tasks.caption.scenes.language.read import Mention, Reading, ReadingError, _Reader, read_caption
from counterfoil.tasks.caption.scenes.language.wordings import (
    COUNTS,
    HATTED,
    MOODS,
    PATTERNS,
    PEOPLE,
    PLURALS,
    RELATIONS,
    SIZES,
    VERBS,
    article,
)
from counterfoil.tasks.caption.scenes.palette import COLOURS

_NONE = re.compile(r"There is no (?=(\w))")
_CONVERSE = {
    "on": "under",
    "under": "on",
    "on top of": "underneath",
    "underneath": "on top of",
    **{
        words: other
        for words, (name, turned) in RELATIONS.items()
        for other, meaning in RELATIONS.items()
        if meaning == (name, not turned) and "chased" not in other + words
    },
}


def read_statement(text: str) -> Reading:
    """What a statement says: a caption, or that a thing is there.

    Raises:
        ReadingError: it is neither.
    """
    try:
        return read_caption(text)
    except ReadingError:
        return _Lone(text).read_thing()


class _Lone(_Reader):
    def read_thing(self) -> Reading:
        self._expect("there")
        be = self._take("is", "are")
        if be is None:
            raise self._error("'is' or 'are'")
        thing = self._phrase()
        self._agree(thing, be == "are")
        if self.at < len(self.words):
            raise self._error("the end")
        return Reading(tuple(Mention(**looks) for looks in self.looks), (), None, None, None)


def tell_scene(anchor: Anchor) -> list[str]:
    """What an anchor's facts come to, in statements: things with some of their looks, and how two stand."""
    return _tell(anchor, zip)


def list_longer(anchor: Anchor) -> list[tuple[str, str, str]]:
    """Statements each with one that says a look, or how another thing stands, more, and the words that do."""
    told = _tell(anchor, product)
    return [(short, long, more) for short in told for long in told if (more := _find_more(short, long))]


def _find_more(short: str, long: str) -> str:
    """The words in one place of a statement without which it is the other; none where it is not.

    >>> _find_more("There is a hat.", "There is a hat in a box."), _find_more("There is a hat.", "There is an old hat.")
    (' in a box', '')
    """
    size = len(long) - len(short)
    for at in range(len(short) if size > 0 else 0):
        if long[at] == " " and long[:at] == short[:at] and long[at + size :] == short[at:]:
            return long[at : at + size]
    return ""


def list_things(text: str) -> frozenset[str]:
    """The nouns of a text, each as one of several is called."""
    words = re.findall(r"[a-z]+", text)
    return frozenset(PLURALS.get(word, word) for word in words if word in NOUNS or word in PLURALS)


def _tell(anchor: Anchor, pair: Callable[..., Iterable[tuple[tuple[str, str], tuple[str, str]]]]) -> list[str]:
    """Statements; ``pair`` says which names of two things go together."""
    looks: dict[str, dict[str, str]] = {}
    for fact in anchor.facts:
        if len(fact.arguments) == 1 and fact.value is not None:
            looks.setdefault(fact.arguments[0], {})[fact.predicate] = fact.value
    named = {thing: _name(found) for thing, found in looks.items() if found.get("noun") in NOUNS}
    told = [f"There {be} {name}." for names in named.values() for be, name in names]
    for fact in anchor.facts:
        one, other = (named.get(each, []) for each in (*fact.arguments, "", "")[:2])
        words = fact.predicate if fact.predicate in VERBS else _find_words(fact.predicate, False)
        turned = _find_words(fact.predicate, True)
        for (be, name), (also, second) in pair(one, other):
            told += [f"There {be} {name} {words} {second}."] if words else []
            told += [f"There {also} {second} {turned} {name}."] if turned else []
    return list(dict.fromkeys(told))


def _find_words(relation: str, turned: bool) -> str | None:
    """A preposition that states a relation, or its converse; none says that a cup is under what is on it."""
    return next((words for words, meaning in RELATIONS.items() if meaning == (relation, turned)), None)


def _name(looks: dict[str, str]) -> list[tuple[str, str]]:
    """Its names with their verb: with all of its looks, with its colour, with its noun alone."""
    noun, count = NOUNS[looks["noun"]], int(looks.get("count", "1"))
    dressed = noun.name in PEOPLE | HATTED
    found = []
    for kept in (("size", "mood", "pattern", "colour"), ("pattern", "colour"), ("size",), ()):
        given = {name: looks[name] for name in kept if looks.get(name) not in (None, "medium", "plain")}
        worn = [given.pop(name) for name in ("pattern", "colour") if name in given] if dressed else []
        words = [*given.values(), noun.plural if count > 1 else noun.name]
        text = " ".join([COUNTS[count - 1], *words] if count > 1 else [article(words[0]), *words])
        if worn and noun.name in PEOPLE:
            text += f" in {' '.join(worn)} clothes"
        elif worn:
            text += f" with {' '.join(worn)} hats" if count > 1 else f" with {article(worn[0])} {' '.join(worn)} hat"
        found.append(("are" if count > 1 else "is", text))
    return list(dict.fromkeys(found))


def list_scene_edits(text: str) -> list[Edit]:
    """Words of a statement with those that may take their places."""
    edits: list[Edit] = []
    for word in dict.fromkeys(re.findall(r"[a-z]+", text)):
        if word in NOUNS:
            same = [other for other, noun in NOUNS.items() if noun.kind == NOUNS[word].kind]
            edits += [Edit("noun", word, other) for other in same]
        elif word in PLURALS:
            kind = NOUNS[PLURALS[word]].kind
            edits += [Edit("noun", word, other) for other, name in PLURALS.items() if NOUNS[name].kind == kind]
        for name, table in (("size", SIZES), ("mood", MOODS), ("pattern", PATTERNS)):
            if word in table:
                edits += [Edit(name, word, other) for other, means in table.items() if means != table[word]]
        if word in COLOURS:
            edits += [Edit("colour", word, other) for other in COLOURS]
        if word in COUNTS[1:]:
            edits += [Edit("count", word, other) for other in COUNTS[1:]]
    edits += [Edit("relation", words, other) for words, other in _CONVERSE.items() if f" {words} " in text]
    return [edit for edit in dict.fromkeys(edits) if edit.target != edit.replacement]


def can_be(reading: Reading) -> bool:
    """Whether some scene has things of such looks that stand so: no banana is blue, and nobody holds a bush.

    >>> [can_be(read_statement(f"There is a woman holding a {thing}.")) for thing in ("leaf", "bush")]
    [True, False]
    """
    for relation in reading.relations:
        guest, host = (NOUNS[reading.mentions[each].noun] for each in (relation.subject, relation.object))
        if relation.name == "holding":
            guest, host = host, guest
        if relation.name != "left_of" and not (
            may_host(host, relation.name, reading.place or "meadow") and may_join(guest, host, relation.name)
        ):
            return False
    for each in reading.mentions:
        noun = NOUNS[each.noun]
        if each.colour and each.colour not in noun.colours:
            return False
        if (each.pattern not in (None, "plain") and not noun.patterned) or (each.mood and not noun.moods):
            return False
    return True


def deny_statement(text: str) -> str | None:
    """
    >>> deny_statement("There is an orange ball."), deny_statement("There are two balls.")
    ('There is no orange ball.', None)
    """
    found = re.match(r"There is an? ", text)
    return f"There is no {text[found.end() :]}" if found else None


def affirm_statement(text: str) -> str | None:
    """
    >>> affirm_statement("There is no orange ball."), affirm_statement("There is a ball.")
    ('There is an orange ball.', None)
    """
    found = _NONE.match(text)
    return f"There is {article(found[1])} {text[found.end() :]}" if found else None
