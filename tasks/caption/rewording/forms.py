"""What is said of a thing goes into another form of clause, or where it all happens goes first."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.tasks.caption.rewording.alike import WORDS
from counterfoil.tasks.caption.rewording.phrases import WITHIN, Caption, Frame, Reworded
from counterfoil.tasks.caption.words.forms import find_lemma, inflect_verb
from counterfoil.tasks.caption.words.lists import PICTURES

STATIVE = frozenset(WORDS["verbs"]["stative"])
SCENES, HOLDERS = frozenset(WORDS["places"]["scenes"]), frozenset(WORDS["places"]["holders"])
_SHOWN = frozenset({"see", "show", "look", "get", "make", "do", "lead", "feature", "read", "match", "fit"})
"""Of these what goes on can be said too: "is showing", "is seen"."""
_HAVING = frozenset({"noun.artifact", "noun.location", "noun.object", "noun.plant"})


def forms(caption: Caption) -> Iterator[Reworded]:
    frame = caption.frame
    if frame is None:
        return
    thing = caption.text(frame.start, frame.at - 1)
    if not thing or thing.endswith(","):
        return
    be = "are" if frame.plural else "is"
    said, stands = _say(caption, frame)
    yield from _vary(caption, thing, said, stands, be, frame.form, frame.head)


def _say(caption: Caption, frame: Frame) -> tuple[str, str]:
    """What is said as it follows "is" ("riding a horse"), and as it is said by itself ("rides a horse")."""
    at = frame.at
    if caption.tokens[at].text.lower() in ("is", "are") if at < caption.count else False:
        return caption.text(at + 1, caption.count - 1), ""
    if frame.verb == at and caption.tokens[at].tag in ("VBZ", "VBP"):
        lemma = find_lemma(caption.tokens[at])
        if lemma in STATIVE or caption.below(at, "xcomp", "ccomp", "advcl"):
            return "", ""
        rest = caption.text(at + 1, caption.count - 1)
        return f"{inflect_verb(lemma, 'VBG')} {rest}".strip(), caption.text(at, caption.count - 1)
    if frame.verb is not None and find_lemma(caption.tokens[frame.verb]) in STATIVE - _SHOWN:
        return "", ""  # "a bowl containing milk" is at nothing
    if frame.verb is not None and caption.tokens[frame.verb].tag in ("VBD", "VB"):
        return "", ""
    return caption.text(at, caption.count - 1), ""


def _vary(caption: Caption, thing: str, said: str, stands: str, be: str, form: str, head: int) -> Iterator[Reworded]:
    """All forms but the caption's own."""
    assert caption.frame is not None
    joined = caption.joined(head, caption.frame.at)
    there = "are" if be == "are" and caption.is_counted(head) else "is"
    indefinite = caption.is_indefinite(head)
    named = caption.with_article(thing, head)
    if not named:
        return
    old = caption.sentence.text
    picture = find_lemma(caption.tokens[head]) in PICTURES
    if said and not picture:
        if form != "clause" or stands:
            yield from caption.make("aspect" if stands else "clause", old[:40], f"{be} {said}"[:40], named, be, said)
        if form != "phrase" and len(said.split()) > 1:
            yield from caption.make("clause", old[:40], said[:40], thing, said)
        if form == "phrase" and caption.can_follow(head):
            who = (
                "who" if caption.lexicon.find_field(find_lemma(caption.tokens[head]), "n") == "noun.person" else "that"
            )
            yield from caption.make("relative", said[:40], f"{who} {be} {said}"[:40], named, who, be, said)
    if form != "there" and indefinite and not joined:
        yield from caption.make("there_is", old[:40], f"there {there}", "there", there, named, said)
    if form == "there" and not said:
        yield from caption.make("there_is", "there is", thing[:40], thing)


def fronts(caption: Caption) -> Iterator[Reworded]:
    frame = caption.frame
    if frame is None or caption.has_pronoun():
        return
    for i in range(caption.count - 1, frame.at - 1, -1):
        token = caption.tokens[i]
        if token.dep != "prep" or token.text.lower() not in ("in", "on", "at", "inside"):
            continue
        nouns = caption.below(i, "pobj")
        holder = frame.verb if frame.verb is not None else caption.tokens[i].head
        if len(nouns) != 1 or token.head != holder or caption.span(i) != (i, caption.count - 1):
            continue
        if find_lemma(caption.tokens[nouns[0]]) not in SCENES | HOLDERS or caption.core(nouns[0]) != caption.span(
            nouns[0]
        ):
            continue
        yield from _front(caption, frame, i)
        return


def _front(caption: Caption, frame: Frame, i: int) -> Iterator[Reworded]:
    place = caption.text(i, caption.count - 1)
    thing = caption.with_article(caption.text(frame.start, frame.at - 1), frame.head)
    if not thing:
        return
    be = "are" if frame.plural else "is"
    at = frame.at + 1 if caption.tokens[frame.at].text.lower() in ("is", "are") else frame.at
    said = caption.text(at, i - 1)
    if frame.verb is None:
        if at == i and caption.is_indefinite(frame.head) and not caption.below(frame.head, "conj"):
            yield from caption.make("front", place, f"{place} there {be}", f"{place},", "there", be, thing)
        return
    tag = caption.tokens[frame.verb].tag
    if caption.below(frame.verb, "conj", "advcl") or "," in said:
        return
    if tag in ("VBZ", "VBP"):
        yield from caption.make("front", place, place, f"{place},", thing, said)
    elif tag in ("VBG", "VBN"):
        yield from caption.make("front", place, place, f"{place},", thing, be, said)


def having(caption: Caption) -> Iterator[Reworded]:
    """A kitchen with a sink: a kitchen that has a sink."""
    words = caption.sentence.words()
    root = next((i for i, t in enumerate(caption.tokens) if t.head == i), 0)
    for i in range(1, caption.count - 1):
        token = caption.tokens[i]
        if words[i] == "with" and token.dep == "prep" and token.head == i - 1 and _is_thing(caption, i - 1):
            have = "have" if caption.many(i - 1) else "has"
            before, after = caption.text(0, i - 1), caption.text(i + 1, caption.count - 1)
            yield from caption.make("have", "with", f"that {have}", before, "that", have, after)
            if token.head == root and caption.core(root) == (0, root):
                named = caption.with_article(before, root)
                if named:
                    yield from caption.make("have", "with", have, named, have, after)
        elif words[i] in ("has", "have") and words[i - 1] in ("that", "which") and token.dep == "relcl":
            if _is_thing(caption, i - 2) and token.head == i - 2 and caption.below(i, "dobj"):
                yield from caption.make(
                    "have",
                    f"{words[i - 1]} {words[i]}",
                    "with",
                    caption.text(0, i - 2),
                    "with",
                    caption.text(i + 1, caption.count - 1),
                )
        elif (
            words[i] in ("has", "have")
            and i == root
            and caption.below(i, "dobj")
            and caption.below(i, "nsubj") == [i - 1]
        ) and _is_thing(caption, i - 1):
            yield from caption.make(
                "have", words[i], "with", caption.text(0, i - 1), "with", caption.text(i + 1, caption.count - 1)
            )


def _is_thing(caption: Caption, noun: int) -> bool:
    """Whether it can have something as a part or in it, and "with" says no more than that."""
    token = caption.tokens[noun]
    field = caption.lexicon.find_field(find_lemma(token), "n")
    return (
        token.tag in ("NN", "NNS")
        and field in _HAVING
        and not caption.below(noun, "conj")
        and _is_plain_owner(caption, noun)
    )


def _is_plain_owner(caption: Caption, noun: int) -> bool:
    """Whether nothing else may be meant by "with": no thing was named before it, or it is a place."""
    before = any(t.pos in ("NOUN", "PROPN") and t.dep not in WITHIN for t in caption.tokens[:noun])
    owned = any(t.tag == "PRP$" for t in caption.tokens[noun:])
    return not owned and (not before or find_lemma(caption.tokens[noun]) in SCENES)
